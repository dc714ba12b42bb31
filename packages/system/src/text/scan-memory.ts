// Memory that files are read into, and what searches it: JavaScript first, then the literals and functions of scan.wat.
import { scanModule } from "./scan-module.ts";

/** Returns the first offset from `from` at which a literal is that ends by `to`, or -1. */
type FindLiteral = (bytes: Buffer, from: number, to: number) => number;

/** Prepares a search for the first of several texts; `undefined` where that is not worth it. */
type FindLiterals = (texts: readonly string[], ignoreCase: boolean) => FindLiteral | undefined;

const newline = 0x0a;

/** Below this, counting byte by byte is faster. Typical between two matching lines. */
const fewBytes = 256;

/** After this many words a byte of the sum could overflow. */
const maxRounds = 124;

/** Counts the newlines from `from` to `to`, four bytes at a time in long ranges. */
function countNewlines(bytes: Buffer, from: number, to: number): number {
  if (to - from < fewBytes) return countOneByOne(bytes, from, to);
  const firstWord = (bytes.byteOffset + from + 3) >> 2;
  const lastWord = (bytes.byteOffset + to) >> 2;
  const words = new Int32Array(bytes.buffer, 0, lastWord);
  const inWords = countInWords(words, firstWord, lastWord);
  const before = countOneByOne(bytes, from, firstWord * 4 - bytes.byteOffset);
  return before + inWords + countOneByOne(bytes, lastWord * 4 - bytes.byteOffset, to);
}

function countOneByOne(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === newline) count++;
  return count;
}

function countInWords(words: Int32Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + maxRounds);
    let sums = 0;
    for (; at < end; at++) {
      // The highest bit of each byte becomes 0 if the byte is a newline; all other bits become 1.
      const other = (words[at] as number) ^ 0x0a0a_0a0a;
      sums += ~(((other & 0x7f7f_7f7f) + 0x7f7f_7f7f) | other | 0x7f7f_7f7f) >>> 7;
    }
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + ((sums >>> 24) & 0xff);
  }
  return count;
}

/** `scan.wat` describes the layout of a set. */
const headerBytes = 128;
const tablesAt = 32;
const vectorBytes = 16;

/** The scan looks at bytes that are rare in text and source code. These are frequent, the most frequent first. */
const frequent = ' etosrnia0\n-lcduh=mfp12_\t:gw.bk6yTv,345q)"(/';

/** The difference between an upper case and a lower case letter. */
const caseBit = 0x20;

/** Returns the size of a set of literals in the memory of `scan.wat`, in bytes. */
function literalSetBytes(literals: readonly Buffer[]): number {
  return literals.reduce((sum, { length }) => sum + 8 + paddedLength(length) * 2, headerBytes);
}

/** Writes a set of literals to unused `memory` at `set`. Several literals must have at least 3 bytes each. */
function writeLiteralSet(memory: Buffer, set: number, literals: readonly Buffer[], ignoreCase: boolean): void {
  const bitsOf = (byte: number) => (ignoreCase && /[a-z]/i.test(String.fromCharCode(byte)) ? caseBit : 0);
  const shortest = Math.min(...literals.map(({ length }) => length));
  const offsets = rarestOffsets(literals, shortest);
  const header = [shortest, ...offsets, set + literalSetBytes(literals)];
  for (const [index, value] of header.entries()) memory.writeUInt32LE(value, set + index * 4);
  let at = set + headerBytes;
  for (const [index, literal] of literals.entries()) {
    // Eight buckets share the literals.
    const bucket = 1 << (index & 7);
    for (const [place, offset] of offsets.entries()) {
      const byte = literal[offset] as number;
      const writeTables = literals.length === 1 ? writeByte : addToBucket;
      writeTables(memory, set + tablesAt + place * 2 * vectorBytes, byte, bitsOf(byte), bucket);
    }
    memory.writeUInt32LE(literal.length, at);
    memory.writeUInt32LE(bucket, at + 4);
    at += 8;
    for (let from = 0; from < paddedLength(literal.length); from++) {
      // The padding equals every byte.
      const byte = literal[from] ?? 0xff;
      const bits = from < literal.length ? bitsOf(byte) : 0xff;
      const vector = at + from - (from % vectorBytes);
      memory[vector + from] = bits;
      memory[vector + from + vectorBytes] = byte | bits;
    }
    at += paddedLength(literal.length) * 2;
  }
}

function paddedLength(length: number): number {
  return Math.ceil(length / vectorBytes) * vectorBytes;
}

/** Returns the three offsets with the rarest bytes; short literals repeat the last one. */
function rarestOffsets(literals: readonly Buffer[], shortest: number): [number, number, number] {
  const frequencyAt = (offset: number) =>
    literals.reduce((sum, literal) => {
      const rank = frequent.indexOf(String.fromCharCode(literal[offset] as number).toLowerCase());
      return rank < 0 ? sum : sum + frequent.length - rank;
    }, 0);
  const sorted = Array.from({ length: shortest }, (_, offset) => ({ offset, frequency: frequencyAt(offset) }));
  sorted.sort((a, b) => a.frequency - b.frequency);
  const [first, second = first, third = second] = sorted.map(({ offset }) => offset);
  return [first as number, second as number, third as number];
}

/** Writes the tables of `findOne`: the bits to set, and the byte to expect. */
function writeByte(memory: Buffer, table: number, byte: number, bits: number): void {
  memory.fill(bits, table, table + vectorBytes);
  memory.fill(byte | bits, table + vectorBytes, table + 2 * vectorBytes);
}

/** Adds to the tables of `findAny`: those of a byte's low half, and of its high half. */
function addToBucket(memory: Buffer, table: number, byte: number, bits: number, bucket: number): void {
  for (const either of [byte, byte ^ bits]) {
    const low = table + (either & 15);
    const high = table + vectorBytes + (either >> 4);
    memory[low] = (memory[low] as number) | bucket;
    memory[high] = (memory[high] as number) | bucket;
  }
}

/** Memory to read files into, with what searches it. */
export interface ScanMemory {
  /** Returns `length` bytes; only the last ones are usable. Their beginning may already have the content of the former ones. */
  readonly allocate: (length: number) => Buffer;
  /** Counts the newlines in allocated bytes from `from` to `to`. */
  readonly countNewlines: (bytes: Buffer, from: number, to: number) => number;
  /** Finds literals in allocated bytes; absent: the regular expression's own search. */
  readonly findLiterals?: FindLiterals;
}

/** Searches in JavaScript. */
export const plainMemory: ScanMemory = { allocate: Buffer.allocUnsafeSlow, countNewlines };

/** The first page has scratch memory and the sets of literals. */
const pageBytes = 65_536;
const firstSetAt = 16;

/** How far `scan.wat` reads beyond the bytes it searches. */
const slackBytes = 16;

/** With several shorter texts the automaton is as fast. */
const minBytes = 3;

/** The exports of `scan.wat`. Positions are addresses in `memory`; those that find return -1 if there is nothing. */
interface Scan {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly count: (from: number, to: number) => number;
  readonly findOne: (set: number, from: number, to: number) => number;
  readonly findAny: (set: number, from: number, to: number) => number;
}

/** The part of WebAssembly that is used: Node's types lack it. `undefined` with `node --jitless`. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object) => { readonly exports: Scan };
      readonly CompileError: new () => Error;
    }
  | undefined;

/** Creates memory that SIMD instructions search; `undefined` where they are missing, or if `IKIGAI_NO_SIMD` is set. */
export function createSimdMemory(): ScanMemory | undefined {
  if (process.env.IKIGAI_NO_SIMD || typeof WebAssembly === "undefined") return undefined;
  try {
    const module = new WebAssembly.Module(Buffer.from(scanModule, "base64"));
    return toMemory(new WebAssembly.Instance(module).exports);
  } catch (error) {
    // No SIMD, or no address space for the memory.
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function toMemory({ memory, count, findOne, findAny }: Scan): ScanMemory {
  let nextSet = firstSetAt;
  return { allocate, countNewlines: count_, findLiterals };

  function allocate(length: number): Buffer {
    const missing = pageBytes + length + slackBytes - memory.buffer.byteLength;
    // Keeps the content. Earlier buffers become empty.
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    return Buffer.from(memory.buffer, pageBytes, length);
  }

  function count_({ byteOffset }: Buffer, from: number, to: number): number {
    return count(byteOffset + from, byteOffset + to);
  }

  function findLiterals(texts: readonly string[], ignoreCase: boolean): FindLiteral | undefined {
    const literals = texts.map((text) => Buffer.from(text));
    const isOne = literals.length === 1;
    const set = nextSet;
    const end = set + literalSetBytes(literals);
    if (end > pageBytes || (!isOne && literals.some(({ length }) => length < minBytes))) return undefined;
    nextSet = end;
    writeLiteralSet(Buffer.from(memory.buffer), set, literals, ignoreCase);
    const find = isOne ? findOne : findAny;
    return ({ byteOffset }, from, to) => {
      const found = find(set, byteOffset + from, byteOffset + to);
      return found < 0 ? -1 : found - byteOffset;
    };
  }
}
