import { isUtf8 } from "node:buffer";
import { isDeeperThan, isJsonObject, type JsonObject, kindOf, maxJsonLevels } from "@ikigai/protocol";
import { JsonScanner } from "./json-scanner.ts";
import { trimJson } from "./json-text.ts";

/** An object and its text, or why the text is not an object: the end of a sentence. */
export type JsonReading =
  | { readonly ok: true; readonly text: string; readonly value: JsonObject }
  | { readonly ok: false; readonly problem: string; readonly isJson: boolean };

/** Reads exactly one JSON object: no second value, no byte order mark, only UTF-8, and at most `maxJsonLevels`. */
export function readJsonObject(bytes: Buffer): JsonReading {
  if (!isUtf8(bytes)) return { ok: false, problem: "it is not UTF-8", isJson: false };
  const text = trimJson(bytes.toString("utf8"));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: describeProblem(bytes, text), isJson: false };
  }
  if (!isJsonObject(value)) return { ok: false, problem: `expected an object, got ${kindOf(value)}`, isJson: true };
  if (!isDeeperThan(value, maxJsonLevels)) return { ok: true, text, value };
  return { ok: false, problem: `it has more than ${maxJsonLevels} levels`, isJson: true };
}

/** Replaces Node's messages, which quote the text including control characters and mostly give no offset. */
function describeProblem(bytes: Buffer, text: string): string {
  if (text === "") return "it is empty";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "a byte order mark at byte 0";
  const scanner = new JsonScanner();
  scanner.push(bytes);
  scanner.finish();
  const { found, offset } = scanner.problem ?? { found: "not JSON", offset: 0 };
  return `${found} at byte ${offset}`;
}
