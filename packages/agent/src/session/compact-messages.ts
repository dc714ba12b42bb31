import { join } from "node:path";
import { isDocument, type Message } from "@ikigai/models";

/** Shorter results are kept, in characters: they are worth more than the space. */
const keptLength = 400;

/** About what an image takes, in characters. */
const imageLength = 6_400;

/** About what a document takes, in characters. */
const documentLength = 80_000;

/** A result moved out of the conversation. */
export interface LeftOut {
  /** The path that the conversation shows. */
  readonly path: string;
  readonly text: string;
}

/**
 * Shortens the results before an index, and drops their images and documents, so that a conversation fits: an agent misses old tool output
 * least, because it can look again. With a directory, each is replaced with the name of a file there, which the caller writes. Returns how many
 * characters that saved.
 */
export function compactMessages(
  messages: Message[],
  before: number,
  directory?: string,
): { readonly saved: number; readonly leftOut: readonly LeftOut[] } {
  let saved = 0;
  const leftOut: LeftOut[] = [];
  for (let index = 0; index < Math.min(before, messages.length); index++) {
    const message = messages[index];
    if (message?.role !== "tool" || message.shortened) continue;
    const { images, ...others } = message;
    for (const one of images ?? []) saved += isDocument(one) ? documentLength : imageLength;
    if (message.json.length <= keptLength) {
      if (images) messages[index] = others;
      continue;
    }
    const path = directory && join(directory, `${index}-${message.id.replace(/[^\w-]/g, "_").slice(0, 80)}.txt`);
    const json = shortened(message.json, path);
    if (path) leftOut.push({ path, text: printedText(message.json) });
    saved += message.json.length - json.length;
    messages[index] = { ...others, json, shortened: true };
  }
  return { saved, leftOut };
}

function shortened(json: string, path: string | undefined): string {
  const success = /^\{\s*"tool_success"\s*:\s*true/.test(json);
  const where = path === undefined ? "call the tool again if they are needed" : `they are in ${path}`;
  const note = `(${json.length} characters left out to save room; ${where})`;
  return success
    ? JSON.stringify({ tool_success: true, result: { output: note } })
    : JSON.stringify({ tool_success: false, error: note });
}

/** Returns the tool's text for people, if there is one, else the whole result. */
function printedText(json: string): string {
  try {
    const { result } = JSON.parse(json) as { result?: { output?: unknown } };
    return typeof result?.output === "string" ? result.output : json;
  } catch {
    return json;
  }
}
