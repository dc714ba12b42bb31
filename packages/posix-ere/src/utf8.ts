/** The result of `decode` for a byte that does not start a character. */
export const invalid = 0xff_ffff;

/**
 * Decodes the character at `at`; the bits from 24 up hold its length in bytes.
 *
 * A byte that does not start a character by RFC 3629 (including overlong forms, surrogates and truncated characters) is
 * `invalid`, with length 1. Returns a number, not an object, since this runs for every character outside ASCII.
 */
export function decode(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return (1 << 24) | first;
  const second = at + 1 < end ? (bytes[at + 1] as number) ^ 0x80 : 0xff;
  if (first < 0xc2 || second > 0x3f) return (1 << 24) | invalid;
  if (first < 0xe0) return (2 << 24) | ((first & 0x1f) << 6) | second;
  const third = at + 2 < end ? (bytes[at + 2] as number) ^ 0x80 : 0xff;
  if (third > 0x3f) return (1 << 24) | invalid;
  if (first < 0xf0) {
    const codePoint = ((first & 0x0f) << 12) | (second << 6) | third;
    const isCharacter = codePoint >= 0x800 && (codePoint < 0xd800 || codePoint > 0xdfff);
    return isCharacter ? (3 << 24) | codePoint : (1 << 24) | invalid;
  }
  const fourth = at + 3 < end ? (bytes[at + 3] as number) ^ 0x80 : 0xff;
  if (first > 0xf4 || fourth > 0x3f) return (1 << 24) | invalid;
  const codePoint = ((first & 0x07) << 18) | (second << 12) | (third << 6) | fourth;
  return codePoint >= 0x1_0000 && codePoint <= 0x10_ffff ? (4 << 24) | codePoint : (1 << 24) | invalid;
}
