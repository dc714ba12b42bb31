/**
 * Whether a text is what a pattern says. `*` stands for any text, also none; `\*` and `\\` for themselves. Linear but for
 * the number of stars: what follows a star is looked for once, from the left.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const pieces = split(pattern);
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= text.length - last.length;
}

export function hasWildcard(pattern: string): boolean {
  return split(pattern).length > 1;
}

/** A pattern for exactly this text. */
export function exactly(text: string): string {
  return text.replace(/[\\*]/g, "\\$&");
}

/** The literal texts between the stars. */
function split(pattern: string): string[] {
  const pieces = [""];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    const next = pattern[index + 1];
    if (character === "*") pieces.push("");
    else if (character === "\\" && (next === "*" || next === "\\")) pieces.push(pieces.pop() + pattern.charAt(++index));
    else pieces.push(pieces.pop() + character);
  }
  return pieces;
}
