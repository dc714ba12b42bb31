/**
 * What must not reach a terminal as it is: controls other than newline and tab, which drive it; directions and zero-width
 * characters, which make a text look like another one; line separators, lone surrogates and tags.
 *
 * Zero-width joiner and variation selector 16 stay, as emoji are made with them.
 */
const unsafe =
  /(?!\n|\t|\u200d|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** The two that `unsafe` lets through, where no emoji stands before them: there they hide something. */
const misplacedJoiner = /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?<!\p{Emoji})\ufe0f/gu;

/**
 * Makes a text that is not ours fit for a terminal: whatever could drive it, or hide something from its reader, becomes
 * visible. The same character always becomes the same text, whatever stands around it, so nothing can be smuggled through
 * in pieces.
 */
export function sanitise(text: string): string {
  return text.replace(unsafe, visible);
}

/** As `sanitise`, for a text that the reader decides on: a joiner outside an emoji is shown too. */
export function sanitiseStrictly(text: string): string {
  return sanitise(text.replace(misplacedJoiner, visible));
}

/** As `sanitise`, for what has to stay on one line: file names, messages. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/[\n\t]/g, visible);
}

function visible(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the 32 oldest controls and of DEL.
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "\u2421";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}
