/**
 * The upper-case form of a character, as C's `towupper` gives it: one character for one.
 *
 * Ignoring case means to compare these, as glibc does, on the pattern and on the text. A letter whose upper case takes
 * several characters (`ß`) stays as it is.
 */
export function upperCase(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x61 && codePoint <= 0x7a ? codePoint - 0x20 : codePoint;
  const text = String.fromCodePoint(codePoint).toUpperCase();
  const upper = text.codePointAt(0) as number;
  return text.length === (upper > 0xffff ? 2 : 1) ? upper : codePoint;
}

/** The characters beyond ASCII whose upper case is an ASCII letter: dotless i and long s. */
export const foldsIntoAscii: readonly number[] = [0x131, 0x17f];
