// Makes text of models, tools and programs safe for a terminal: control and invisible characters are shown, styles are removed.

import { showInvisible, signOf, withoutEnd } from "@ikigai/system";

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: how programs style text and erase lines
const looks = /\u001b\[[\d;:]*[mK]/g;

/** Removes a program's styles and line erasures. Other control sequences stay, for `sanitise` to make visible. */
export function withoutLooks(printed: string): string {
  return printed.replace(looks, "");
}

/** As `withoutLooks`, for the last state of a line that was overwritten, as progress is. */
export function asOnTerminal(line: string): string {
  return withoutLooks(lastState(line));
}

/** The last state of a line that was overwritten, with its styles. */
export function lastState(line: string): string {
  const end = withoutEnd(line, "\r");
  return end.slice(end.lastIndexOf("\r") + 1);
}

/** All states of a line that was overwritten: what a terminal hides, the model has read. */
export function statesOf(line: string): string[] {
  return withoutEnd(line, "\r").split(/\r+/);
}

/** Creates a function that passes text on, and holds back the first half of a surrogate pair that arrives in two pieces. */
export function wholeCharacters(): (text: string) => string {
  let half = "";
  return (text) => {
    const come = half + text;
    half = /[\ud800-\udbff]$/.test(come) ? come.slice(-1) : "";
    return come.slice(0, come.length - half.length);
  };
}
