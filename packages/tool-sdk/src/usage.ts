interface Described {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** The text of `--help`, also printed when the tool starts on a terminal. */
export function usage({ name, description, parameters }: Described): string {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, { type?: string; description?: string }>;
    required?: readonly string[];
  };
  const command = `${name.replaceAll("_", "-")}-tool`;
  const lines = Object.entries(properties).map(([key, { type = "any", description: text = "" }]) => {
    const kind = required.includes(key) ? type : `${type}, optional`;
    return `  ${key} (${kind})  ${text}`;
  });
  return [
    `${command}: ${description}`,
    "",
    `Usage: echo '${JSON.stringify(example(properties, required))}' | ${command}`,
    `       ${command} --schema | --help | --version`,
    "",
    "Reads one JSON object from stdin, prints one JSON object on stdout:",
    ...lines,
  ].join("\n");
}

function example(properties: Record<string, { type?: string }>, required: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(required.map((key) => [key, properties[key]?.type === "string" ? "…" : 1]));
}
