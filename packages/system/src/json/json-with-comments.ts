// JSON with comments and trailing commas, as a tree or as a value.

/// <reference path="./jsonc-parser.d.ts" />
import { getNodeValue, parseTree } from "jsonc-parser/lib/esm/impl/parser.js";
import type { Node, ParseError } from "jsonc-parser/lib/esm/main.js";
import { JsonScanner } from "./json.ts";

/** Where a text stops being JSON with comments, and what was expected there. */
interface SyntaxProblem {
  readonly offset: number;
  /** A sentence. */
  readonly expected: string;
}

/** The parsed JSON with comments, or the first error. */
type ParsedJson = { readonly root: Node | undefined } | SyntaxProblem;

/** Parses JSON with comments and trailing commas. An empty text, or only comments, has no root. */
export function parseJsonWithComments(text: string): ParsedJson {
  const errors: ParseError[] = [];
  const parsed = unlessTooDeep(() => ({
    root: parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true }),
  }));
  const [first] = errors;
  if (!first || "expected" in parsed) return parsed;
  const got = text.slice(first.offset).trim() === "" ? "the end of the file" : "something else";
  return { offset: first.offset, expected: sentences[first.error] ?? `Expected a value, got ${got}.` };
}

/** Runs a function that calls itself for each level of nesting. */
function unlessTooDeep<Result>(work: () => Result): Result | SyntaxProblem {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { offset: 0, expected: "Expected an object, got one that is nested too deeply." };
  }
}

/** Messages by the parser's error code. */
const sentences: Readonly<Record<number, string>> = {
  1: "Expected a value, got an unknown word. Strings need double quotes.",
  2: "Expected a valid JSON number.",
  3: "Expected a property name in double quotes.",
  4: "Expected a value.",
  5: "Expected a colon after the property name.",
  6: "Expected a comma before this.",
  7: "Expected a closing brace }.",
  8: "Expected a closing bracket ].",
  9: "Expected the end of the file.",
  10: "Write a comment as // to the end of the line, or as /* … */.",
  11: "Unterminated comment: add */.",
  12: "Unterminated string: add a double quote.",
  13: "Incomplete number.",
  14: "Expected four hexadecimal digits after \\u.",
  15: "Invalid escape sequence. Write a backslash as \\\\.",
  16: "A string cannot contain a control character. Write it as \\u00XX.",
};

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
