import { isWordCharacter } from "@ikigai/posix-classes";
import { upperCase } from "./case-folding.ts";
import { type CharacterSet, contains, reachesBeyondAscii } from "./character-set.ts";
import { type Context, edge, otherCharacter, wordCharacter } from "./context.ts";

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
