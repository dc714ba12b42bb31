import { plainText } from "../pi-tui/text.ts";

/** Rows of a paragraph that stay open: its last words, and what they may still change. */
const openRows = 3;

/** Signs that mean something in pairs. */
const pairs = [/\*\*/g, /`/g, /\*/g, /_/g, /\$/g, /~~/g];

/** How far the second attempt is behind the first, in UTF-16 units. */
const firstStep = 8;

/**
 * Splits a paragraph that is still coming at the end of a row: rows of the first part stay as they are, and the second part
 * continues below them. Undefined where that would change how it looks.
 */
export function splitParagraph(
  text: string,
  render: (text: string) => readonly string[],
): readonly [first: string, second: string] | undefined {
  // More lines, or what has rows that depend on later ones.
  if (text.trimEnd().includes("\n") || /^\s*(?:[|<>]|[-+*]\s|\d+[.)]\s)/.test(text)) return undefined;
  if (!text.trim().includes(" ")) return undefined;
  const rows = render(text);
  const count = rows.length - openRows;
  if (count < 1) return undefined;
  const at = endOf(rows.slice(0, count), text, render);
  if (at === undefined) return undefined;
  const [first, second] = [text.slice(0, at), text.slice(at + 1).trimStart()];
  if (pairs.some((sign) => (first.match(sign)?.length ?? 0) % 2 > 0)) return undefined;
  return render(second).join("\n") === rows.slice(count).join("\n") ? [first, second] : undefined;
}

/**
 * The space in a text at which the part ends that is drawn as these rows; undefined if no such space exists. Every attempt draws a part: the
 * first is right for a text without signs, and after a few the part is found, or the space is between two attempts.
 */
function endOf(rows: readonly string[], text: string, render: (text: string) => readonly string[]): number | undefined {
  const wanted = rows.join("\n");
  let [tooShort, tooLong, step] = [0, text.length, firstStep];
  for (let next = plainText(wanted).length; ; ) {
    const after = text.indexOf(" ", Math.max(next, tooShort + 1));
    const at = after >= 0 && after < tooLong ? after : text.lastIndexOf(" ", tooLong - 1);
    if (at <= tooShort) return undefined;
    const drawn = render(text.slice(0, at));
    if (drawn.join("\n") === wanted) return at;
    if (drawn.length > rows.length) tooLong = at;
    else tooShort = at;
    next = tooLong === text.length ? at + step : Math.floor((tooShort + tooLong) / 2);
    step *= 2;
  }
}
