// The one definition of characters that a person does not see: removed from what a model reads, shown as signs to a person.

/**
 * Control characters, format characters (zero width, soft hyphens, directions of writing, tags, which can spell whole sentences),
 * fillers, variation selectors, private and broken characters. Unicode says which they are, except the three of interlinear
 * annotations.
 */
const unseen = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** The signs of numbers and years in Arabic, Syriac and Kaithi are format characters, but visible. */
const seen = String.raw`[\t\n\f\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;

/** The selector of an emoji or of a key cap, and the joiner between two emoji. */
const ofEmoji = String.raw`(?<=\p{Extended_Pictographic})\ufe0f|\ufe0f(?=\u20e3)|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`;

const invisible = new RegExp(`(?!${seen}|${ofEmoji})${unseen}`, "gu");

/** Whether a text has a character that a person does not see and a model reads. Emoji and white space have none. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/** Removes these characters, and counts them. */
export function withoutInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replace(invisible, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}

/** Removes these characters from a text with instructions for a model. `note`: the end of a sentence about it, if there were any. */
export function visibleInstructions(given: string): { readonly text: string; readonly note?: string } {
  // The mark at the start of a file is not part of its text.
  const { text, removed } = withoutInvisible(given.replace(/^\ufeff/, ""));
  if (removed === 0) return { text };
  const characters = removed === 1 ? "1 invisible character" : `${removed} invisible characters`;
  return { text, note: `has ${characters}, which the model does not get.` };
}

/** Returns a text on one line, without these characters. */
export function visibleLine(text: string): string {
  const spaced = text.replace(/[\s\p{Cc}]/gu, " ");
  return withoutInvisible(spaced).text.replace(/\s+/g, " ").trim();
}

/**
 * Characters that must not reach a terminal or a page: line separators, too, which make two lines of one. Zero-width joiner and variation selector 16
 * are allowed wherever they are: emoji need them, and a text may arrive in pieces. Private characters are drawn by some fonts.
 */
const unsafe = new RegExp(String.raw`(?![\n\t\u200d\ufe0f]|\p{Co})(?:${unseen}|[\p{Zl}\p{Zp}])`, "gu");

/**
 * Makes characters visible that control a terminal, change the order of a text or hide in it. Each character is replaced regardless of
 * its context, so nothing slips through when a text arrives in pieces.
 *
 * @param sign returns what is shown instead of a character.
 */
export function showInvisible(text: string, sign: (character: string) => string = signOf): string {
  return text.replace(unsafe, (character) => sign(character));
}

/** The same for a text that stays on one line: line feeds and tabs are shown, too. */
export function showOnLine(text: string, sign: (character: string) => string = signOf): string {
  return showInvisible(text, sign).replace(/[\n\t]/g, (character) => sign(character));
}

/** A character in ASCII, as JavaScript escapes it. */
export function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A visible sign for a character: that of Unicode, or its number. */
export function signOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the C0 controls and DEL.
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "\u2421";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}
