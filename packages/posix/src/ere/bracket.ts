// Parses a bracket expression, such as `[^a-z[:digit:]]`.

import { type CharacterClass, isCharacterClass } from "../classes.ts";
import { type CharacterSet, upperCase } from "./characters.ts";
import { PatternError } from "./pattern-error.ts";

/** The longest name glibc reads between `[:` and `:]`, in bytes. */
const maxNameBytes = 31;

const openBracket = 0x5b;
const closeBracket = 0x5d;
const hyphen = 0x2d;
const caret = 0x5e;

/** The delimiters of `[:class:]`, `[.symbol.]` and `[=equivalents=]`. */
const kinds = new Map<number | undefined, "class" | "symbol" | "equivalents">([
  [0x3a, "class"],
  [0x2e, "symbol"],
  [0x3d, "equivalents"],
]);

type Element =
  | { readonly kind: "character"; readonly character: number }
  | { readonly kind: "symbol" | "equivalents" | "class"; readonly name: string };

/**
 * Parses the bracket expression whose `[` is just before `start`.
 *
 * Ranges are by code point. With `ignoreCase` characters are converted
 * to upper case first, as in glibc: `[Z-a]` is an invalid range.
 */
export function parseBracket(
  pattern: readonly number[],
  start: number,
  ignoreCase: boolean,
): { readonly set: CharacterSet; readonly end: number } {
  return new BracketParser(pattern, start, ignoreCase).parse();
}

class BracketParser {
  private readonly pattern: readonly number[];
  private readonly ignoreCase: boolean;
  private readonly ranges: (readonly [number, number])[] = [];
  private readonly classes: CharacterClass[] = [];
  private at: number;

  constructor(pattern: readonly number[], start: number, ignoreCase: boolean) {
    this.pattern = pattern;
    this.ignoreCase = ignoreCase;
    this.at = start;
  }

  parse() {
    if (this.next === undefined) throw new PatternError("REG_BADPAT");
    const negated = this.next === caret;
    if (negated) this.at++;
    if (this.next === undefined) throw new PatternError("REG_BADPAT");
    // A leading `]` or hyphen is an ordinary character.
    do this.item();
    while (this.next !== closeBracket);
    return { set: { ranges: this.ranges, classes: this.classes, negated }, end: this.at + 1 };
  }

  private get next(): number | undefined {
    return this.pattern[this.at];
  }

  private isFirst = true;

  private item(): void {
    const from = this.element(this.isFirst);
    this.isFirst = false;
    const mayStartRange = from.kind === "character" || from.kind === "symbol";
    if (mayStartRange && this.next === hyphen && this.pattern[this.at + 1] !== closeBracket) {
      this.at++;
      this.addRange(from, this.element(true));
    } else {
      this.add(from);
    }
    if (this.next === undefined) throw new PatternError("REG_EBRACK");
  }

  private element(mayBeHyphen: boolean): Element {
    const character = this.next;
    if (character === undefined) throw new PatternError("REG_EBRACK");
    this.at++;
    const kind = character === openBracket ? kinds.get(this.next) : undefined;
    if (kind !== undefined) return this.named(kind);
    if (character === hyphen && !mayBeHyphen && this.next !== closeBracket) throw new PatternError("REG_ERANGE");
    return { kind: "character", character: this.fold(character) };
  }

  private named(kind: "symbol" | "equivalents" | "class"): Element {
    const delimiter = this.next;
    const start = ++this.at;
    while (this.next !== delimiter || this.pattern[this.at + 1] !== closeBracket) {
      if (this.next === undefined) throw new PatternError("REG_EBRACK");
      this.at++;
    }
    const name = String.fromCodePoint(...this.pattern.slice(start, Math.min(this.at, start + maxNameBytes + 1)));
    if (Buffer.byteLength(name) > maxNameBytes) throw new PatternError("REG_EBRACK");
    this.at += 2;
    return { kind, name };
  }

  private add(element: Element): void {
    if (element.kind === "class") {
      this.addClass(element.name);
    } else {
      const character = this.characterOf(element);
      this.ranges.push([character, character]);
    }
  }

  private addClass(name: string): void {
    if (!isCharacterClass(name)) throw new PatternError("REG_ECTYPE");
    this.classes.push(this.ignoreCase && (name === "upper" || name === "lower") ? "alpha" : name);
  }

  private addRange(from: Element, to: Element): void {
    if (from.kind === "class" || from.kind === "equivalents" || to.kind === "class" || to.kind === "equivalents") {
      throw new PatternError("REG_ERANGE");
    }
    const [first, last] = [this.characterOf(from), this.characterOf(to)];
    if (first > last) throw new PatternError("REG_ERANGE");
    this.ranges.push([first, last]);
  }

  /** Without collation rules, a collating symbol is a single character, equivalent only to itself. */
  private characterOf(element: Exclude<Element, { kind: "class" }>): number {
    if (element.kind === "character") return element.character;
    const [character, ...more] = Array.from(element.name, (text) => text.codePointAt(0) as number);
    if (character === undefined || more.length > 0) throw new PatternError("REG_ECOLLATE");
    return this.fold(character);
  }

  private fold(character: number): number {
    return this.ignoreCase ? upperCase(character) : character;
  }
}
