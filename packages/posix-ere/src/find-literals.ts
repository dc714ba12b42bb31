/** Finds the first occurrence of one of several texts between `from` and `to`; returns its offset, or -1. */
export type FindLiteral = (bytes: Buffer, from: number, to: number) => number;

/**
 * Returns a search for these texts; `undefined` if there is no fast one. With `ignoreCase`, letters of the texts are in upper case and
 * match ASCII letters in either case; other characters match only themselves.
 */
export type FindLiterals = (texts: readonly string[], ignoreCase: boolean) => FindLiteral | undefined;

/** With shorter texts a search skips too little: the automaton is as fast. */
const minBytes = 3;

const tableSize = 4_096;

/** Returns a search for these texts; `undefined` if the automaton is faster. With `ignoreCase`: ASCII in upper case. */
export function findLiterals(texts: readonly string[], ignoreCase: boolean): FindLiteral | undefined {
  const literals = texts.map((text) => Buffer.from(text));
  const [literal, ...others] = literals;
  if (literal && others.length === 0 && !(ignoreCase && hasLetter(literal))) {
    return (bytes, from) => bytes.indexOf(literal, from);
  }
  const shortest = Math.min(...literals.map(({ length }) => length));
  return shortest < minBytes ? undefined : findSeveral(literals, shortest, ignoreCase ? toUpper : identity);
}

/**
 * Wu and Manber, "A fast algorithm for multi-pattern searching" (1994): the last two bytes of a window as long as the shortest
 * text determine how far it can be shifted. If it cannot be, the texts are compared.
 */
function findSeveral(literals: readonly Buffer[], shortest: number, fold: Uint8Array): FindLiteral {
  let shifts: Uint8Array | undefined;
  return (bytes, from, to) => {
    shifts ??= shiftTable(literals, shortest, fold);
    for (let at = from + shortest - 1; at < to; ) {
      const first = fold[bytes[at - 1] as number] as number;
      const shift = shifts[(first << 4) ^ (fold[bytes[at] as number] as number)] as number;
      at += shift;
      if (shift > 0) continue;
      const start = at - shortest + 1;
      for (const literal of literals) if (standsAt(literal, bytes, start, to, fold)) return start;
      at++;
    }
    return -1;
  };
}

function shiftTable(literals: readonly Buffer[], shortest: number, fold: Uint8Array): Uint8Array {
  const shifts = new Uint8Array(tableSize).fill(Math.min(shortest - 1, 255));
  for (const literal of literals) {
    for (let end = 1; end < shortest; end++) {
      const first = fold[literal[end - 1] as number] as number;
      const slot = (first << 4) ^ (fold[literal[end] as number] as number);
      shifts[slot] = Math.min(shifts[slot] as number, shortest - 1 - end);
    }
  }
  return shifts;
}

function standsAt(literal: Buffer, bytes: Buffer, start: number, to: number, fold: Uint8Array): boolean {
  if (start + literal.length > to) return false;
  for (let index = 0; index < literal.length; index++) {
    if (fold[bytes[start + index] as number] !== literal[index]) return false;
  }
  return true;
}

function hasLetter(bytes: Buffer): boolean {
  return bytes.some((byte) => toUpper[byte] !== byte || (byte >= 0x41 && byte <= 0x5a));
}

const identity = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const toUpper = identity.map((byte) => (byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte));
