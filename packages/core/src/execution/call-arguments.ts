import type { JsonObject } from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";

/** The arguments of a call, parsed once: text and value are passed on together. */
export interface CallArguments {
  /** As the model wrote them; the tool gets exactly this. */
  readonly text: string;
  readonly value: JsonObject;
}

/** Parses the arguments of a call; returns `undefined` unless they are one JSON object. */
export function parseArguments(text: string): CallArguments | undefined {
  const reading = readJsonObject(Buffer.from(text));
  return reading.ok ? { text, value: reading.value } : undefined;
}
