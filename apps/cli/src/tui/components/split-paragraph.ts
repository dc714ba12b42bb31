/** Rows of a paragraph that stay open: its last words, and what they may still change. */
const openRows = 3;

/** Signs that mean something in pairs. */
const pairs = [/\*\*/g, /`/g, /\*/g, /_/g, /\$/g, /~~/g];

/**
 * Splits a paragraph that is still coming at the end of a row: rows of the first part stay as they are, and the second part
 * continues below them. Undefined where that would change how it looks.
 */
export function splitParagraph(
  text: string,
  render: (text: string) => readonly string[],
): readonly [first: string, second: string] | undefined {
  // More lines, or what has rows that depend on later ones.
  if (text.trimEnd().includes("\n") || /^\s*(?:\||[-+*]\s|\d+[.)]\s|<)/.test(text)) return undefined;
  const rows = render(text);
  const count = rows.length - openRows;
  if (count < 1) return undefined;
  const wanted = rows.slice(0, count).join("\n");
  const after = rows.slice(count).join("\n");
  for (let at = text.indexOf(" ", wanted.length / 2); at >= 0; at = text.indexOf(" ", at + 1)) {
    const first = text.slice(0, at);
    const drawn = render(first);
    if (drawn.length > count) return undefined;
    if (drawn.join("\n") !== wanted || pairs.some((sign) => (first.match(sign)?.length ?? 0) % 2 > 0)) continue;
    const second = text.slice(at + 1).trimStart();
    return render(second).join("\n") === after ? [first, second] : undefined;
  }
  return undefined;
}
