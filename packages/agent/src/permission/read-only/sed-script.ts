/** Longest script that is parsed, in UTF-16 code units: bracketed text may take quadratic time. */
export const maxScriptLength = 4_096;

/**
 * Whether a `sed` script only selects, changes and prints lines. Commands that write or read other files or run programs (`w
 * W r R e`, and the flags `w` and `e` of `s`) need a question; so do labels and jumps, which may never end.
 */
export function isReadingSedScript(script: string): boolean {
  if (script.length > maxScriptLength) return false;
  let at = 0;
  while (at < script.length) {
    at = skip(script, at, /[\s;}]*/y);
    if (at >= script.length) return true;
    at = skipAddress(script, at);
    const next = script.charAt(skip(script, at, /[ \t]*/y));
    if (at >= 0 && next === ",") at = skipAddress(script, skip(script, at, /[ \t]*,[ \t]*/y));
    if (at < 0) return false;
    at = skip(script, at, /[ \t]*!?[ \t]*/y);
    const command = script.charAt(at++);
    if (command === "{") continue;
    if (command === "s") at = skipSubstitution(script, at);
    else if (/[qQl]/.test(command)) at = skip(script, at, /[ \t]*\d*/y);
    else if (!/[p=dDnNPgGhHxz]/.test(command)) return false;
    if (at < 0) return false;
    const end = skip(script, at, /[ \t]*/y);
    if (end < script.length && !/[;\n}]/.test(script.charAt(end))) return false;
    at = end;
  }
  return true;
}

/** Returns the end of a match of a sticky pattern; every pattern passed here can match nothing. */
function skip(script: string, at: number, pattern: RegExp): number {
  if (at < 0) return at;
  pattern.lastIndex = at;
  return at + (pattern.exec(script)?.[0].length ?? 0);
}

/** Returns the end of an address at `at`: `at` without one, -1 if it cannot be parsed. */
function skipAddress(script: string, at: number): number {
  if (at < 0) return at;
  const first = script.charAt(at);
  if (first === "/") return skip(script, skipDelimited(script, at + 1, "/"), /I?/y);
  if (first === "\\") return -1;
  return skip(script, at, /(?:\$|[+~]?\d+(?:~\d+)?)?/y);
}

const bracket = /(?:\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\])?/y;

/** Returns the offset after the closing delimiter of what begins at `at`, or -1 if seds may disagree on it. */
function skipDelimited(script: string, at: number, delimiter: string): number {
  for (let index = at; index < script.length; index++) {
    const character = script.charAt(index);
    if (character === delimiter) return index + 1;
    if (character === "\n") return -1;
    if (character === "\\") index++;
    else if (character === "[") {
      const end = skip(script, index, bracket);
      // GNU sed ends a text at a delimiter inside brackets, others do not.
      if (end === index || /\n/.test(script.slice(index, end)) || script.slice(index, end).includes(delimiter))
        return -1;
      index = end - 1;
    }
  }
  return -1;
}

function skipSubstitution(script: string, at: number): number {
  const delimiter = script.charAt(at);
  if (!/[/|,#:@%!+~]/.test(delimiter)) return -1;
  const middle = skipDelimited(script, at + 1, delimiter);
  if (middle < 0) return -1;
  const end = skipDelimited(script, middle, delimiter);
  return end < 0 ? -1 : skip(script, end, /[gpIi\d]*/y);
}
