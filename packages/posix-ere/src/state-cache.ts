/**
 * Maximum memory of one automaton's states in 4-byte words: half for contents, half for transitions; 8 MiB in total. Enough for
 * what a search needs repeatedly; a hostile pattern costs time, not memory.
 */
const maxWords = 1 << 20;

/** Transitions that are not states. A state is a larger number: the start of its row of transitions. */
export const unknown = 0;
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
