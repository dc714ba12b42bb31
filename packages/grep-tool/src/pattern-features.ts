/** A part of a pattern that regular expression dialects interpret differently. */
export interface Feature {
  /** `bracket-escape` is a backslash inside brackets, such as `[\d]`. */
  readonly kind: "group" | "escape" | "bracket-escape" | "lazy";
  /** As written. */
  readonly text: string;
}

/** Yields the features in order. Accepts any text, valid pattern or not, in linear time. */
export function* featuresOf(pattern: string): Generator<Feature> {
  for (let at = 0; at < pattern.length; ) {
    const start = at;
    if (pattern[at] === "\\") {
      at += 2;
      yield { kind: "escape", text: pattern.slice(start, at) };
    } else if (pattern[at] === "[") {
      at = listEnd(pattern, at + 1);
      for (const [text] of pattern.slice(start + 1, at).matchAll(/\\./gs)) yield { kind: "bracket-escape", text };
    } else if (pattern.startsWith("(?", at)) {
      const [text = "(?"] = groupStart.exec(pattern.slice(at, at + maxGroupStart)) ?? [];
      at += text.length;
      yield { kind: "group", text };
      continue;
    } else at++;
    const [lazy] = lazyRepetition.exec(pattern.slice(at, at + maxRepetition)) ?? [];
    if (lazy !== undefined) yield { kind: "lazy", text: lazy };
  }
}

/** `(?:`, `(?i)`, `(?<=`, `(?P<name>` and the like. */
const groupStart = /^\(\?(?:<[=!]|P?<\w*>|[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]|.?)/s;
const maxGroupStart = 40;

/** A `?` after a repetition. */
const lazyRepetition = /^(?:[*+?]|\{\d*,?\d*\})\?/;
const maxRepetition = 16;

/** Maximum length of a name such as `[:alpha:]`. */
const maxNameLength = 40;

/** Returns the offset after a bracket expression; treats `\]` as part of it, as was probably intended. */
function listEnd(pattern: string, start: number): number {
  let at = pattern[start] === "^" ? start + 1 : start;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length && pattern[at] !== "]"; at++) {
    if (pattern[at] === "\\") at++;
    const [name = ""] = /^\[([:.=]).*?\1\]/s.exec(pattern.slice(at, at + maxNameLength)) ?? [];
    if (name !== "") at += name.length - 1;
  }
  return at + 1;
}
