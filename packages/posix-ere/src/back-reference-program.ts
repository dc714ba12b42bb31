import type { CharacterSet } from "./character-set.ts";
import { PatternError } from "./pattern-error.ts";
import type { Assertion, Tree } from "./syntax-tree.ts";

/** Maximum number of instructions for a pattern with back-references; more is "Memory exhausted". */
const maxInstructions = 1 << 16;

/** An instruction of a pattern with back-references. `next` is the following one. */
export type Instruction =
  | { readonly kind: "take"; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: "fork"; next: number; readonly other: number }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number }
  /** Records the position as the start (even slot) or end (odd) of a group. */
  | { readonly kind: "mark"; readonly slot: number; readonly next: number }
  /** Matches the text of the group whose start is in `slot`. */
  | { readonly kind: "again"; readonly slot: number; readonly next: number }
  | { readonly kind: "match" };

/** A pattern with back-references as instructions. */
export interface BackReferenceProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Number of recorded positions: two for each referenced group. */
  readonly slots: number;
}

/** Compiles a pattern with back-references. @throws PatternError REG_ESPACE if it becomes too long. */
export function assembleWithGroups(tree: Tree, referenced: ReadonlySet<number>): BackReferenceProgram {
  const slotOf = new Map([...referenced].map((index, order) => [index, order * 2]));
  const instructions: Instruction[] = [];
  const emit = (instruction: Instruction): number => {
    if (instructions.length >= maxInstructions) throw new PatternError("REG_ESPACE");
    return instructions.push(instruction) - 1;
  };
  const fork = (next: number, other: number) => emit({ kind: "fork", next, other });

  const repeat = (item: Tree, min: number, max: number, next: number): number => {
    let start = next;
    if (max === Infinity) {
      const loop: Instruction = { kind: "fork", next: -1, other: next };
      start = emit(loop);
      loop.next = write(item, start);
    } else {
      for (let round = min; round < max; round++) start = fork(write(item, start), next);
    }
    for (let round = 0; round < min; round++) start = write(item, start);
    return start;
  };

  /** Emits `node` so that it continues at `next`; returns its first instruction. */
  const write = (node: Tree, next: number): number => {
    switch (node.kind) {
      case "empty":
        return next;
      case "set":
        return emit({ kind: "take", set: node.set, next });
      case "assertion":
        return emit({ kind: "assert", assertion: node.assertion, next });
      case "sequence":
        return node.items.reduceRight((after, item) => write(item, after), next);
      case "choice":
        return node.items.map((item) => write(item, next)).reduceRight((after, item) => fork(item, after));
      case "repeat":
        return repeat(node.item, node.min, node.max, next);
      case "group": {
        const slot = slotOf.get(node.index);
        if (slot === undefined) return write(node.item, next);
        const end = emit({ kind: "mark", slot: slot + 1, next });
        return emit({ kind: "mark", slot, next: write(node.item, end) });
      }
      case "back-reference":
        return emit({ kind: "again", slot: slotOf.get(node.index) ?? 0, next });
      default:
        return node satisfies never;
    }
  };

  const start = write(tree, emit({ kind: "match" }));
  return { instructions, start, slots: slotOf.size * 2 };
}
