import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { compile } from "../../src/ere/index.ts";

const runs = inject("isThorough") ? 50_000 : 2_000;

/** A pattern as a tree, from which both its text and the ends of its matches are derived. */
type Node =
  | { readonly kind: "character"; readonly text: string; readonly matches: (character: string) => boolean }
  | { readonly kind: "edge"; readonly text: string; readonly holds: (before: string, after: string) => boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly items: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly min: number; readonly max: number; readonly text: string };

const isWord = (character: string) => /^[\wé]$/.test(character);

function character(text: string, pattern: RegExp): Node {
  return { kind: "character", text, matches: (one) => pattern.test(one) };
}

const characters: readonly Node[] = [
  character("a", /^a$/),
  character("b", /^b$/),
  character("-", /^-$/),
  character(".", /^.$/u),
  character("[ab]", /^[ab]$/),
  character("[^a]", /^[^a]$/u),
  character("[[:digit:]x]", /^[0-9x]$/),
  character("\\w", /^[\wé]$/),
  character("\\S", /^\S$/u),
];

const edges: readonly Node[] = [
  { kind: "edge", text: "^", holds: (before) => before === "" },
  { kind: "edge", text: "$", holds: (_, after) => after === "" },
  { kind: "edge", text: "\\<", holds: (before, after) => !isWord(before) && isWord(after) },
  { kind: "edge", text: "\\>", holds: (before, after) => isWord(before) && !isWord(after) },
  { kind: "edge", text: "\\b", holds: (before, after) => isWord(before) !== isWord(after) },
  { kind: "edge", text: "\\B", holds: (before, after) => isWord(before) === isWord(after) },
];

const repeats = [
  [0, Number.POSITIVE_INFINITY, "*"],
  [1, Number.POSITIVE_INFINITY, "+"],
  [0, 1, "?"],
  [2, 2, "{2}"],
  [3, 3, "{3}"],
  [0, 2, "{0,2}"],
  [1, 3, "{1,3}"],
  [2, Number.POSITIVE_INFINITY, "{2,}"],
] as const;

const nodes = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...characters, ...characters, ...edges),
    fc.array(tie("node"), { minLength: 2, maxLength: 3 }).map((items): Node => ({ kind: "sequence", items })),
    fc.array(tie("node"), { minLength: 2, maxLength: 3 }).map((items): Node => ({ kind: "choice", items })),
    fc
      .tuple(tie("node"), fc.constantFrom(...repeats))
      .map(([item, [min, max, text]]): Node => ({ kind: "repeat", item, min, max, text })),
  ),
})).node;

function textOf(node: Node): string {
  switch (node.kind) {
    case "sequence":
      return node.items.map((item) => (item.kind === "choice" ? `(${textOf(item)})` : textOf(item))).join("");
    case "choice":
      return node.items.map(textOf).join("|");
    case "repeat":
      return node.item.kind === "character" ? `${textOf(node.item)}${node.text}` : `(${textOf(node.item)})${node.text}`;
    default:
      return node.text;
  }
}

/** Returns where matches of `node` that start at one of `places` can end; a repetition applies its item again and again. */
function ends(node: Node, text: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  switch (node.kind) {
    case "character":
      return new Set([...places].filter((at) => at < text.length && node.matches(text[at] ?? "")).map((at) => at + 1));
    case "edge":
      return new Set([...places].filter((at) => node.holds(text[at - 1] ?? "", text[at] ?? "")));
    case "sequence":
      return node.items.reduce((reached, item) => ends(item, text, reached), places);
    case "choice":
      return new Set(node.items.flatMap((item) => [...ends(item, text, places)]));
    case "repeat": {
      const all = new Set<number>();
      let reached = places;
      // More rounds than characters reach no new place.
      for (let round = 0; round <= Math.min(node.max, node.min + text.length + 1); round++) {
        if (round >= node.min) for (const place of reached) all.add(place);
        reached = ends(node.item, text, reached);
      }
      return all;
    }
  }
}

const lines = fc.array(fc.constantFrom("a", "b", "-", "x", "7", " ", "é"), { maxLength: 8 });

test("matches exactly what its definition says, for any pattern and line", { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(nodes, fc.array(lines, { minLength: 5, maxLength: 10 }), (node, all) => {
      const regex = compile(textOf(node));
      for (const line of all) {
        const starts = new Set(Array.from({ length: line.length + 1 }, (_, at) => at));
        const bytes = Buffer.from(line.join(""));
        const expected = ends(node, line, starts).size > 0;
        expect(regex.test(bytes), line.join("")).toBe(expected);
        // An empty text has no line to search.
        if (bytes.length > 0) expect(regex.search(bytes) >= 0, line.join("")).toBe(expected);
      }
    }),
    { numRuns: runs },
  );
});
