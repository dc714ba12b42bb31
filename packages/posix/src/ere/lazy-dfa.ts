// Runs a program: the cache of states, the automaton that adds states as the text reaches them, and the loop over lines.
import {
  type Assertion,
  allows,
  type Context,
  decode,
  edge,
  holds,
  invalid,
  looksAhead,
  otherCharacter,
  wordCharacter,
} from "./characters.ts";
import { type Alphabet, lineEnd, needsDecoding, operation, type Program } from "./program.ts";

/**
 * Maximum memory of one automaton's states in 4-byte words: half for contents, half for transitions; 8 MiB in total. Enough for
 * what a search needs repeatedly; a hostile pattern costs time, not memory.
 */
const maxWords = 1 << 20;

/** Transitions that are not states. A state is a larger number: the start of its row of transitions. */
const unknown = 0;
export const dead = 1;
export const matched = 2;

/**
 * The states of a lazily built automaton, and their transitions.
 *
 * A state is identified by its contents: a sorted list of program positions and a context. If memory is used up, all states are
 * dropped and rebuilt as needed.
 */
export class StateCache {
  /** The next state, by state + symbol: a state, or `unknown`, `dead`, `matched`. */
  transitions: Int32Array<ArrayBuffer> = new Int32Array(0);
  /** How often all states were dropped. */
  epoch = 0;
  private readonly width: number;
  /** By state index: the offset of its contents. The last entry is that of the next state. */
  private begins: number[] = [];
  private contents = new Int32Array(256);
  /** Hash table with open addressing: state indices, 0 if free. */
  private table = new Int32Array(64);

  /** @param width number of symbols. */
  constructor(width: number) {
    this.width = Math.max(width, matched + 1);
    this.forget();
  }

  /** Returns the state with the first `count` positions and `context`. May drop all others. */
  intern(positions: Int32Array, count: number, context: number): number {
    const hash = hashOf(positions, count, context);
    const known = this.lookUp(hash, positions, count, context);
    if (known !== 0) return known * this.width;
    this.makeRoom(count + 1);
    const index = this.begins.length - 1;
    const begin = this.begins[index] as number;
    this.contents[begin] = context;
    this.contents.set(positions.subarray(0, count), begin + 1);
    this.begins.push(begin + 1 + count);
    this.insert(hash, index);
    return index * this.width;
  }

  contextOf(state: number): number {
    return this.contents[this.begins[state / this.width] as number] as number;
  }

  /** A view that is valid until the next `intern`. */
  positionsOf(state: number): Int32Array {
    const index = state / this.width;
    return this.contents.subarray((this.begins[index] as number) + 1, this.begins[index + 1]);
  }

  private forget(): void {
    this.epoch++;
    this.transitions.fill(unknown);
    this.table.fill(0);
    // Index 0 is unused, so that numbers below `width` are free for `unknown`, `dead` and `matched`.
    this.begins = [0, 0];
  }

  private makeRoom(words: number): void {
    const states = this.begins.length;
    const used = this.begins[states - 1] as number;
    if (states > 2 && (used + words > maxWords || states * this.width > maxWords)) this.forget();
    const index = this.begins.length - 1;
    this.contents = atLeast(this.contents, (this.begins[index] as number) + words);
    this.transitions = atLeast(this.transitions, (index + 1) * this.width);
    if (index * 2 >= this.table.length) this.growTable();
  }

  private lookUp(hash: number, positions: Int32Array, count: number, context: number): number {
    const mask = this.table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = this.table[slot] as number;
      if (index === 0 || this.standsFor(index, positions, count, context)) return index;
    }
  }

  private standsFor(index: number, positions: Int32Array, count: number, context: number): boolean {
    const begin = this.begins[index] as number;
    if ((this.begins[index + 1] as number) - begin !== count + 1 || this.contents[begin] !== context) return false;
    for (let n = 0; n < count; n++) if (this.contents[begin + 1 + n] !== positions[n]) return false;
    return true;
  }

  private insert(hash: number, index: number): void {
    const mask = this.table.length - 1;
    let slot = hash & mask;
    while (this.table[slot] !== 0) slot = (slot + 1) & mask;
    this.table[slot] = index;
  }

  private growTable(): void {
    this.table = new Int32Array(this.table.length * 2);
    for (let index = 1; index < this.begins.length - 1; index++) {
      const state = index * this.width;
      const positions = this.positionsOf(state);
      this.insert(hashOf(positions, positions.length, this.contextOf(state)), index);
    }
  }
}

function hashOf(positions: Int32Array, count: number, context: number): number {
  let hash = 0x811c9dc5 ^ context;
  for (let n = 0; n < count; n++) hash = Math.imul(hash ^ (positions[n] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function atLeast(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Int32Array(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
}

/** A state that survives a reset of the cache. */
interface FrozenState {
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

const newline = 0x0a;

/** Runs the automaton over bytes. */
export class LineScanner {
  private readonly dfa: LazyDfa;
  private readonly alphabet: Alphabet;
  /** Number of bytes the last `resolve` consumed. */
  private width = 1;

  constructor(dfa: LazyDfa, alphabet: Alphabet) {
    this.dfa = dfa;
    this.alphabet = alphabet;
  }

  get start(): number {
    return this.dfa.start;
  }

  /** Whether the line from `from` to `to` matches. */
  test(bytes: Uint8Array, from: number, to: number): boolean {
    return this.finish(this.run(this.start, bytes, from, to));
  }

  /** Returns the state after the bytes from `from` to `to`, which contain no newline. */
  run(begin: number, bytes: Uint8Array, from: number, to: number): number {
    const { ofByte } = this.alphabet;
    let { transitions } = this.dfa;
    let state = begin;
    for (let at = from; at < to && state > matched; ) {
      let next = transitions[state + (ofByte[bytes[at] as number] as number)] as number;
      if (next === unknown) {
        next = this.resolve(state, bytes, at, to);
        transitions = this.dfa.transitions;
        at += this.width - 1;
      }
      at++;
      state = next;
    }
    return state;
  }

  /** Whether a line that ends in `state` matches. */
  finish(state: number): boolean {
    return state > matched ? this.dfa.next(state, lineEnd) === matched : state === matched;
  }

  /**
   * Searches the lines from `from`, which must be the start of a line, to `to`.
   *
   * Returns the offset of the byte that decided the first match: within its line, or the newline after it (`to` without a
   * newline); -1 if no line matches.
   */
  search(bytes: Buffer, from: number, to: number): number {
    const { ofByte } = this.alphabet;
    let { transitions, start } = this.dfa;
    let state = start;
    // 1 for bytes that keep the start state. Skipping them avoids the table lookup (2x faster).
    const stays = new Uint8Array(256);
    if (state <= matched) return state === matched && from < to ? from : -1;
    let at = from;
    while (at < to) {
      let next = transitions[state + (ofByte[bytes[at] as number] as number)] as number;
      if (next > matched) {
        at++;
        if (next === state && next === start) {
          stays[bytes[at - 1] as number] = 1;
          while (at < to && stays[bytes[at] as number] === 1) at++;
        }
        state = next;
        continue;
      }
      if (next === unknown) {
        next = this.resolve(state, bytes, at, to);
        transitions = this.dfa.transitions;
        start = this.dfa.start;
        state = next;
        if (next > matched) at += this.width;
      }
      if (next === matched) return at;
      if (next === dead) {
        at = bytes.indexOf(newline, at) + 1;
        if (at === 0) return -1;
        state = start;
      }
    }
    const endsInLine = from < to && bytes[to - 1] !== newline;
    return endsInLine && this.finish(state) ? to : -1;
  }

  /** Returns the state after the character at `at`; sets `width`. */
  private resolve(state: number, bytes: Uint8Array, at: number, to: number): number {
    const byte = bytes[at] as number;
    let symbol = this.alphabet.ofByte[byte] as number;
    this.width = 1;
    if (symbol === needsDecoding) {
      const decoded = decode(bytes, at, to);
      this.width = decoded >>> 24;
      const codePoint = decoded & 0xff_ffff;
      symbol = codePoint === invalid ? this.alphabet.ofInvalid(byte) : this.alphabet.ofCharacter(codePoint);
    }
    return this.dfa.next(state, symbol);
  }
}
