/** What a tool's package and everything in it is called. */
export interface ToolPackageName {
  /** For npm: `@acme/weather-tool`. */
  readonly package: string;
  /** The executable, and the folder: `weather-tool`. */
  readonly file: string;
  /** As a model calls the tool: `weather`. */
  readonly name: string;
}

/**
 * Reads a name as people write it: `weather`, `weather-tool`, `@acme/weather-tool`. Gives a sentence on what is wrong with
 * one that npm or the providers of models would refuse.
 */
export function readName(wanted: string): ToolPackageName | string {
  const [, scope = "", rest = ""] = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?(.*)$/s.exec(wanted) ?? [];
  const stem = rest.replace(/-tool$/, "").replaceAll("_", "-");
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(stem))
    return `Expected a name of a lower case letter and up to 63 letters, digits or -, got ${JSON.stringify(wanted)}. For instance: weather-tool, @acme/weather-tool.`;
  const file = `${stem}-tool`;
  return { package: `${scope}${file}`, file, name: stem.replaceAll("-", "_") };
}
