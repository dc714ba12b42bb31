// Git's wildmatch, over the bytes of names: each UTF-16 unit of a string is one byte. It follows wildmatch.c case by case, since patterns
// with `**`, brackets and escapes mean there what they mean nowhere else. Unlike it, it remembers what has failed: a pattern from a
// stranger's repository takes at most its length times that of the name.

/** A failed match may say more: that nothing later in the text can match either, or nothing before the next `**`. */
const [matches, fails, abortsAll, abortsToStars] = [0, 1, 2, 3] as const;
type Outcome = 0 | 1 | 2 | 3;

/** What a pattern may match. */
export interface WildmatchOptions {
  /** Whether wildcards stop at slashes, except `**` as a whole segment. */
  readonly isPath: boolean;
  readonly ignoreCase: boolean;
}

const slash = 0x2f;
const star = 0x2a;
const backslash = 0x5c;
const opening = 0x5b;
const closing = 0x5d;
const colon = 0x3a;

/** Whether a text matches a pattern. Never throws. */
export function wildmatch(pattern: string, text: string, options: WildmatchOptions): boolean {
  return new Match(pattern, text, options).from(0, 0) === matches;
}

class Match {
  private readonly pattern: string;
  private readonly text: string;
  private readonly options: WildmatchOptions;
  private readonly failed = new Map<number, Outcome>();

  constructor(pattern: string, text: string, options: WildmatchOptions) {
    this.pattern = pattern;
    this.text = text;
    this.options = options;
  }

  /** Matches the text from `at` against the pattern from `start`, and remembers how it failed. */
  from(start: number, at: number): Outcome {
    const key = start * (this.text.length + 1) + at;
    const known = this.failed.get(key);
    if (known !== undefined) return known;
    const outcome = this.run(start, at);
    if (outcome !== matches) this.failed.set(key, outcome);
    return outcome;
  }

  private run(start: number, at: number): Outcome {
    const { pattern, options } = this;
    let p = start;
    let t = at;
    for (; p < pattern.length; p++, t++) {
      const code = this.codeAt(pattern, p);
      const character = this.codeAt(this.text, t);
      if (character === 0 && code !== star) return abortsAll;
      if (code === star) {
        const next = this.afterStar(start, p, t);
        if (typeof next === "number") return next;
        ({ p, t } = next);
      } else if (code === opening) {
        const end = this.bracket(p, character);
        if (end < 0) return end === -1 ? fails : abortsAll;
        p = end;
      } else if (code === 0x3f) {
        if (options.isPath && character === slash) return fails;
      } else {
        // A lone backslash at the end matches nothing.
        const literal = code === backslash ? this.codeAt(pattern, ++p) : code;
        if (literal !== character) return fails;
      }
    }
    return t < this.text.length ? fails : matches;
  }

  /** Matches from a star on; or returns where to go on after one that stands for a directory. */
  private afterStar(start: number, starAt: number, at: number): Outcome | { p: number; t: number } {
    const { pattern, text } = this;
    const { isPath } = this.options;
    let p = starAt + 1;
    let t = at;
    let crosses = !isPath;
    if (pattern.charCodeAt(p) === star) {
      while (pattern.charCodeAt(p) === star) p++;
      const isSegment = starAt === start || pattern[starAt - 1] === "/";
      const isBeforeSlash = pattern[p] === "/";
      if (isPath && isSegment && (p >= pattern.length || isBeforeSlash || pattern.startsWith("\\/", p))) {
        if (isBeforeSlash && this.from(p + 1, t) === matches) return matches;
        crosses = true;
      }
    }
    if (p >= pattern.length) return crosses || !text.includes("/", t) ? matches : abortsToStars;
    if (!crosses && pattern[p] === "/") {
      const next = text.indexOf("/", t);
      return next < 0 ? abortsAll : { p, t: next };
    }
    for (; t < text.length; t++) {
      const outcome = this.from(p, t);
      if (outcome === matches) return matches;
      if (outcome !== fails) {
        if (!crosses || outcome !== abortsToStars) return outcome;
      } else if (!crosses && text.charCodeAt(t) === slash) return abortsToStars;
    }
    return abortsAll;
  }

  /** Returns the offset of the bracket's end if it matches; -1 if it does not, -2 if it has no end. */
  private bracket(openAt: number, character: number): number {
    const { pattern } = this;
    const { isPath, ignoreCase } = this.options;
    let p = openAt + 1;
    const isNegated = pattern[p] === "!" || pattern[p] === "^";
    if (isNegated) p++;
    let isIn = false;
    let previous = 0;
    for (let isFirst = true; isFirst || pattern.charCodeAt(p) !== closing; isFirst = false, p++) {
      let code = p < pattern.length ? pattern.charCodeAt(p) : 0;
      if (code === 0) return -2;
      if (code === backslash) {
        code = p + 1 < pattern.length ? pattern.charCodeAt(++p) : 0;
        if (code === 0) return -2;
        if (character === code) isIn = true;
      } else if (code === 0x2d && previous !== 0 && p + 1 < pattern.length && pattern.charCodeAt(p + 1) !== closing) {
        code = pattern.charCodeAt(++p);
        if (code === backslash) code = p + 1 < pattern.length ? pattern.charCodeAt(++p) : 0;
        if (code === 0) return -2;
        const inRange = (one: number) => one <= code && one >= previous;
        if (inRange(character) || (ignoreCase && isLower(character) && inRange(character - 0x20))) isIn = true;
        previous = 0;
        continue;
      } else if (code === opening && pattern.charCodeAt(p + 1) === colon) {
        const end = pattern.indexOf("]", p + 2);
        if (end < 0) return -2;
        if (end - p < 3 || pattern.charCodeAt(end - 1) !== colon) {
          if (character === opening) isIn = true;
        } else {
          const test = classes[pattern.slice(p + 2, end - 1)];
          if (test === undefined) return -2;
          if (test.test(String.fromCharCode(character)) || (ignoreCase && test === classes.upper && isLower(character)))
            isIn = true;
          p = end;
          previous = 0;
          continue;
        }
      } else if (character === code) isIn = true;
      previous = code;
    }
    return isIn === isNegated || (isPath && character === slash) ? -1 : p;
  }

  /** 0 at the end. */
  private codeAt(text: string, at: number): number {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    return this.options.ignoreCase && code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  }
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** The classes of C's locale, which git uses whatever the user's is. */
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the class
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};
