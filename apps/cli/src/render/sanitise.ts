import { showInvisible, signOf } from "@ikigai/system";

/** The two that `sanitise` allows, where they do not follow an emoji and can only hide something. */
const misplacedJoiner = /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?<!\p{Emoji})\ufe0f/gu;

/** Makes untrusted text safe for a terminal, see `showInvisible`. */
export function sanitise(text: string): string {
  return showInvisible(text);
}

/** As `sanitise`, for text that the user approves: also shows joiners outside emoji. */
export function sanitiseStrictly(text: string): string {
  return sanitise(text.replace(misplacedJoiner, signOf));
}

/** As `sanitise`, for text that must stay on one line: file names, messages. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/[\n\t]/g, signOf);
}
