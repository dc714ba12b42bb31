import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Describes what is wrong with the options of a command line: an unknown one, a missing value, a value where none is allowed.
 * Without a problem, `parseArgs` accepts the same arguments.
 */
export function optionProblem(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig["options"]>,
): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) return `Unknown option ${JSON.stringify(rawName)}. Known: ${known(options)}.`;
    if (option.type === "boolean") {
      if (value !== undefined) return `${rawName} takes no value, got ${JSON.stringify(value)}.`;
    } else if (value === undefined) return `Missing the value of ${rawName}.`;
    // Node takes any next word as the value. One that looks like an option means that the value is missing.
    else if (!inlineValue && /^-./.test(value)) return `Missing the value of ${rawName}, got ${value}.`;
  }
  return undefined;
}

function known(options: object): string {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .join(", ");
}
