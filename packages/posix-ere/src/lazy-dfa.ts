import { type Alphabet, lineEnd } from "./alphabet.ts";
import { allows, type Context, edge, holds, looksAhead, otherCharacter, wordCharacter } from "./context.ts";
import { operation, type Program } from "./program.ts";
import { dead, matched, StateCache, unknown } from "./state-cache.ts";
import type { Assertion } from "./syntax-tree.ts";

/** A state that survives a reset of the cache. */
export interface FrozenState {
  readonly positions: Int32Array;
  readonly context: number;
}

/** A state's context if no assertion in it waits for the next character. */
const nothingWaits = -1;

/** Symbols that a new automaton has room for, besides those of ASCII. */
const spareSymbols = 4;

/**
 * A deterministic automaton, built lazily, that decides whether a line contains a match.
 *
 * A state is the set of instructions the program may be at, before assertions about the next character are decided: they wait
 * in the set for the next symbol. So a match is detected one character late, at the latest at the end of the line.
 */
export class LazyDfa {
  /** The state at the start of a line. */
  start = 0;
  private readonly program: Program;
  private readonly alphabet: Alphabet;
  private readonly isTiedToLineStart: boolean;
  private cache: StateCache;
  private width: number;
  private epoch = 0;
  /** By instruction: the stamp of the last set that contains it. */
  private readonly stamps: Int32Array;
  private stamp = 0;
  private readonly stack: number[] = [];
  /** The set under construction: bit n for instruction n. */
  private readonly bits: Uint32Array;
  private readonly positions: Int32Array;
  private isMatch = false;
  private isWaiting = false;

  constructor(program: Program, alphabet: Alphabet) {
    const length = program.operations.length;
    this.program = program;
    this.alphabet = alphabet;
    this.stamps = new Int32Array(length);
    this.bits = new Uint32Array((length >>> 5) + 1);
    this.positions = new Int32Array(length);
    this.width = alphabet.size + spareSymbols;
    this.cache = new StateCache(this.width);
    this.isTiedToLineStart = [wordCharacter, otherCharacter].every((before) => this.isEmptyAfter(before as Context));
    this.enterLine();
  }

  /** The next state, by state + symbol. Valid until the next call of `next` or `thaw`. */
  get transitions(): Int32Array {
    return this.cache.transitions;
  }

  /** Returns the state after `symbol`. The result and `start` are valid; other states may have been dropped. */
  next(state: number, symbol: number): number {
    if (symbol >= this.width) return this.nextInWiderCache(state, symbol);
    const known = this.cache.transitions[state + symbol] as number;
    if (known !== unknown) return known;
    const { positions, context } = this.contentsOf(state);
    const target = this.step(positions, context, symbol);
    if (this.cache.epoch === this.epoch) this.cache.transitions[state + symbol] = target;
    else this.enterLine();
    return target;
  }

  freeze(state: number): FrozenState {
    if (state <= matched) return { positions: Int32Array.of(state), context: state };
    const { positions, context } = this.contentsOf(state);
    return { positions: positions.slice(), context };
  }

  thaw(state: number, { positions, context }: FrozenState): number {
    if (state <= matched) return state;
    const found = this.cache.intern(positions, positions.length, context);
    if (this.cache.epoch !== this.epoch) this.enterLine();
    return found;
  }

  private contentsOf(state: number): FrozenState {
    return { positions: this.cache.positionsOf(state), context: this.cache.contextOf(state) };
  }

  private nextInWiderCache(state: number, symbol: number): number {
    const { positions, context } = this.freeze(state);
    this.width = this.alphabet.size * 2;
    this.cache = new StateCache(this.width);
    this.enterLine();
    return this.step(positions, context, symbol);
  }

  private enterLine(): void {
    this.epoch = this.cache.epoch;
    this.clear();
    this.start = this.enter(edge);
  }

  private isEmptyAfter(before: Context): boolean {
    this.clear();
    this.expand(this.program.start, before, undefined);
    return !this.isMatch && this.collect() === 0;
  }

  private step(positions: Int32Array, before: number, symbol: number): number {
    const after = this.alphabet.contextOf(symbol);
    const { operations, first, second } = this.program;
    this.isMatch = false;
    const reached = before === nothingWaits ? positions : this.settle(positions, before as Context, after);
    if (this.isMatch) return matched;
    if (symbol === lineEnd) return this.start;
    this.clear();
    for (const position of reached) {
      const takes = operations[position] === operation.take && this.alphabet.isIn(symbol, second[position] as number);
      if (takes) this.expand(first[position] as number, after, undefined);
    }
    return this.enter(after);
  }

  /** Resolves the assertions in `positions` that wait for the character `after`; returns the resulting positions. */
  private settle(positions: Int32Array, before: Context, after: Context): Int32Array {
    this.clear();
    for (const position of positions) this.expand(position, before, after);
    return this.positions.slice(0, this.collect());
  }

  /** Interns the set under construction, plus the matches that may begin after `before`. */
  private enter(before: Context): number {
    this.expand(this.program.start, before, undefined);
    if (this.isMatch) return matched;
    const count = this.collect();
    if (count === 0 && this.isTiedToLineStart) return dead;
    return this.cache.intern(this.positions, count, this.isWaiting ? before : nothingWaits);
  }

  private clear(): void {
    this.stamp++;
    this.bits.fill(0);
    this.isMatch = false;
    this.isWaiting = false;
  }

  /** Adds what is reachable from `origin` without consuming a character. */
  private expand(origin: number, before: Context, after: Context | undefined): void {
    const { operations, first, second, assertions } = this.program;
    const { stack, stamps, stamp } = this;
    stack.push(origin);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (stamps[at] === stamp) continue;
      stamps[at] = stamp;
      const code = operations[at];
      if (code === operation.take) {
        this.add(at);
      } else if (code === operation.fork) {
        stack.push(second[at] as number, first[at] as number);
      } else if (code === operation.match) {
        this.isMatch = true;
      } else {
        const assertion = assertions[second[at] as number] as Assertion;
        if (!allows(assertion, before)) continue;
        if (!looksAhead(assertion)) stack.push(first[at] as number);
        else if (after === undefined) this.wait(at);
        else if (holds(assertion, before, after)) stack.push(first[at] as number);
      }
    }
  }

  private wait(position: number): void {
    this.isWaiting = true;
    this.add(position);
  }

  private add(position: number): void {
    this.bits[position >>> 5] = (this.bits[position >>> 5] as number) | (1 << (position & 31));
  }

  /** Writes the set to `positions` in ascending order; returns its size. */
  private collect(): number {
    let count = 0;
    for (let word = 0; word < this.bits.length; word++) {
      for (let bits = this.bits[word] as number; bits !== 0; bits &= bits - 1) {
        this.positions[count++] = (word << 5) + 31 - Math.clz32(bits & -bits);
      }
    }
    return count;
  }
}
