import { type Feature, featuresOf } from "./pattern-features.ts";

/** How many hints an answer has: the first mistakes explain the others. */
const maxHints = 3;

/** Escapes of other dialects that are plain letters in POSIX, and what to write instead. */
const escapes: Readonly<Record<string, string>> = {
  t: "write a tab character, or '[[:blank:]]'",
  n: "leave it out, lines are searched one by one",
  r: "write a carriage return, or '\\s'",
  f: "write '[[:space:]]'",
  v: "write '[[:space:]]'",
  h: "write '[[:blank:]]'",
  A: "write '^'",
  z: "write '$'",
  Z: "write '$'",
  K: "leave it out, whole lines are shown",
  Q: "put '\\' before each special character instead",
  E: "put '\\' before each special character instead",
  x: "write the character itself",
  u: "write the character itself",
  p: "write a class such as '[[:alpha:]]'",
  P: "write a class such as '[^[:alpha:]]'",
};

/** The same inside brackets, where a backslash is an ordinary character. */
const inBrackets: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "[:alnum:]_",
  s: "[:space:]",
  t: "[:blank:]",
  r: "[:space:]",
  n: "nothing, lines are searched one by one",
  D: "a negated list, '[^0-9]'",
  W: "a negated list, '[^[:alnum:]_]'",
  S: "a negated list, '[^[:space:]]'",
};

/** Says what to write instead of constructs that POSIX rejects or reads differently from most dialects. */
export function dialectHints(pattern: string): string[] {
  const hints = new Set<string>();
  for (const feature of featuresOf(pattern)) {
    const hint = hintFor(feature);
    if (hint !== undefined) hints.add(hint);
    if (hints.size === maxHints) break;
  }
  return [...hints];
}

function hintFor({ kind, text }: Feature): string | undefined {
  const letter = text.charAt(1);
  switch (kind) {
    case "group":
      return groupHint(text);
    case "lazy":
      return `'${text}' is not lazy here, '?' makes the preceding part optional: write '${text.slice(0, -1)}', whole lines are matched anyway.`;
    case "escape":
      return Object.hasOwn(escapes, letter) ? `'${text}' is the letter ${letter} here: ${escapes[letter]}.` : undefined;
    case "bracket-escape":
      if (letter === "]") return "'\\]' ends a list here: put ']' first in it, as in '[]x]'.";
      return Object.hasOwn(inBrackets, letter)
        ? `'${text}' in brackets is a backslash or ${letter}: write ${inBrackets[letter]} there.`
        : undefined;
    default:
      return kind satisfies never;
  }
}

function groupHint(text: string): string {
  if (/^\(\?[=!]|^\(\?<[=!]/.test(text))
    return `'${text}' (lookaround) is not POSIX: search for the text without it, or run grep -P with bash.`;
  if (/^\(\?[a-z]*-?[a-z]*[):]/i.test(text) && text !== "(?:") {
    const advice = text.includes("i") ? "set ignore_case to true and leave it out" : "leave it out";
    return `'${text}' is not POSIX: ${advice}.`;
  }
  return text === "(?#" ? "'(?#…)' is not POSIX: leave the comment out." : `'${text}…)' is not POSIX: write '(…)'.`;
}

/** Says what a rejected pattern probably meant, if that is clear. */
export function refusalHint(pattern: string): string | undefined {
  if (/^\*\.\w+$/.test(pattern))
    return `'${pattern}' looks like a glob: pass it as glob, and the text to find as pattern.`;
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
  const isDivided = [...pattern.matchAll(/\\(.)/gs)].some(([, character]) => character === "|");
  return isDivided ? "'\\|' is the character '|' here: write '|' between alternatives." : undefined;
}
