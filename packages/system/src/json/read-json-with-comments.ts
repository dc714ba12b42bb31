import { getNodeValue } from "jsonc-parser/lib/esm/impl/parser.js";
import { JsonScanner } from "./json-scanner.ts";
import { parseJsonWithComments, type SyntaxProblem, unlessTooDeep } from "./json-with-comments.ts";

/** The longest text whose comments are read, in characters: the parser takes a hundred times as much memory. */
const maxCommentedLength = 1_048_576;

/**
 * Reads JSON as a value, in a text of at most 1 MiB with comments and trailing commas; `undefined` for an empty text. Text without
 * comments is parsed as fast as JSON.
 */
export function readJsonWithComments(text: string): { readonly value: unknown } | SyntaxProblem {
  try {
    return { value: JSON.parse(text) };
  } catch {
    if (text.length > maxCommentedLength) return strictProblem(text);
    const parsed = parseJsonWithComments(text);
    if ("expected" in parsed) return parsed;
    return unlessTooDeep(() => ({ value: parsed.root && getNodeValue(parsed.root) }));
  }
}

function strictProblem(text: string): SyntaxProblem {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  scanner.push(bytes);
  scanner.finish();
  const offset = bytes.toString("utf8", 0, scanner.problem?.offset ?? 0).length;
  return { offset, expected: "Expected JSON, in a file over 1 MiB without comments and trailing commas." };
}
