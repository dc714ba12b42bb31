import type { JsonObject } from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";

/** The arguments of a call, parsed: whoever has done so hands on both, and nobody parses them again. */
export interface CallArguments {
  /** As the model wrote them. The tool gets exactly this. */
  readonly text: string;
  readonly value: JsonObject;
}

/** Parses the arguments of a call; `undefined` for whatever is not one JSON object. */
export function parseArguments(text: string): CallArguments | undefined {
  const reading = readJsonObject(Buffer.from(text));
  return reading.ok ? { text, value: reading.value } : undefined;
}
