import { createScanner, findNodeAtLocation, type JSONPath, parseTree } from "jsonc-parser/lib/esm/main.js";

/**
 * A text without one member of a list or object, and without the comma that it needs no more. Comments stay, whatever they are about:
 * `modify` of the parser loses some of them, and cuts others in half.
 */
export function removeItem(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value = root && findNodeAtLocation(root, path);
  // A property is its name and its value.
  const node = value?.parent?.type === "property" ? value.parent : value;
  if (!node) return text;
  const list = node.parent?.children ?? [];
  const before = list[list.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma = commaAfter(text, end) ?? (before && commaAfter(text, before.offset + before.length));
  const cuts = [{ from: node.offset, to: end }, ...(comma === undefined ? [] : [{ from: comma, to: comma + 1 }])];
  return cuts.sort((one, other) => other.from - one.from).reduce(cut, text);
}

/** Where the next token is, if it is a comma. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** What is left of a line that holds nothing more goes as well. */
function cut(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  const left = text.slice(0, from) + text.slice(to);
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = left.indexOf("\n", from);
  const isEmpty = start > 0 && next !== -1 && left.slice(start, next).trim() === "";
  return isEmpty ? left.slice(0, start) + left.slice(next + 1) : left;
}
