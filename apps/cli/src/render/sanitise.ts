import { showInvisible, signOf } from "@ikigai/system";

/**
 * The two that `sanitise` allows, where they are not part of an emoji and can only hide something, and what looks like a space but does not
 * separate words.
 */
const hiding =
  /(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d|(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)|(?! )[\p{Zs}\u2800]/gu;

/** Characters that the screen draws others for. */
let replaced: RegExp | undefined;

/** Says that the screen replaces characters: where the user approves a text, these are shown by their numbers from now on. */
export function showAsNumbers(characters: RegExp): void {
  replaced = characters;
}

/** More halves of flags in a row than texts have. Node finds characters in such a row in time that grows with the square of its length. */
const flagRow = /\p{Regional_Indicator}{129,}/gu;

/** Makes untrusted text safe for a terminal, see `showInvisible`. */
export function sanitise(text: string): string {
  return showInvisible(text).replace(flagRow, (row) => Array.from(row, signOf).join(""));
}

/** As `sanitise`, for text that the user approves: also shows joiners outside emoji, and what looks like a space. */
export function sanitiseStrictly(text: string): string {
  const shown = sanitise(text.replace(hiding, signOf));
  return replaced === undefined ? shown : shown.replace(replaced, signOf);
}

/** As `sanitise`, for text that must stay on one line: file names, messages. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/[\n\t]/g, signOf);
}
