/**
 * Characters that must not reach a terminal: control characters other than newline and tab; bidirectional and zero-width
 * characters, which make one text look like another; line separators, lone surrogates and tags.
 *
 * Zero-width joiner and variation selector 16 are allowed: emoji need them.
 */
const unsafe =
  /(?!\n|\t|\u200d|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** The two that `unsafe` allows, where they do not follow an emoji and can only hide something. */
const misplacedJoiner = /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?<!\p{Emoji})\ufe0f/gu;

/**
 * Makes untrusted text safe for a terminal: characters that control the terminal or hide text become visible. Each character
 * is replaced regardless of its context, so nothing slips through when a text arrives in pieces.
 */
export function sanitise(text: string): string {
  return text.replace(unsafe, visible);
}

/** As `sanitise`, for text that the user approves: also shows joiners outside emoji. */
export function sanitiseStrictly(text: string): string {
  return sanitise(text.replace(misplacedJoiner, visible));
}

/** As `sanitise`, for text that must stay on one line: file names, messages. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/[\n\t]/g, visible);
}

function visible(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the C0 controls and DEL.
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "\u2421";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}
