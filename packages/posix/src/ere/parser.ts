// From text to tree: first the tokens, then the parser, as glibc's regcomp(REG_EXTENDED) reads both. Brackets are in bracket.ts.

import { parseBracket } from "./bracket.ts";
import { type Assertion, anyCharacter, type CharacterSet, digits, single, upperCase } from "./characters.ts";
import { PatternError } from "./pattern-error.ts";
import { choice, empty, repeat, sequence, type Tree } from "./syntax-tree.ts";

/** The operators of extended regular expressions. */
type Operator =
  | "open-group"
  | "close-group"
  | "open-bracket"
  | "open-interval"
  | "close-interval"
  | "star"
  | "plus"
  | "question"
  | "alternation"
  | "trailing-backslash"
  | "end";

/** `character` is the pattern's character without its meaning: an interval such as `{1\,2}` needs it. */
type Token = { readonly character: number; readonly end: number } & (
  | { readonly kind: Operator | "character" }
  | { readonly kind: "assertion"; readonly anyOf: readonly Assertion[] }
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "back-reference"; readonly index: number }
);

const operators: Readonly<Record<string, Operator>> = {
  "(": "open-group",
  ")": "close-group",
  "[": "open-bracket",
  "{": "open-interval",
  "}": "close-interval",
  "*": "star",
  "+": "plus",
  "?": "question",
  "|": "alternation",
};

const assertions: Readonly<Record<string, readonly Assertion[]>> = {
  "^": ["line-start"],
  $: ["line-end"],
  "\\`": ["line-start"],
  "\\'": ["line-end"],
  "\\<": ["word-start"],
  "\\>": ["word-end"],
  "\\b": ["word-start", "word-end"],
  "\\B": ["inside-word", "outside-word"],
};

const word = { ranges: [[0x5f, 0x5f]], classes: ["alnum"] } as const;
const space = { ranges: [], classes: ["space"] } as const;

/** In glibc `\d` and `\D` match a letter; here they match digits, as everyone who writes them expects. */
const sets: Readonly<Record<string, CharacterSet>> = {
  ".": anyCharacter,
  "\\w": { ...word, negated: false },
  "\\W": { ...word, negated: true },
  "\\s": { ...space, negated: false },
  "\\S": { ...space, negated: true },
  "\\d": digits,
  "\\D": { ...digits, negated: true },
};

/** Returns the token at `start`, outside a bracket expression; `end` is the offset of the next one. */
function tokenAt(pattern: readonly number[], start: number): Token {
  const first = pattern[start];
  if (first === undefined) return { kind: "end", character: 0, end: start };
  if (first !== 0x5c) return meaningOf(String.fromCodePoint(first), first, start + 1);
  const escaped = pattern[start + 1];
  if (escaped === undefined) return { kind: "trailing-backslash", character: first, end: start + 1 };
  if (escaped >= 0x31 && escaped <= 0x39) {
    return { kind: "back-reference", index: escaped - 0x30, character: 0, end: start + 2 };
  }
  return meaningOf(`\\${String.fromCodePoint(escaped)}`, escaped, start + 2);
}

function meaningOf(text: string, character: number, end: number): Token {
  const operator = operators[text];
  if (operator !== undefined) return { kind: operator, character, end };
  const anyOf = assertions[text];
  if (anyOf !== undefined) return { kind: "assertion", anyOf, character: 0, end };
  const set = sets[text];
  if (set !== undefined) return { kind: "set", set, character, end };
  return { kind: "character", character, end };
}

/** glibc's RE_DUP_MAX: the largest number in an interval. */
const maxRepeat = 32_767;

/** Maximum nesting of groups: deeper ones would overflow the stack, as in C. */
const maxNesting = 1_000;

/** A parsed pattern. */
interface Syntax {
  readonly tree: Tree;
  /** The groups that back-references refer to. */
  readonly referenced: ReadonlySet<number>;
}

/**
 * Parses a pattern as glibc's `regcomp(REG_EXTENDED)` does, including what
 * it accepts by accident: `a{,3}`, `a{1\,2}`, `()`, an unmatched `)`.
 *
 * With `ignoreCase`, letters in the tree are upper case.
 *
 * @throws PatternError if the pattern is invalid.
 */
export function parse(pattern: string, ignoreCase: boolean): Syntax {
  const parser = new Parser(
    Array.from(pattern.toWellFormed(), (text) => text.codePointAt(0) as number),
    ignoreCase,
  );
  return { tree: parser.alternatives(), referenced: parser.referenced };
}

class Parser {
  readonly referenced = new Set<number>();
  private readonly pattern: readonly number[];
  private readonly ignoreCase: boolean;
  private token: Token;
  private depth = 0;
  private groupCount = 0;
  /** Bit n: group n is closed before the current position in its alternative, so it may be referred to. */
  private closed = 0;

  constructor(pattern: readonly number[], ignoreCase: boolean) {
    this.pattern = pattern;
    this.ignoreCase = ignoreCase;
    this.token = tokenAt(pattern, 0);
  }

  alternatives(): Tree {
    const closedBefore = this.closed;
    const items = [this.branch()];
    let closedAfter = this.closed;
    while (this.token.kind === "alternation") {
      this.advance();
      this.closed = closedBefore;
      items.push(this.branch());
      closedAfter |= this.closed;
    }
    this.closed = closedAfter;
    return choice(items);
  }

  private advance(): void {
    this.token = tokenAt(this.pattern, this.token.end);
  }

  private branch(): Tree {
    const items: Tree[] = [];
    while (!this.endsBranch()) items.push(this.expression());
    return sequence(items);
  }

  private endsBranch(): boolean {
    const { kind } = this.token;
    return kind === "alternation" || kind === "end" || (kind === "close-group" && this.depth > 0);
  }

  private expression(): Tree {
    if (this.token.kind === "assertion") {
      const items = this.token.anyOf.map((assertion): Tree => ({ kind: "assertion", assertion }));
      this.advance();
      return choice(items);
    }
    let tree = this.atom();
    while (true) {
      const bounds = this.bounds();
      if (bounds === undefined) return tree;
      tree = repeat(tree, bounds.min, bounds.max);
    }
  }

  /** Parses a character, set, group or back-reference; the token after it becomes the current one. */
  private atom(): Tree {
    const { token } = this;
    switch (token.kind) {
      case "open-group":
        return this.group();
      case "open-bracket": {
        const { set, end } = parseBracket(this.pattern, token.end, this.ignoreCase);
        this.token = tokenAt(this.pattern, end);
        return { kind: "set", set };
      }
      case "back-reference":
        if (!(this.closed & (1 << token.index))) throw new PatternError("REG_ESUBREG");
        this.referenced.add(token.index);
        this.advance();
        return { kind: "back-reference", index: token.index };
      case "set":
        this.advance();
        return { kind: "set", set: token.set };
      case "character":
      case "close-group":
      case "close-interval":
        this.advance();
        return { kind: "set", set: single(this.ignoreCase ? upperCase(token.character) : token.character) };
      case "star":
      case "plus":
      case "question":
      case "open-interval":
        throw new PatternError("REG_BADRPT");
      case "trailing-backslash":
        throw new PatternError("REG_EESCAPE");
      case "assertion":
      case "alternation":
      case "end":
        return empty;
      default:
        return token satisfies never;
    }
  }

  private group(): Tree {
    if (++this.depth > maxNesting) throw new PatternError("REG_ESPACE");
    const index = ++this.groupCount;
    this.advance();
    const item = this.alternatives();
    if (this.token.kind !== "close-group") throw new PatternError("REG_EPAREN");
    this.depth--;
    if (index <= 9) this.closed |= 1 << index;
    this.advance();
    return { kind: "group", index, item };
  }

  private bounds(): { min: number; max: number } | undefined {
    switch (this.token.kind) {
      case "star":
        this.advance();
        return { min: 0, max: Infinity };
      case "plus":
        this.advance();
        return { min: 1, max: Infinity };
      case "question":
        this.advance();
        return { min: 0, max: 1 };
      case "open-interval":
        return this.interval();
      default:
        return undefined;
    }
  }

  /** The current token is `{`. A missing minimum is 0, a missing maximum is unlimited. */
  private interval(): { min: number; max: number } {
    const first = this.number();
    const min = first ?? 0;
    if (first === undefined && !this.isComma()) throw new PatternError("REG_BADBR");
    if (Number.isNaN(min)) throw this.badInterval();
    const second = this.token.kind === "close-interval" ? min : this.number();
    const max = second ?? Infinity;
    if (Number.isNaN(max)) throw this.badInterval();
    if (min > max || this.token.kind !== "close-interval") throw new PatternError("REG_BADBR");
    if ((max === Infinity ? min : max) > maxRepeat) throw new PatternError("REG_ESIZE");
    this.advance();
    return { min, max };
  }

  private badInterval(): PatternError {
    return new PatternError(this.token.kind === "end" ? "REG_EBRACE" : "REG_BADBR");
  }

  private isComma(): boolean {
    return this.token.kind === "character" && this.token.character === 0x2c;
  }

  /** Reads up to the next `,` or `}`: `undefined` if that is empty, NaN if it is not a number. */
  private number(): number | undefined {
    let value: number | undefined;
    while (true) {
      this.advance();
      if (this.token.kind === "end") return Number.NaN;
      if (this.token.kind === "close-interval" || this.token.character === 0x2c) return value;
      const digit = this.token.kind === "character" ? this.token.character - 0x30 : Number.NaN;
      value = digit >= 0 && digit <= 9 ? Math.min(maxRepeat + 1, (value ?? 0) * 10 + digit) : Number.NaN;
    }
  }
}
