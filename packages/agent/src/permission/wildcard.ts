/** A parsed pattern. */
export interface Wildcard {
  /** The literal texts between the stars. */
  readonly pieces: readonly string[];
}

/** Parses a pattern. `*` matches any text, including none; `\*` and `\\` are literal. */
export function toWildcard(pattern: string): Wildcard {
  const pieces: string[] = [];
  let piece = "";
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    const next = pattern[index + 1];
    if (character === "*") {
      pieces.push(piece);
      piece = "";
    } else if (character === "\\" && (next === "*" || next === "\\")) piece += pattern.charAt(++index);
    else piece += character;
  }
  return { pieces: [...pieces, piece] };
}

/** Whether a text matches a pattern. Linear except for the number of stars: each piece is searched once, from the left. */
export function matches({ pieces }: Wildcard, text: string): boolean {
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

export function matchesWildcard(pattern: string, text: string): boolean {
  return matches(toWildcard(pattern), text);
}

/** Returns a pattern that matches exactly this text. */
export function exactly(text: string): string {
  return text.replace(/[\\*]/g, "\\$&");
}
