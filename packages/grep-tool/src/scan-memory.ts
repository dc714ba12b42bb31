import type { FindLiteral, FindLiterals } from "@ikigai/posix/ere";
import { countNewlines } from "./count-newlines.ts";
import { literalSetBytes, writeLiteralSet } from "./literal-set.ts";
import { scanModule } from "./scan-module.ts";

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
