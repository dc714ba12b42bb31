import { createScanner, findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser/lib/esm/main.js";

/**
 * Inserts an item into a list in a text, at an index that is not 0: below the item before it and the comment at the end of
 * that line, which the parser's `modify` would move to the new item.
 */
export function insertItem(text: string, path: JSONPath, item: Readonly<Record<string, string>>): string {
  const list = nodeAt(text, path.slice(0, -1));
  const before = list?.children?.[Number(path.at(-1)) - 1] ?? failed(path);
  const content = `{ ${Object.entries(item).map((member) => member.map((part) => JSON.stringify(part)).join(": "))} }`;
  return insertAfter(text, before, () => content);
}

/**
 * Inserts a property as the last one of an object in a text that has others, like `insertItem`; `undefined` if there is no such object,
 * or it is empty or has the property.
 *
 * @param unit the white space of one level of indentation.
 */
export function insertProperty(text: string, path: JSONPath, value: unknown, unit: string): string | undefined {
  const object = nodeAt(text, path.slice(0, -1));
  const before = object?.type === "object" ? object.children?.at(-1) : undefined;
  if (before === undefined || nodeAt(text, path) !== undefined) return undefined;
  const name = `${JSON.stringify(path.at(-1))}: `;
  return insertAfter(text, before, (lineStart) =>
    lineStart === undefined
      ? `${name}${JSON.stringify(value)}`
      : `${name}${JSON.stringify(value, undefined, unit).replaceAll("\n", lineStart)}`,
  );
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, path);
}

/** @param contentFor gets the line break and indentation of the new line; `undefined` if the content stays on the line of the item before. */
function insertAfter(text: string, before: Node, contentFor: (lineStart: string | undefined) => string): string {
  const end = before.offset + before.length;
  const comma = commaAfter(text, end);
  const after = comma === undefined ? end : comma + 1;
  const lineStart = text.lastIndexOf("\n", before.offset) + 1;
  const [indent = ""] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  const isAtLineStart = lineStart + indent.length === before.offset;
  const [comment, lineEnd] = /^(?:[ \t]|\/\*[^\n]*?\*\/)*(?:\/\/[^\r\n]*)?(\r?\n)/.exec(text.slice(after)) ?? [];
  const isOwnLine = isAtLineStart && comment !== undefined && lineEnd !== undefined;
  const at = isOwnLine ? after + comment.length - lineEnd.length : after;
  const start = isOwnLine ? `${lineEnd}${indent}` : undefined;
  const inserted = `${start ?? " "}${contentFor(start)}${comma === undefined ? "" : ","}`;
  const withItem = text.slice(0, at) + inserted + text.slice(at);
  return comma === undefined ? `${withItem.slice(0, end)},${withItem.slice(end)}` : withItem;
}

function failed(path: JSONPath): never {
  throw new Error(`The list has no item before ${path.join(".")}.`);
}

/**
 * Removes one member of a list or object from a text, with the comma that is no longer needed. Keeps all comments: the
 * parser's `modify` loses some and cuts others in half.
 */
export function removeItem(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value = root && findNodeAtLocation(root, path);
  // A property consists of its name and value.
  const node = value?.parent?.type === "property" ? value.parent : value;
  if (!node) return text;
  const list = node.parent?.children ?? [];
  const before = list[list.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma = commaAfter(text, end) ?? (before && commaAfter(text, before.offset + before.length));
  const cuts = [{ from: node.offset, to: end }, ...(comma === undefined ? [] : [{ from: comma, to: comma + 1 }])];
  return cuts.sort((one, other) => other.from - one.from).reduce(cut, text);
}

/** The offset of the next token if it is a comma. */
export function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** Also removes the rest of a line that becomes empty. */
function cut(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  const left = text.slice(0, from) + text.slice(to);
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = left.indexOf("\n", from);
  const isEmpty = start > 0 && next !== -1 && left.slice(start, next).trim() === "";
  return isEmpty ? left.slice(0, start) + left.slice(next + 1) : left;
}
