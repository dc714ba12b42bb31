// Reads a pattern as the engines do that models write for (Perl's, JavaScript's, Python's, Rust's), and writes it as POSIX does. Since lines
// are asked for, not what matches in them, laziness and groups without numbers make no difference, and a lookaround at an end becomes a part
// of the pattern. What POSIX cannot say is refused, with what to do instead.
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

/** A pattern in POSIX's form. */
export interface Translated {
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
