import { fuzzyMatch, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** How many columns a text of one line takes, its colours aside. */
export function columnsOf(text: string): number {
  return visibleWidth(text);
}

/** Breaks a text with colours into lines that fit, between words where that can be. */
export function wrapStyled(text: string, columns: number): string[] {
  return wrapTextWithAnsi(text, Math.max(1, columns)).map((line) => line.trimEnd());
}

/** The same for lines that stand for themselves: what goes on in the next row is set in. */
export function wrapHanging(text: string, columns: number, indent: number): string[] {
  return text.split("\n").flatMap((line) => {
    if (columnsOf(line) <= columns) return [line];
    const [first = "", ...rest] = wrapStyled(line, columns - indent);
    return [first, ...rest.map((row) => " ".repeat(indent) + row)];
  });
}

/** As much of the start of a line as fits, with `sign` behind it where something is left out. */
export function cutStyled(text: string, columns: number, sign: string): string {
  return columnsOf(text) <= columns ? text : truncateToWidth(text, Math.max(0, columns), sign);
}

/** The candidates that a person may mean by some of their letters, the best first. All of them in their order for no letters. */
export function rankMatches<Candidate>(
  candidates: readonly Candidate[],
  wanted: string,
  textOf: (candidate: Candidate) => string,
): Candidate[] {
  const words = wanted.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...candidates];
  const scored = candidates.flatMap((candidate) => {
    const matches = words.map((word) => fuzzyMatch(word, textOf(candidate)));
    if (!matches.every((match) => match.matches)) return [];
    return [{ candidate, score: matches.reduce((sum, { score }) => sum + score, 0) }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ candidate }) => candidate);
}
