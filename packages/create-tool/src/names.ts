// The names of a new tool, from the one that a person typed, and the languages that it can be written in.

/** The names of a new tool. */
export interface ToolNames {
  /** The npm package: `@acme/my-weather-tool`. */
  readonly package: string;
  /** The executable: `my-weather-tool`. */
  readonly file: string;
  /** The folder beside the executable, with its source and tests: `my-weather`. */
  readonly folder: string;
  /** The name that the model uses: `my_weather`. */
  readonly name: string;
}

/** Why a name is invalid. */
export interface NameProblem {
  /** A sentence for people, with the suggestion. */
  readonly problem: string;
  /** A valid form of the name, if it has one. */
  readonly suggestion?: string;
}

/**
 * Parses a tool name as people type it: `weather`, `my_weather`, `weather-tool`, `@acme/weather-tool`. Returns a problem instead if npm
 * or a model provider would reject the name. Never throws.
 */
export function readName(wanted: string): ToolNames | NameProblem {
  const [, scope = "", rest = ""] = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?(.*)$/s.exec(wanted) ?? [];
  const folder = rest.replace(/-tool$/, "").replaceAll("_", "-");
  if (scope !== "" && folder === "")
    return { problem: `Missing the name after the scope: ${JSON.stringify(wanted)}. Try: ${scope}weather-tool` };
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(folder)) {
    const valid = suggest(rest);
    const problem = `Invalid name ${JSON.stringify(wanted)}: use up to 64 lowercase letters, digits and hyphens, starting with a letter.`;
    if (valid === "") return { problem };
    return { problem: `${problem} Try: ${scope}${valid}`, suggestion: `${scope}${valid}` };
  }
  const file = `${folder}-tool`;
  return { package: `${scope}${file}`, file, folder, name: folder.replaceAll("-", "_") };
}

function suggest(wanted: string): string {
  return wanted
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .replace(/-tool$/, "")
    .slice(0, 64);
}

/** The languages of the templates. */
export const languageNames = ["bash", "python", "node", "go", "typescript"] as const;

export type LanguageName = (typeof languageNames)[number];
