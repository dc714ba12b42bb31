import type { CharacterSet } from "./character-set.ts";

/** A condition between two characters. The two word edges together are `\b`, the two insides `\B`. */
export type Assertion = "line-start" | "line-end" | "word-start" | "word-end" | "inside-word" | "outside-word";

/** A parsed pattern. */
export type Tree =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly Tree[] }
  | { readonly kind: "choice"; readonly items: readonly Tree[] }
  | { readonly kind: "repeat"; readonly item: Tree; readonly min: number; readonly max: number }
  | { readonly kind: "group"; readonly index: number; readonly item: Tree }
  | { readonly kind: "back-reference"; readonly index: number };

/** Matches the empty string. */
export const empty: Tree = { kind: "empty" };

/** Concatenates, leaving out empty items. */
export function sequence(items: readonly Tree[]): Tree {
  const kept = items.filter((item) => item.kind !== "empty");
  return kept.length > 1 ? { kind: "sequence", items: kept } : (kept[0] ?? empty);
}

/** Alternation. */
export function choice(items: readonly Tree[]): Tree {
  return items.length > 1 ? { kind: "choice", items } : (items[0] ?? empty);
}

/**
 * Repeats `item` from `min` to `max` times; `max` may be infinite.
 *
 * Nested repetitions are merged if equivalent, so `a**…*` is no deeper than `a*`.
 */
export function repeat(item: Tree, min: number, max: number): Tree {
  if (max === 0 || item.kind === "empty") return empty;
  if (min === 1 && max === 1) return item;
  if (item.kind === "repeat" && leavesNoGap(item, min, max)) {
    return repeat(item.item, item.min * min, item.max * max);
  }
  return { kind: "repeat", item, min, max };
}

/** Whether the repetitions of k and k + 1 rounds together cover every count in between, so that nesting can be merged. */
function leavesNoGap(inner: { min: number; max: number }, min: number, max: number): boolean {
  if (inner.min <= 1 || min === max) return inner.max !== 0;
  return min > 0 && min * inner.max + 1 >= (min + 1) * inner.min;
}
