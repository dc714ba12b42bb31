import type { CharacterSet } from "./character-set.ts";
import { choice, empty, repeat, sequence, type Tree } from "./syntax-tree.ts";

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
