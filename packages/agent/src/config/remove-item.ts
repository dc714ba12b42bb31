import { createScanner, findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser/lib/esm/main.js";

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
