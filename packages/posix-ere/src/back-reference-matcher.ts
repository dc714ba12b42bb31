import { isWordCharacter } from "@ikigai/posix-classes";
import type { BackReferenceProgram } from "./back-reference-program.ts";
import { upperCase } from "./case-folding.ts";
import { contains } from "./character-set.ts";
import { type Context, edge, holds, otherCharacter, wordCharacter } from "./context.ts";
import { decode, invalid } from "./utf8.ts";

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
