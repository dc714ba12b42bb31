import { type CharacterSet, keyOf } from "./character-set.ts";
import { PatternError } from "./pattern-error.ts";
import type { Assertion, Tree } from "./syntax-tree.ts";

/**
 * Maximum number of instructions of a pattern; more is "Memory exhausted".
 *
 * Enough for `x{1,32767}`, the largest interval, twice over. It bounds the work per character, which makes every search linear.
 */
const maxInstructions = 1 << 17;

/** What an instruction does. `first` and `second` are its operands. */
export const operation = {
  /** Consumes a character in set `second`; continues at `first`. */
  take: 0,
  /** Continues at `first` and at `second`. */
  fork: 1,
  /** Continues at `first` if assertion `second` holds here. */
  assert: 2,
  /** The pattern matches. */
  match: 3,
} as const;

/** A pattern as a nondeterministic automaton over characters. */
export interface Program {
  readonly operations: Uint8Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly start: number;
  readonly sets: readonly CharacterSet[];
  readonly assertions: readonly Assertion[];
}

/** Compiles a tree. @throws PatternError REG_ESPACE if the pattern becomes too long. */
export function assemble(tree: Tree): Program {
  return new Assembler().program(tree);
}

/** Works backwards: an instruction is emitted once its successor is known. */
class Assembler {
  private readonly operations: number[] = [];
  private readonly first: number[] = [];
  private readonly second: number[] = [];
  private readonly sets: CharacterSet[] = [];
  private readonly setByKey = new Map<string, number>();
  private readonly setByIdentity = new Map<CharacterSet, number>();
  private readonly assertions: Assertion[] = [];

  program(tree: Tree): Program {
    const start = this.node(tree, this.emit(operation.match, -1, -1));
    return {
      operations: Uint8Array.from(this.operations),
      first: Int32Array.from(this.first),
      second: Int32Array.from(this.second),
      start,
      sets: this.sets,
      assertions: this.assertions,
    };
  }

  private emit(code: number, first: number, second: number): number {
    if (this.operations.length >= maxInstructions) throw new PatternError("REG_ESPACE");
    this.first.push(first);
    this.second.push(second);
    return this.operations.push(code) - 1;
  }

  /** Emits `tree` so that it continues at `next`; returns its first instruction. */
  private node(tree: Tree, next: number): number {
    switch (tree.kind) {
      case "empty":
        return next;
      case "set":
        return this.emit(operation.take, next, this.setIndex(tree.set));
      case "assertion":
        return this.emit(operation.assert, next, this.assertionIndex(tree.assertion));
      case "sequence":
        return tree.items.reduceRight((after, item) => this.node(item, after), next);
      case "choice":
        return tree.items
          .map((item) => this.node(item, next))
          .reduceRight((after, item) => this.emit(operation.fork, item, after));
      case "repeat":
        return this.repeat(tree.item, tree.min, tree.max, next);
      case "group":
        return this.node(tree.item, next);
      case "back-reference":
        throw new TypeError("The automaton does not support back-references.");
      default:
        return tree satisfies never;
    }
  }

  private repeat(item: Tree, min: number, max: number, next: number): number {
    let start = next;
    let rounds = min;
    if (max === Infinity) {
      const loop = this.emit(operation.fork, -1, next);
      const body = this.node(item, loop);
      this.first[loop] = body;
      // The loop's body counts as the last required round.
      start = min > 0 ? body : loop;
      rounds = Math.max(0, min - 1);
    } else {
      for (let n = min; n < max; n++) start = this.emit(operation.fork, this.node(item, start), next);
    }
    for (let n = 0; n < rounds; n++) start = this.node(item, start);
    return start;
  }

  private setIndex(set: CharacterSet): number {
    const known = this.setByIdentity.get(set);
    if (known !== undefined) return known;
    const key = keyOf(set);
    const index = this.setByKey.get(key) ?? this.sets.push(set) - 1;
    this.setByKey.set(key, index);
    this.setByIdentity.set(set, index);
    return index;
  }

  private assertionIndex(assertion: Assertion): number {
    const known = this.assertions.indexOf(assertion);
    return known >= 0 ? known : this.assertions.push(assertion) - 1;
  }
}
