/**
 * Returns the upper-case form of a character as C's `towupper` does: one character for one.
 *
 * Case-insensitive matching compares these forms of pattern and text, as glibc does. A letter whose upper case has several
 * characters (`ß`) is unchanged.
 */
export function upperCase(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x61 && codePoint <= 0x7a ? codePoint - 0x20 : codePoint;
  const text = String.fromCodePoint(codePoint).toUpperCase();
  const upper = text.codePointAt(0) as number;
  return text.length === (upper > 0xffff ? 2 : 1) ? upper : codePoint;
}

/** The non-ASCII characters whose upper case is an ASCII letter: dotless i and long s. */
export const foldsIntoAscii: readonly number[] = [0x131, 0x17f];
