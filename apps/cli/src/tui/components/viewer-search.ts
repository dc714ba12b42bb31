import { wrap } from "../pi-tui/theme.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles and links
const styles = /\u001b\[[\d;:]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

const reversed = wrap("7", "27");

/** What is searched for; capitals count only if there are any. */
function patternOf(query: string): RegExp {
  const escaped = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(escaped, query === query.toLowerCase() ? "giu" : "gu");
}

/** The index of the next line with a match, from `start` on, around the end; undefined if nothing matches. */
export function findLine(lines: readonly string[], query: string, start: number, step: 1 | -1): number | undefined {
  const pattern = patternOf(query);
  const { length } = lines;
  for (let n = 0; n < length; n++) {
    const index = (((start + step * n) % length) + length) % length;
    if (withoutStyles(lines[index] ?? "").search(pattern) >= 0) return index;
  }
  return undefined;
}

/** The line with its matches reversed, and without its other styles if it has any. */
export function withMatches(line: string, query: string): string {
  const plain = withoutStyles(line);
  return plain.search(patternOf(query)) < 0 ? line : plain.replace(patternOf(query), (match) => reversed(match));
}

function withoutStyles(line: string): string {
  return line.replace(styles, "");
}
