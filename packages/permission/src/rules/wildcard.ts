// The patterns of rules: `*` matches any text.

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

/** Whether some text matches both patterns. */
export function overlaps(one: string, other: string): boolean {
  const [rows, columns] = [tokensOf(one), tokensOf(other)];
  // Whether some text matches the first `column` tokens of `other` and the tokens of `one` read so far.
  let reached = [true];
  for (const [index, token] of columns.entries()) reached.push(token === star && reached[index] === true);
  for (const row of rows) {
    const next = [row === star && reached[0] === true];
    for (const [index, column] of columns.entries()) {
      const isStar = row === star || column === star;
      const isEither = isStar && (reached[index + 1] === true || next[index] === true);
      next.push(isEither || (row === column && reached[index] === true));
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** Stands for any text in a list of characters. */
const star = Symbol("star");

function tokensOf(pattern: string): readonly (string | typeof star)[] {
  return toWildcard(pattern).pieces.flatMap((piece, index) => (index === 0 ? [...piece] : [star, ...piece]));
}

/** Returns a pattern that matches exactly this text. */
export function exactly(text: string): string {
  return text.replace(/[\\*]/g, "\\$&");
}
