// What a pattern may mean. First the translation from other engines' syntax to POSIX, then the readings of a pattern that fails: other brackets
// and bars as characters, or all of it as text.

import { compile, PatternError, type Regex } from "@ikigai/posix/ere";
import { ToolFailure } from "@ikigai/tool-sdk";
import {
  acrossLines,
  characterCode,
  characterOf,
  type List,
  openList,
  propertyExpression,
  propertyOf,
  Untranslatable,
} from "./translate-list.ts";

// Reads a pattern as the engines do that models write for (Perl's, JavaScript's, Python's, Rust's), and writes it as POSIX does. Since lines
// are asked for, not what matches in them, laziness and groups without numbers make no difference, and a lookaround at an end becomes a part
// of the pattern. What POSIX cannot say is refused, with what to do instead.

/** A pattern in POSIX's form. */
interface Translated {
  readonly pattern: string;
  /** Whether it says itself that case does not matter. */
  readonly ignoreCase: boolean;
}

/** Translates a pattern; one that other engines would refuse, too, stays as it is. Takes linear time. */
export function translate(pattern: string): Translated | { readonly hint: string } {
  const translator = new Translator(pattern);
  try {
    translator.translate();
    return { pattern: translator.out, ignoreCase: translator.ignoresCase };
  } catch (error) {
    if (error instanceof Untranslatable) return { hint: error.message };
    if (error instanceof Unreadable) return { pattern, ignoreCase: false };
    throw error;
  }
}

class Unreadable extends Error {}

const lookaroundHint = (text: string) =>
  `'${text}…)' (lookaround) is possible only at the end or start, with a plain text in it: search without it, or run grep -P with bash.`;

/** What escapes mean that POSIX takes for letters. */
const escapes: Readonly<Record<string, string>> = {
  ...{ t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07", e: "\x1b", A: "^", z: "$", Z: "$", G: "", K: "", E: "" },
  ...{ h: "[[:blank:]]", H: "[^[:blank:]]", "'": "'", "`": "`" },
};

/** A group that is open. */
interface OpenGroup {
  readonly ignoresCase: boolean;
  /** Whether nothing may follow it: a lookahead. */
  readonly isLast?: boolean;
}

class Translator {
  out = "";
  /** Whether case is ignored everywhere. */
  ignoresCase = false;
  readonly #pattern: string;
  #at = 0;
  /** Whether case is ignored from here to the end of the group. */
  #isFolding = false;
  readonly #open: OpenGroup[] = [];
  /** How many groups are written, the number of each of the pattern's own groups, and their names. */
  #written = 0;
  readonly #numbers: number[] = [];
  readonly #names = new Map<string, number>();

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  translate(): void {
    while (this.#at < this.#pattern.length) this.#step();
    if (this.#open.length > 0) throw new Unreadable();
  }

  /** Takes what matches at the current place. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }

  #step(): void {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) as number);
    switch (character) {
      case "\\":
        this.#escape();
        break;
      case "[":
        this.#list();
        break;
      case "(":
        this.#group();
        break;
      case ")":
        this.#close();
        break;
      case "{":
        this.#interval();
        break;
      case "*":
      case "+":
      case "?":
        this.#write(character, 1);
        this.#afterRepetition();
        break;
      default:
        this.#at += character.length;
        this.out += this.#isFolding && !this.ignoresCase ? bothCases(character) : character;
    }
  }

  /** As in Perl, a brace that starts no interval is a character: `interface{}`. */
  #interval(): void {
    const interval = this.#take(/\{(?:\d+(?:,\d*)?|,\d+)\}/y)?.[0];
    if (interval === undefined) {
      this.#write("\\{", 1);
      return;
    }
    this.out += interval;
    this.#afterRepetition();
  }

  #write(text: string, length: number): void {
    this.out += text;
    this.#at += length;
  }

  /** Leaves out what makes a repetition lazy or possessive. */
  #afterRepetition(): void {
    this.#take(/[?+]/y);
  }

  #escape(): void {
    const reference = this.#take(/\\([1-9])|\\k[<{'](\w+)[>}']|\(\?P=(\w+)\)/y);
    if (reference) {
      this.#reference(Number(reference[1]) || this.#names.get(reference[2] ?? reference[3] ?? ""));
      return;
    }
    const code = this.#take(characterCode);
    if (code) {
      this.#writeLiteral(characterOf(code));
      return;
    }
    const quoted = this.#take(/\\Q(.*?)(?:\\E|$)/sy);
    if (quoted) {
      this.#writeLiteral(quoted[1] ?? "");
      return;
    }
    const property = this.#take(propertyExpression);
    if (property) {
      const [text, negation] = propertyOf(property);
      this.out += `[${negation}${text}]`;
      return;
    }
    const text = this.#pattern.slice(this.#at, this.#at + 2);
    if (text === "\\") throw new Unreadable();
    if (this.#take(/(?:\\r\??)?\\n/y)) {
      this.#lineEnd();
      return;
    }
    const meaning = escapes[text.charAt(1)];
    this.#write(meaning ?? text, text.length);
    // The rest of a character beyond U+FFFF.
    if (this.#take(/[\udc00-\udfff]/y)) this.out += this.#pattern[this.#at - 1];
  }

  /** A newline at an end is what `^` and `$` say. */
  #lineEnd(): void {
    const isStart = this.out === "" || /^(?:[^\\]?)[(|]$/.test(this.out.slice(-2));
    const isEnd = /^(?:$|[|)])/.test(this.#pattern.slice(this.#at, this.#at + 1));
    if (!isStart && !isEnd) throw new Untranslatable(acrossLines);
    this.out += isStart ? "^" : "$";
  }

  #reference(own: number | undefined): void {
    const written = own === undefined ? undefined : this.#numbers[own - 1];
    if (written === undefined) throw new Unreadable();
    if (written > 9)
      throw new Untranslatable("A back-reference can only mean one of the first nine groups: leave out groups.");
    this.out += `\\${written}`;
  }

  #writeLiteral(text: string): void {
    for (const character of text) {
      if (/[\\^$.[|()*+?{]/.test(character)) this.out += `\\${character}`;
      else this.out += this.#isFolding && !this.ignoresCase ? bothCases(character) : character;
    }
  }

  #list(): void {
    const list = openList(this.#pattern, this.#at, this.#isFolding && !this.ignoresCase);
    if (list === undefined) throw new Unreadable();
    if (list.text.startsWith("(")) this.#written++;
    this.#write(list.text, list.end - this.#at);
  }

  #group(): void {
    if (this.#take(/\(\?#[^)]*\)/y)) return;
    if (this.#pattern.startsWith("(?P=", this.#at)) {
      this.#escape();
      return;
    }
    const look = this.#take(/\(\?<?[=!]/y)?.[0];
    if (look !== undefined) {
      this.#lookaround(look);
      return;
    }
    const flags = this.#take(/\(\?([imsxuaLUnJ]*)(?:-([imsxun]+))?([:)])/y);
    if (flags) {
      this.#flags(flags);
      return;
    }
    const named = this.#take(/\(\?P?<(\w+)>|\(\?'(\w+)'/y);
    const other = named || this.#take(/\(\?>/y) ? undefined : this.#take(/\(\?.?/sy)?.[0];
    if (other !== undefined)
      throw new Untranslatable(`'${other}' is not possible: write the pattern without it, or run grep -P with bash.`);
    if (!named && this.#pattern[this.#at] === "(") this.#at++;
    this.#openGroup({ ignoresCase: this.#isFolding });
    this.#numbers.push(this.#written);
    const name = named?.[1] ?? named?.[2];
    if (name !== undefined) this.#names.set(name, this.#numbers.length);
  }

  #openGroup(group: OpenGroup): void {
    this.#open.push(group);
    this.#written++;
    this.out += "(";
  }

  #flags([text, on = "", off = "", end]: RegExpExecArray): void {
    if (on.includes("x"))
      throw new Untranslatable(`'${text}' is not possible: leave it out, with the spaces and comments that it allows.`);
    const isFolding = on.includes("i") || (this.#isFolding && !off.includes("i"));
    if (this.ignoresCase && !isFolding)
      throw new Untranslatable(`'${text}' is not possible inside of '(?i)': leave one of them out.`);
    if (end === ":") this.#openGroup({ ignoresCase: this.#isFolding });
    // At the start it holds for the whole pattern.
    else if (/^\^?$/.test(this.out) && isFolding) this.ignoresCase = true;
    this.#isFolding = isFolding;
  }

  #close(): void {
    const group = this.#open.pop();
    if (group === undefined) throw new Unreadable();
    this.#write(")", 1);
    this.#isFolding = group.ignoresCase;
    if (group.isLast && !this.#isAtEnd()) throw new Untranslatable(lookaroundHint("(?="));
  }

  /** Whether nothing that belongs to this alternative follows. */
  #isAtEnd(): boolean {
    return this.#open.length === 0 && /^(?:$|\|)/.test(this.#pattern.slice(this.#at, this.#at + 1));
  }

  /** Whether this alternative begins here. */
  #isAtStart(): boolean {
    return this.#open.length === 0 && (this.out === "" || /^[^\\]?\|$/.test(this.out.slice(-2)));
  }

  /** What must follow is the end of the pattern, what must precede its start; what must not is a choice of others. */
  #lookaround(look: string): void {
    const isBehind = look.includes("<");
    if (isBehind && !this.#isAtStart()) throw new Untranslatable(lookaroundHint(look));
    if (look.endsWith("=")) {
      this.#openGroup({ ignoresCase: this.#isFolding, isLast: !isBehind });
      return;
    }
    const items: List[] = [];
    while (!this.#take(/\)/y)) {
      const item = openList(this.#pattern, this.#at, false, true);
      if (item === undefined || item.others === "" || /^[.(]/.test(item.text))
        throw new Untranslatable(lookaroundHint(look));
      items.push(item);
      this.#at = item.end;
    }
    const [first] = items;
    if (first === undefined || this.#isFolding !== this.ignoresCase || (!isBehind && !this.#isAtEnd()))
      throw new Untranslatable(lookaroundHint(look));
    this.out += isBehind ? notBefore(items) : notAfter(items);
    this.#written += items.length;
  }
}

/** Anything but these characters after a text. */
function notAfter(items: readonly List[]): string {
  return items.reduceRight((rest, { text, others }) => `($|${others}${rest && `|${text}${rest}`})`, "");
}

/** The same before it. */
function notBefore(items: readonly List[]): string {
  return items.reduce((rest, { text, others }) => `(^|${others}${rest && `|${rest}${text}`})`, "");
}

function bothCases(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  return lower === upper || lower.length !== upper.length ? character : `[${upper}${lower}]`;
}

// How a pattern may be meant. Under a budget a model wrote it: it is read as other engines do, and if that is no expression, or no line has
// it, as the one that was probably meant. By hand it is what POSIX says.

/** A pattern as it is searched for. */
export interface Reading {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** What to say about it if a line has it. */
  readonly note?: string;
}

/** A pattern that can be searched for. */
export interface CompiledReading extends Reading {
  readonly regex: Regex;
}

interface Asked {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** Returns the readings of a pattern, the most likely first. @throws ToolFailure `INVALID_PATTERN` if it has none. */
export function readingsOf(asked: Asked, isShared: boolean): [CompiledReading, ...CompiledReading[]] {
  const readings: CompiledReading[] = [];
  let problem: unknown;
  for (const { note, ...reading } of candidates(asked, isShared)) {
    try {
      const regex = compile(reading.pattern, { ignoreCase: reading.ignoreCase });
      readings.push({ ...reading, regex, ...(note !== undefined && { note }) });
    } catch (error) {
      problem ??= error;
    }
  }
  const [first, ...others] = readings;
  if (first) return [first, ...others];
  if (!(problem instanceof PatternError)) throw problem;
  if (isShared && !isGlob(asked.pattern)) return readingsAsText(asked, problem);
  const hint = refusalHint(asked.pattern) ?? otherEngineHint(asked);
  throw new ToolFailure("INVALID_PATTERN", `Invalid pattern: ${problem.message}`, hint === undefined ? {} : { hint });
}

function candidates(asked: Asked, isShared: boolean): Reading[] {
  if (!isShared) return [{ pattern: asked.pattern, ignoreCase: asked.ignoreCase }];
  const translated = translate(asked.pattern);
  if ("hint" in translated)
    throw new ToolFailure("INVALID_PATTERN", "The pattern cannot be searched for", { hint: translated.hint });
  const own = { pattern: translated.pattern, ignoreCase: asked.ignoreCase || translated.ignoreCase };
  const others = [basicReading(asked), literalReading(asked)];
  return [own, ...others.filter((other) => other !== undefined)];
}

/** A pattern that is no expression: its brackets as characters, else all of it. */
function readingsAsText(asked: Asked, { message }: PatternError): [CompiledReading, ...CompiledReading[]] {
  const text = asked.pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const note = `Not a regular expression (${message}), so searched for as text: write '${text}'.`;
  const { ignoreCase } = asked;
  const asText = { pattern: text, ignoreCase, note, regex: compile(text, { ignoreCase }) };
  const reading = bracketsReading(asked);
  try {
    return [{ ...reading, regex: compile(reading.pattern, { ignoreCase }) }, asText];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [asText];
  }
}

/** `a\|b`, as in grep without -E: the bars are alternatives, and bare parentheses characters. */
function basicReading({ pattern, ignoreCase }: Asked): Reading | undefined {
  const parts = partsOf(pattern);
  if (!parts.includes("\\|") || parts.includes("|")) return undefined;
  const note = "Read as a basic regular expression, in which '\\|' separates alternatives: here write '|'.";
  const isGrouped = !parts.includes("(") && hasBarInGroup(parts);
  const changed = parts.map((part) => {
    if (part === "\\|") return "|";
    // A bracket alone has no end.
    if (/^[()[{]$/.test(part)) return `\\${part}`;
    return isGrouped && (part === "\\(" || part === "\\)") ? part.slice(1) : part;
  });
  return { pattern: changed.join(""), ignoreCase, note };
}

/** `getName(`, `items[a` and `f(*x)`: the brackets after a word are characters. */
function literalReading(asked: Asked): Reading | undefined {
  if (!/\w[([]/.test(asked.pattern) || asked.pattern.includes("(?")) return undefined;
  const reading = bracketsReading(asked);
  return reading.pattern === asked.pattern ? undefined : reading;
}

/** With the brackets, and what would repeat them, as characters. */
function bracketsReading({ pattern, ignoreCase }: Asked): Reading {
  const parts = partsOf(pattern);
  const isOpen = (part: string) => part === "(" || part === ")" || part === "[";
  const changed = parts.map((part, index) => {
    const isRepeated = /^[*+?]$/.test(part) && isOpen(parts[index - 1] ?? "");
    return isOpen(part) || part === "{" || isRepeated ? `\\${part}` : part;
  });
  const written = changed.join("");
  const note = `Brackets were taken as characters: write '${written}'.`;
  return { pattern: written, ignoreCase, note };
}

/** Whether a `\|` is between `\(` and `\)`. */
function hasBarInGroup(parts: readonly string[]): boolean {
  let depth = 0;
  return parts.some((part) => {
    if (part === "\\(") depth++;
    else if (part === "\\)") depth--;
    return part === "\\|" && depth > 0;
  });
}

/** Divides a pattern into characters, escapes and lists. */
function partsOf(pattern: string): string[] {
  const parts: string[] = [];
  const lastEnd = pattern.lastIndexOf("]");
  for (let at = 0; at < pattern.length; ) {
    // Without an end behind it, a bracket would be searched for one to the end of the pattern each time.
    const expression = at < lastEnd ? partOrList : partOnly;
    expression.lastIndex = at;
    const [part = pattern.charAt(at)] = expression.exec(pattern) ?? [];
    parts.push(part);
    at += part.length;
  }
  return parts;
}

const partOnly = /\\.|./suy;
const partOrList = /\\.|\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|./suy;

/** The longest pattern that a hint repeats, in UTF-16 units. */
const maxRepeated = 200;

/** By hand: says what to write for what other engines would find. */
export function otherEngineHint({ pattern, ignoreCase }: Asked): string | undefined {
  const translated = translate(pattern);
  if ("hint" in translated) return translated.hint;
  if (pattern.length > maxRepeated) return undefined;
  const also = translated.ignoreCase && !ignoreCase ? " with ignore_case" : "";
  if (translated.pattern === pattern && also === "") return undefined;
  return `Other engines read '${pattern}' differently. In POSIX's syntax that is '${translated.pattern}'${also}.`;
}

function isGlob(pattern: string): boolean {
  return /^\*\.\w+$/.test(pattern);
}

/** Says what a rejected pattern probably meant, if that is clear. */
export function refusalHint(pattern: string): string | undefined {
  if (isGlob(pattern)) return `'${pattern}' looks like a glob: pass it as glob, and the text to find as pattern.`;
  if (/(?:^|[^\\])\{(?![\d,])/.test(pattern)) return "Write '\\{' for a brace.";
  if (endsOpen(pattern, "(", ")")) return "Write '\\(' for a parenthesis.";
  if (endsOpen(pattern, "[", "]")) return "Write '\\[' for a bracket.";
  return undefined;
}

/** Whether the last opening bracket follows a word and is not closed, as in a call or an index. */
function endsOpen(pattern: string, opening: string, closing: string): boolean {
  const at = pattern.lastIndexOf(opening);
  return at > 0 && pattern.lastIndexOf(closing) < at && /\w/.test(pattern.charAt(at - 1));
}

/** Suggests a reason for no matches: `\|` separates alternatives in basic expressions; in extended ones it is a character. */
export function noMatchHint(pattern: string): string | undefined {
  return partsOf(pattern).includes("\\|")
    ? "'\\|' is the character '|' here: write '|' between alternatives."
    : undefined;
}
