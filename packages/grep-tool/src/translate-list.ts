// Reads a list of characters such as `[^\w.\]]` as other engines do, in which a backslash escapes, and writes it as POSIX does.
/** A part of a pattern has no POSIX form; the message says what to do instead. */
export class Untranslatable extends Error {}

export const acrossLines =
  "Lines are searched one by one, so '\n' cannot be in the middle: search for what is on one line, with context to see the lines around it; or run grep -Pzo with bash.";
/** A list, or one character of a lookaround. */
export interface List {
  /** In POSIX's form. */
  readonly text: string;
  /** The list of all other characters. */
  readonly others: string;
  /** The offset after it in the pattern. */
  readonly end: number;
}

/** Properties of characters, as POSIX's lists have them. */
const properties: Readonly<Record<string, string>> = {
  ...{
    l: "[:alpha:]",
    letter: "[:alpha:]",
    alphabetic: "[:alpha:]",
    alpha: "[:alpha:]",
    lu: "[:upper:]",
    uppercase: "[:upper:]",
  },
  ...{
    ll: "[:lower:]",
    lowercase: "[:lower:]",
    n: "[:digit:]",
    nd: "[:digit:]",
    digit: "[:digit:]",
    p: "[:punct:]",
    punct: "[:punct:]",
  },
  ...{
    z: "[:space:]",
    zs: "[:blank:]",
    space: "[:space:]",
    white_space: "[:space:]",
    han: "㐀-䶿一-鿿",
    hiragana: "ぁ-ゟ",
  },
  ...{
    katakana: "゠-ヿ",
    hangul: "가-힣",
    cyrillic: "Ѐ-ӿ",
    greek: "Ͱ-Ͽ",
    hebrew: "֐-׿",
    arabic: "؀-ۿ",
    ascii: "\x01-\x7f",
  },
};

/** What escapes stand for. */
const classes: Readonly<Record<string, string>> = { d: "0-9", w: "[:alnum:]_", s: "[:space:]", h: "[:blank:]" };
const characters: Readonly<Record<string, string>> = {
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  b: "\b",
  a: "\x07",
  e: "\x1b",
  n: "\n",
};

/** `\x41`, `\x{41}`, `\u0041`, `\u{41}`, `\U00000041`. */
export const characterCode = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xu]\{([0-9a-fA-F]{1,6})\})/y;

export function characterOf([, ...digits]: RegExpExecArray): string {
  const code = Number.parseInt(digits.find((text) => text !== undefined) ?? "", 16);
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
}

/** `\pL`, `\p{Lu}`, `\p{Script=Han}`, `\P{L}`. */
export const propertyExpression = /\\([pP])(?:\{\^?(?:\w+=)?(?:Is)?(\w+)\}|(\w))/y;

/** Returns what is in POSIX's list for a property, and its negation. @throws Untranslatable for an unknown one. */
export function propertyOf([text, sign, name, letter]: RegExpExecArray): [string, "" | "^"] {
  const key = (name ?? letter ?? "").toLowerCase();
  const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (known === undefined)
    throw new Untranslatable(`'${text}' is not known: write a list, such as '[[:alpha:]]' or '[Ā-ſ]'.`);
  return [known, (sign === "P") !== (text?.includes("{^") ?? false) ? "^" : ""];
}

/** A part of a list: a character, or a class with all its characters. */
type Item = { readonly character: string } | { readonly set: string; readonly isNegated: boolean };

/**
 * Reads the list that opens at `start`; `undefined` if it has no end.
 *
 * @param isFolding whether letters stand for both cases.
 * @param isSingle whether it may also be a single character or an escape, and nothing else.
 */
export function openList(pattern: string, start: number, isFolding: boolean, isSingle = false): List | undefined {
  const reader = new ListReader(pattern, start);
  if (isSingle && pattern[start] !== "[") {
    const isOther = /^(?:[()|^$.*+?{]|\\[^dDwWsShtrfvnxuUpP\W_])/.test(pattern.slice(start, start + 2));
    const item = isOther ? undefined : reader.item();
    if (item === undefined || /[*+?{]/.test(pattern.charAt(reader.at))) return undefined;
    return written([item], false, reader.at, isFolding);
  }
  reader.at++;
  const isNegated = reader.pass("^");
  const items: Item[] = [];
  do {
    const item = reader.range();
    if (item === undefined) return undefined;
    items.push(...item);
  } while (!reader.pass("]"));
  if (isSingle && /[*+?{]/.test(pattern.charAt(reader.at))) return undefined;
  return written(items, isNegated, reader.at, isFolding);
}

class ListReader {
  at: number;
  readonly #pattern: string;

  constructor(pattern: string, at: number) {
    this.#pattern = pattern;
    this.at = at;
  }

  pass(character: string): boolean {
    const isNext = this.#pattern[this.at] === character;
    if (isNext) this.at++;
    return isNext;
  }

  /** Reads an item, or the characters and classes at the ends of a hyphen. */
  range(): Item[] | undefined {
    const from = this.item();
    if (from === undefined || this.#pattern[this.at] !== "-" || this.#pattern[this.at + 1] === "]")
      return from && [from];
    this.at++;
    const to = this.item();
    if (to === undefined) return undefined;
    if (!("character" in from) || !("character" in to)) return [from, { character: "-" }, to];
    return from.character > to.character
      ? undefined
      : [{ set: `${end(from.character)}-${end(to.character)}`, isNegated: false }];
  }

  item(): Item | undefined {
    const named = this.#take(/\[:\w+:\]|\[([.=]).\1\]/y);
    if (named) return { set: named[0], isNegated: false };
    const code = this.#take(characterCode);
    if (code) return { character: characterOf(code) };
    const property = this.#take(propertyExpression);
    if (property) {
      const [set, negation] = propertyOf(property);
      return { set, isNegated: negation === "^" };
    }
    const [, escaped] = this.#take(/\\(.)/suy) ?? [];
    if (escaped === undefined) {
      const [character] = this.#take(/[^\\]/suy) ?? [];
      return character === undefined ? undefined : { character };
    }
    const set = classes[escaped.toLowerCase()];
    if (set !== undefined) return { set, isNegated: escaped !== escaped.toLowerCase() };
    return { character: characters[escaped] ?? escaped };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.#pattern) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }
}

/** An end of a range, which must not be taken for the end of the list. */
function end(character: string): string {
  if (character === "\0") return "\x01";
  return /[[\]^-]/.test(character) ? `[.${character}.]` : character;
}

function written(items: readonly Item[], isNegated: boolean, at: number, isFolding: boolean): List {
  const sets = new Set(
    items.flatMap((item) => ("set" in item && !item.isNegated ? [foldedSet(item.set, isFolding)] : [])),
  );
  const negated = new Set(items.flatMap((item) => ("set" in item && item.isNegated ? [item.set] : [])));
  const single = new Set(items.flatMap((item) => ("character" in item ? folded(item.character, isFolding) : [])));
  // No line has one.
  const hadNewline = single.delete("\n");
  const [inside, outside] = [listOf(single, sets, false), listOf(single, sets, true)];
  if (negated.size === 0) {
    const isEmpty = single.size === 0 && sets.size === 0;
    const others = isEmpty ? "." : outside;
    if (isNegated) return { text: others, others: inside, end: at };
    if (isEmpty) throw new Untranslatable(acrossLines);
    return { text: hadNewline ? `(${inside}|$)` : inside, others: outside, end: at };
  }
  // `[\s\S]` is any character.
  const all = [...negated].some((set) => sets.has(set));
  const [first = ""] = negated;
  const least = without(first, single, sets);
  if (all && !isNegated) return { text: ".", others: "", end: at };
  if (!isNegated && single.size === 0 && sets.size === 0 && negated.size === 1)
    return { text: `[^${first}]`, others: `[${first}]`, end: at };
  if (isNegated && negated.size === 1 && least !== undefined)
    return { text: `[${least}]`, others: `[^${least}]`, end: at };
  if (isNegated)
    throw new Untranslatable(
      "A list can't exclude a negated class, as '\\W' in '[^\\W…]': write what it has to contain.",
    );
  const choices = [...negated].map((set) => `[^${set}]`);
  if (single.size > 0 || sets.size > 0) choices.unshift(inside);
  return { text: `(${choices.join("|")})`, others: "", end: at };
}

/** A class without some of its characters, for the usual ones: `[^\W_]`, `[^\W\d_]`, `[^\S\r\n]`. */
function without(set: string, single: ReadonlySet<string>, sets: ReadonlySet<string>): string | undefined {
  const left = [...single, ...sets].join("");
  if (left === "") return set;
  if (set === classes.w) return { _: "[:alnum:]", "_0-9": "[:alpha:]", "0-9": "[:alpha:]_" }[left];
  return set === classes.s && left === "\r" ? "[:blank:]\v\f" : undefined;
}

function folded(character: string, isFolding: boolean): string[] {
  const other = character.toLowerCase() === character ? character.toUpperCase() : character.toLowerCase();
  return isFolding && other.length === character.length ? [character, other] : [character];
}

function foldedSet(set: string, isFolding: boolean): string {
  if (!isFolding || !/^[A-Za-z]-[A-Za-z]$/.test(set)) return set;
  return `${set.toLowerCase()}${set.toUpperCase()}`;
}

/** Puts the characters in an order in which none has another meaning. */
function listOf(single: ReadonlySet<string>, sets: ReadonlySet<string>, isNegated: boolean): string {
  const plain = [...single].filter((character) => !/[[\]^-]/.test(character)).join("") + [...sets].join("");
  const has = (character: string) => (single.has(character) ? character : "");
  const start = has("]") + plain + has("[");
  if (!isNegated && start === "" && has("^") !== "") return has("-") === "" ? "\\^" : "[-^]";
  return `[${isNegated ? "^" : ""}${start}${has("^")}${has("-")}]`;
}
