/** Codes of the characters with a meaning in patterns. */
export const ascii = {
  exclamation: 0x21,
  asterisk: 0x2a,
  dash: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  equals: 0x3d,
  question: 0x3f,
  opening: 0x5b,
  backslash: 0x5c,
  closing: 0x5d,
  caret: 0x5e,
} as const;
