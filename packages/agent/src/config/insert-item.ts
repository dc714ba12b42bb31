import { findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser/lib/esm/main.js";
import { commaAfter } from "./remove-item.ts";

/**
 * Inserts an item into a list in a text, at an index that is not 0: below the item before it and the comment at the end of
 * that line, which the parser's `modify` would move to the new item.
 */
export function insertItem(text: string, path: JSONPath, item: Readonly<Record<string, string>>): string {
  const list = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true }) ?? failed(path), path.slice(0, -1));
  const before = list?.children?.[Number(path.at(-1)) - 1] ?? failed(path);
  const content = `{ ${Object.entries(item).map((member) => member.map((part) => JSON.stringify(part)).join(": "))} }`;
  const end = before.offset + before.length;
  const comma = commaAfter(text, end);
  const after = comma === undefined ? end : comma + 1;
  const lineStart = text.lastIndexOf("\n", before.offset) + 1;
  const [indent = ""] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  const isAtLineStart = lineStart + indent.length === before.offset;
  const [comment, lineEnd] = /^(?:[ \t]|\/\*[^\n]*?\*\/)*(?:\/\/[^\r\n]*)?(\r?\n)/.exec(text.slice(after)) ?? [];
  const isOwnLine = isAtLineStart && comment !== undefined && lineEnd !== undefined;
  const at = isOwnLine ? after + comment.length - lineEnd.length : after;
  const inserted = `${isOwnLine ? `${lineEnd}${indent}` : " "}${content}${comma === undefined ? "" : ","}`;
  const withItem = text.slice(0, at) + inserted + text.slice(at);
  return comma === undefined ? `${withItem.slice(0, end)},${withItem.slice(end)}` : withItem;
}

function failed(path: JSONPath): never {
  throw new Error(`The list has no item before ${path.join(".")}.`);
}
