/** Returns a text on one line, without control characters and characters that a person does not see. */
export function visibleLine(text: string): string {
  return text
    .replace(/[\p{Cf}\u{e0000}-\u{e007f}]/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
