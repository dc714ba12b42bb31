// From tree to instructions: first the alphabet, which gives characters that the pattern does not distinguish one symbol, then the program.

import { isWordCharacter } from "../classes.ts";
import {
  type Assertion,
  type CharacterSet,
  type Context,
  contains,
  edge,
  keyOf,
  otherCharacter,
  reachesBeyondAscii,
  upperCase,
  wordCharacter,
} from "./characters.ts";
import { PatternError } from "./pattern-error.ts";
import type { Tree } from "./syntax-tree.ts";

/** The symbol of the end of a line: its `\n`, or the end of the text. */
export const lineEnd = 0;

/** The symbol of a non-ASCII byte: the character must be decoded. */
export const needsDecoding = 1;

/** Properties shared by all characters of a symbol: a class that the pattern does not distinguish. */
interface Kind {
  /** By set index: 1 if the set contains these characters. */
  readonly sets: Uint8Array;
  readonly context: Context;
}

/**
 * Maps characters to symbols: all characters in the same sets of a pattern share one.
 *
 * ASCII is mapped in advance. Other characters get their symbol when they first occur, so that `[[:alpha:]]` costs nothing for
 * the hundred thousand letters that are not in the text.
 */
export class Alphabet {
  /** By byte: its symbol, or `needsDecoding`. */
  readonly ofByte = new Uint16Array(256).fill(needsDecoding);
  private readonly sets: readonly CharacterSet[];
  private readonly ignoreCase: boolean;
  private readonly seesWords: boolean;
  private readonly symbols: Kind[] = [];
  private readonly bySignature = new Map<string, number>();
  /** Symbols by code point, in pages of 256; 0 if not yet seen. */
  private readonly pages: (Uint16Array | undefined)[] = [];

  constructor(sets: readonly CharacterSet[], options: { readonly ignoreCase: boolean; readonly seesWords: boolean }) {
    this.sets = sets;
    this.ignoreCase = options.ignoreCase;
    this.seesWords = options.seesWords;
    const nothing = new Uint8Array(sets.length);
    this.symbols.push({ sets: nothing, context: edge }, { sets: nothing, context: otherCharacter });
    for (let codePoint = 0; codePoint < 0x80; codePoint++) this.ofByte[codePoint] = this.symbolFor(codePoint);
    this.ofByte[0x0a] = lineEnd;
    if (!this.seesWords && !sets.some((set) => reachesBeyondAscii(set, this.ignoreCase))) {
      this.ofByte.fill(this.ofInvalid(0), 0x80);
    }
  }

  /** The number of symbols so far. */
  get size(): number {
    return this.symbols.length;
  }

  contextOf(symbol: number): Context {
    return (this.symbols[symbol] as Kind).context;
  }

  isIn(symbol: number, set: number): boolean {
    return (this.symbols[symbol] as Kind).sets[set] === 1;
  }

  ofCharacter(codePoint: number): number {
    const number = codePoint >>> 8;
    let page = this.pages[number];
    if (page === undefined) page = this.pages[number] = new Uint16Array(256);
    const known = page[codePoint & 0xff] as number;
    if (known !== 0) return known;
    const symbol = this.symbolFor(codePoint);
    page[codePoint & 0xff] = symbol;
    return symbol;
  }

  /** The symbol of an invalid byte: in no set; as a neighbour it counts, as in glibc, as the character with its value. */
  ofInvalid(byte: number): number {
    const isWord = this.seesWords && isWordCharacter(byte);
    return this.add(new Uint8Array(this.sets.length), isWord ? wordCharacter : otherCharacter);
  }

  private symbolFor(codePoint: number): number {
    const sets = Uint8Array.from(this.sets, (set) => (contains(set, codePoint, this.ignoreCase) ? 1 : 0));
    const seen = this.ignoreCase ? upperCase(codePoint) : codePoint;
    return this.add(sets, this.seesWords && isWordCharacter(seen) ? wordCharacter : otherCharacter);
  }

  private add(sets: Uint8Array, context: Context): number {
    const signature = `${context}${sets.join("")}`;
    const known = this.bySignature.get(signature);
    if (known !== undefined) return known;
    const symbol = this.symbols.push({ sets, context }) - 1;
    this.bySignature.set(signature, symbol);
    return symbol;
  }
}

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
