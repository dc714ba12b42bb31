/**
 * Makes a text safe to show: whoever wrote it, nothing in it drives the terminal or pretends to be something else.
 *
 * Controls, and characters that are invisible or turn the direction of writing, are shown as signs; newline and tab stay, and
 * so do the joiner and the selector that emoji are made with. It works on single characters, so that no sequence can slip
 * through between two pieces of a stream.
 */
export function sanitise(text: string): string {
  return text.replace(unsafe, show);
}

/** The same on one line. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replaceAll("\n", "⏎").replaceAll("\t", " ");
}

/**
 * C0 but newline and tab, DEL, C1; soft hyphen, the directional marks, embeddings and isolates; zero-width characters but
 * the joiner; line and paragraph separators; interlinear and tag characters; half a surrogate pair.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is what this is for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are meant
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Surrogate}]/gu;

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
