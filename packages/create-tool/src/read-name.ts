/** The names of a new tool. */
export interface ToolNames {
  /** Its package, for npm: `@acme/my-weather-tool`. */
  readonly package: string;
  /** Its executable: `my-weather-tool`. */
  readonly file: string;
  /** The folder beside the executable with its source and its tests: `my-weather`. */
  readonly folder: string;
  /** What a model calls it: `my_weather`. */
  readonly name: string;
}

/**
 * Reads a name as people write it: `weather`, `my_weather`, `weather-tool`, `@acme/weather-tool`. Returns a sentence instead if
 * npm or a model provider would refuse the name, with a better one.
 */
export function readName(wanted: string): ToolNames | { readonly problem: string } {
  const [, scope = "", rest = ""] = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?(.*)$/s.exec(wanted) ?? [];
  const folder = rest.replace(/-tool$/, "").replaceAll("_", "-");
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(folder)) {
    const better = suggestion(rest);
    const got = `got ${JSON.stringify(wanted)}.${better === "" ? "" : ` Try: ${scope}${better}`}`;
    return { problem: `Expected a name of a lower-case letter and up to 63 lower-case letters, digits or -, ${got}` };
  }
  const file = `${folder}-tool`;
  return { package: `${scope}${file}`, file, folder, name: folder.replaceAll("-", "_") };
}

function suggestion(wanted: string): string {
  return wanted
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .replace(/-tool$/, "")
    .slice(0, 64);
}
