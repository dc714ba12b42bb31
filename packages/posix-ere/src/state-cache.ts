/**
 * How much memory the states of one automaton may take, in 4-byte words: half for what they stand for, half for their
 * transitions. 8 MiB together: what a search meets again and again fits, and a hostile pattern costs time but not memory.
 */
const maxWords = 1 << 20;

/** Transitions that are no states. A state is a number above all of these: where its row of transitions begins. */
export const unknown = 0;
export const dead = 1;
export const matched = 2;

/**
 * The states of an automaton that is built while it runs, and their transitions.
 *
 * A state is what it stands for: a sorted list of positions in the program, and one number beside it. Equal ones are the
 * same state. When the memory is used up all are forgotten, and what is still needed comes again.
 */
export class StateCache {
  /** By state + symbol: the state that follows, or `unknown`, `dead`, `matched`. */
  transitions: Int32Array<ArrayBuffer> = new Int32Array(0);
  /** Counts how often everything was forgotten. */
  epoch = 0;
  private readonly width: number;
  /** By index of a state: where in `contents` it begins. The last entry is where the next one will. */
  private begins: number[] = [];
  private contents = new Int32Array(256);
  /** Open addressing: indices of states, 0 for free. */
  private table = new Int32Array(64);

  /** @param width How many symbols there are. */
  constructor(width: number) {
    this.width = Math.max(width, matched + 1);
    this.forget();
  }

  /** Makes the state that stands for the first `count` positions and `context`. May forget all others. */
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

  /** A view that is good until the next `intern`. */
  positionsOf(state: number): Int32Array {
    const index = state / this.width;
    return this.contents.subarray((this.begins[index] as number) + 1, this.begins[index + 1]);
  }

  private forget(): void {
    this.epoch++;
    this.transitions.fill(unknown);
    this.table.fill(0);
    // Index 0 is no state, so that the numbers below `width` stay free for `unknown`, `dead` and `matched`.
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
