import { type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";

/** What a text of JSON with comments holds, or where it ends to be that, and what was expected there. */
export type ParsedConfig = { readonly root: Node | undefined } | { readonly offset: number; readonly expected: string };

/** Trailing commas are allowed, as in most files of JSON with comments. An empty text, or only comments, holds nothing. */
export function parseConfig(text: string): ParsedConfig {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (error instanceof RangeError)
      return { offset: 0, expected: "Expected an object, got lists or objects nested too deeply." };
    throw error;
  }
  const [first] = errors;
  if (!first) return { root };
  const got = text.slice(first.offset).trim() === "" ? "the end of the file" : "something else";
  return { offset: first.offset, expected: sentences[first.error] ?? `Expected a value, got ${got}.` };
}

/** By the codes of the parser. */
const sentences: Readonly<Record<number, string>> = {
  1: "Expected a value, got a word that JSON does not have. Texts stand in double quotes.",
  2: "Expected a number as JSON writes it.",
  3: "Expected a property name in double quotes.",
  4: "Expected a value.",
  5: "Expected a colon after the property name.",
  6: "Expected a comma before this.",
  7: "Expected a closing brace }.",
  8: "Expected a closing bracket ].",
  9: "Expected the end of the file.",
  10: "Comments are // to the end of the line, or /* to */.",
  11: "This comment has no end: */ is missing.",
  12: "This text has no end: a double quote is missing.",
  13: "This number has no end.",
  14: "Expected four hexadecimal digits after \\u.",
  15: "JSON has no such escape. Write a backslash as \\\\.",
  16: "Texts cannot hold a control character. Write it as \\u00XX.",
};
