/**
 * Characters that must not reach a terminal or a page: control characters other than newline and tab; format characters, such as
 * bidirectional and zero-width ones, which make one text look like another; line separators, lone surrogates and tags.
 *
 * Zero-width joiner and variation selector 16 are allowed: emoji need them.
 */
const unsafe = /(?!\n|\t|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Makes characters visible that control a terminal, change the order of a text or hide in it. Each character is replaced regardless of
 * its context, so nothing slips through when a text arrives in pieces.
 *
 * @param sign returns what is shown instead of a character.
 */
export function showInvisible(text: string, sign: (character: string) => string = signOf): string {
  return text.replace(unsafe, (character) => sign(character));
}

/** A visible sign for a character: that of Unicode, or its number. */
export function signOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the C0 controls and DEL.
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "\u2421";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}
