import { checkFileName, Refusal, toolNameOf } from "@ikigai/tool-packages";

/** What a new tool is called, everywhere. */
export interface NewToolName {
  /** As a model calls it: `my_weather`. */
  readonly name: string;
  /** Its file: `my-weather-tool`. */
  readonly file: string;
  /** The folder beside it with what belongs to it: `my-weather`. */
  readonly folder: string;
}

/**
 * Reads a name as people write it: `weather`, `my-weather`, `my_weather`, `weather-tool`.
 *
 * @throws Refusal when model providers would refuse it; it suggests another one.
 */
export function newToolName(wanted: string): NewToolName {
  const folder = wanted.replace(/-tool$/, "").replaceAll("_", "-");
  const file = `${folder}-tool`;
  try {
    checkFileName(file);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const better = suggestion(wanted);
    throw new Refusal(
      `Expected a name of a letter and up to 63 letters, digits, - or _, got ${JSON.stringify(wanted)}: model providers refuse others.${better ? ` Try: ${better}` : ""}`,
    );
  }
  return { name: toolNameOf(file), file, folder };
}

function suggestion(wanted: string): string {
  return wanted
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .replace(/-tool$/, "")
    .slice(0, 63);
}
