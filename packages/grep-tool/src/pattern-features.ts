/** A part of a pattern that dialects of regular expressions read differently. */
export interface Feature {
  /** `bracket-escape` is a backslash in a list such as `[\d]`. */
  readonly kind: "group" | "escape" | "bracket-escape" | "lazy";
  /** As it is written. */
  readonly text: string;
}

/** The parts, in their order. Reads any text in linear time, also one that is no pattern. */
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

/** `(?:`, `(?i)`, `(?<=`, `(?P<name>` and their like. */
const groupStart = /^\(\?(?:<[=!]|P?<\w*>|[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]|.?)/s;
const maxGroupStart = 40;

/** A `?` behind a repetition. */
const lazyRepetition = /^(?:[*+?]|\{\d*,?\d*\})\?/;
const maxRepetition = 16;

/** How long a name such as `[:alpha:]` may be. */
const maxNameLength = 40;

/** Where the text behind a list goes on; a `\]` that was meant to be in it counts as in it. */
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
