// Patterns with back-references: first their instructions, then the matcher, which tests one line.

import { isWordCharacter } from "../classes.ts";
import {
  type Assertion,
  type CharacterSet,
  type Context,
  contains,
  decode,
  edge,
  holds,
  invalid,
  otherCharacter,
  upperCase,
  wordCharacter,
} from "./characters.ts";
import { PatternError } from "./pattern-error.ts";
import type { Tree } from "./syntax-tree.ts";

/** Maximum number of instructions for a pattern with back-references; more is "Memory exhausted". */
const maxInstructions = 1 << 16;

/** An instruction of a pattern with back-references. `next` is the following one. */
type Instruction =
  | { readonly kind: "take"; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: "fork"; next: number; readonly other: number }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number }
  /** Records the position as the start (even slot) or end (odd) of a group. */
  | { readonly kind: "mark"; readonly slot: number; readonly next: number }
  /** Matches the text of the group whose start is in `slot`. */
  | { readonly kind: "again"; readonly slot: number; readonly next: number }
  | { readonly kind: "match" };

/** A pattern with back-references as instructions. */
interface BackReferenceProgram {
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

/**
 * How many states one line may take. Matching back-references is NP-hard, so there must be a limit: a line beyond it counts as
 * a match, since the automaton that ignores back-references accepts it.
 */
const maxStates = 200_000;

/** An instruction, and the positions in the line where groups start and end; -1 if unset. */
interface State {
  readonly at: number;
  readonly marks: Int32Array;
}

/**
 * Matches lines against a pattern with back-references.
 *
 * All states at one position of the line are processed before those at the next, each once. So the work is bounded by the
 * number of ways to place the groups, not by the number of ways to reach them.
 */
export class BackReferenceMatcher {
  readonly #program: BackReferenceProgram;
  readonly #ignoreCase: boolean;

  constructor(program: BackReferenceProgram, ignoreCase: boolean) {
    this.#program = program;
    this.#ignoreCase = ignoreCase;
  }

  /** Whether the line from `from` to `to` matches. */
  test(bytes: Uint8Array, from: number, to: number): boolean {
    const line = new Line(bytes, from, to, this.#ignoreCase);
    const waiting = new Map<number, Map<string, State>>();
    const none = new Int32Array(this.#program.slots).fill(-1);
    let room = maxStates;
    for (let place = from; place <= to; ) {
      const states = waiting.get(place) ?? new Map<string, State>();
      waiting.delete(place);
      add(states, { at: this.#program.start, marks: none });
      // Iterating over a map includes entries that are added meanwhile.
      for (const state of states.values()) {
        if (--room < 0) return true;
        if (this.#follow(state, place, line, states, waiting)) return true;
      }
      place += line.widthAt(place);
    }
    return false;
  }

  /** Adds the following states, here or farther on; returns true if the pattern matches. */
  #follow(state: State, place: number, line: Line, here: States, waiting: Map<number, States>): boolean {
    const { at, marks } = state;
    const instruction = this.#program.instructions[at];
    switch (instruction?.kind) {
      case "match":
        return true;
      case "fork":
        add(here, { at: instruction.next, marks });
        add(here, { at: instruction.other, marks });
        return false;
      case "assert":
        if (holds(instruction.assertion, line.contextBefore(place), line.contextAfter(place))) {
          add(here, { at: instruction.next, marks });
        }
        return false;
      case "mark":
        add(here, { at: instruction.next, marks: marks.with(instruction.slot, place) });
        return false;
      case "take": {
        const character = line.characterAt(place);
        if (character === invalid || !contains(instruction.set, character, this.#ignoreCase)) return false;
        add(statesAt(waiting, place + line.widthAt(place)), { at: instruction.next, marks });
        return false;
      }
      case "again": {
        const end = line.repeatAt(place, marks[instruction.slot] ?? -1, marks[instruction.slot + 1] ?? -1);
        if (end !== undefined) add(end === place ? here : statesAt(waiting, end), { at: instruction.next, marks });
        return false;
      }
      default:
        return false;
    }
  }
}

type States = Map<string, State>;

function add(states: States, state: State): void {
  const key = `${state.at}:${state.marks.join()}`;
  if (!states.has(key)) states.set(key, state);
}

function statesAt(waiting: Map<number, States>, place: number): States {
  const known = waiting.get(place);
  if (known) return known;
  const states: States = new Map();
  waiting.set(place, states);
  return states;
}

/** A line as characters. */
class Line {
  readonly #bytes: Uint8Array;
  readonly #from: number;
  readonly #to: number;
  readonly #ignoreCase: boolean;

  constructor(bytes: Uint8Array, from: number, to: number, ignoreCase: boolean) {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    this.#ignoreCase = ignoreCase;
  }

  /** The character at a position; `invalid` for a stray byte and at the end. */
  characterAt(place: number): number {
    return place < this.#to ? decode(this.#bytes, place, this.#to) & 0xff_ffff : invalid;
  }

  widthAt(place: number): number {
    return place < this.#to ? decode(this.#bytes, place, this.#to) >>> 24 : 1;
  }

  contextAfter(place: number): Context {
    if (place >= this.#to) return edge;
    const character = this.characterAt(place);
    return this.#kindOf(character === invalid ? (this.#bytes[place] ?? 0) : character);
  }

  contextBefore(place: number): Context {
    if (place <= this.#from) return edge;
    let start = place - 1;
    while (start > this.#from && place - start < 4 && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start--;
    // A byte that only looks like the end of a character counts as a character itself.
    return this.contextAfter(start + this.widthAt(start) === place ? start : place - 1);
  }

  /** Returns where a repetition of the text from `start` to `end` ends, if it occurs at `place`; otherwise `undefined`. */
  repeatAt(place: number, start: number, end: number): number | undefined {
    if (start < 0 || end < start) return undefined;
    let at = place;
    for (let from = start; from < end; ) {
      const wanted = this.characterAt(from);
      const found = this.characterAt(at);
      const isSame = wanted === invalid ? this.#bytes[from] === this.#bytes[at] : this.#isSame(wanted, found);
      if (at >= this.#to || !isSame) return undefined;
      from += this.widthAt(from);
      at += this.widthAt(at);
    }
    return at;
  }

  #isSame(a: number, b: number): boolean {
    return a === b || (this.#ignoreCase && b !== invalid && upperCase(a) === upperCase(b));
  }

  #kindOf(character: number): Context {
    return isWordCharacter(this.#ignoreCase ? upperCase(character) : character) ? wordCharacter : otherCharacter;
  }
}
