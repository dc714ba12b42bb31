// A parsed pattern, and the two ways to make it smaller: without groups, and without what cannot change whether a line matches.
import type { Assertion, CharacterSet } from "./characters.ts";

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

/**
 * Returns a tree without groups and back-references that matches whenever `tree` does.
 *
 * Without back-references the trees are equivalent. Each back-reference becomes any string over the characters of its group, so
 * that the automaton rejects most lines before the expensive match.
 */
export function withoutGroups(tree: Tree): Tree {
  const groups = new Map<number, Tree>();
  const rebuild = (node: Tree): Tree => {
    switch (node.kind) {
      case "group": {
        const item = rebuild(node.item);
        groups.set(node.index, item);
        return item;
      }
      case "back-reference":
        return repeat(choice(setsOf(groups.get(node.index) ?? empty)), 0, Infinity);
      case "repeat":
        return repeat(rebuild(node.item), node.min, node.max);
      case "sequence":
        return sequence(node.items.map(rebuild));
      case "choice":
        return choice(node.items.map(rebuild));
      default:
        return node;
    }
  };
  return rebuild(tree);
}

/** The distinct sets below `tree`. */
function setsOf(tree: Tree): Tree[] {
  const sets = new Map<CharacterSet, Tree>();
  const visit = (node: Tree): void => {
    if (node.kind === "set") sets.set(node.set, node);
    else if (node.kind === "repeat") visit(node.item);
    else if (node.kind === "sequence" || node.kind === "choice") node.items.forEach(visit);
  };
  visit(tree);
  return [...sets.values()];
}

/**
 * Removes parts that cannot change whether a line matches: `foo` is found wherever `.*foo(bar)?` is.
 *
 * A repetition at either end is reduced to its minimum. `tree` must have no groups.
 */
export function trim(tree: Tree): Tree {
  return trimEnd(trimEnd(tree, "last"), "first");
}

function trimEnd(tree: Tree, side: "first" | "last"): Tree {
  switch (tree.kind) {
    case "repeat":
      return trimRepeat(tree, side);
    case "choice": {
      const items = tree.items.map((item) => trimEnd(item, side));
      return items.some((item) => item.kind === "empty") ? empty : choice(items);
    }
    case "sequence":
      return trimSequence(tree.items, side);
    default:
      return tree;
  }
}

function trimRepeat({ item, min }: { item: Tree; min: number }, side: "first" | "last"): Tree {
  if (min === 0) return empty;
  const outermost = trimEnd(item, side);
  const others = repeat(item, min - 1, min - 1);
  return sequence(side === "first" ? [outermost, others] : [others, outermost]);
}

function trimSequence(items: readonly Tree[], side: "first" | "last"): Tree {
  const kept = [...items];
  while (kept.length > 0) {
    const at = side === "first" ? 0 : kept.length - 1;
    const outermost = trimEnd(kept[at] ?? empty, side);
    if (outermost.kind !== "empty") {
      kept[at] = outermost;
      break;
    }
    kept.splice(at, 1);
  }
  return sequence(kept);
}
