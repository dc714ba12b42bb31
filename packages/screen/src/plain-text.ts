// How wide plain text is on a terminal, and how it is cut and wrapped to a width. Loads nothing; text with styles is in styled-text.ts.

const zeroWidth = /^(?:\p{Mn}|\p{Me}|\u200d|\ufe0f)$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ua960-\ua97f\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]$/u;

/** The width of a sanitised one-line text, in terminal columns. */
export function plainWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += characterWidth(character);
  return columns;
}

/** The text, or as much of its start as fits with `sign` after it. Counts marks, which some terminals give a column. */
export function cutToWidth(text: string, maxColumns: number, sign: string): string {
  return cut(text, maxColumns, sign, mostColumns);
}

/** The same for a part of a row that is cut itself: does not count marks. */
export function cutPart(text: string, maxColumns: number, sign: string): string {
  return cut(text, maxColumns, sign, characterWidth);
}

function cut(text: string, maxColumns: number, sign: string, widthOf: (character: string) => number): string {
  const room = maxColumns - plainWidth(sign);
  let columns = 0;
  let length = 0;
  let lengthWithSign = 0;
  for (const character of text) {
    columns += widthOf(character);
    length += character.length;
    if (columns <= room) lengthWithSign = length;
    if (columns > maxColumns) return text.slice(0, lengthWithSign) + sign;
  }
  return text;
}

function mostColumns(character: string): number {
  return Math.max(1, characterWidth(character));
}

function characterWidth(character: string): number {
  // The most that a tab can take: cutting too early is safe.
  if (character === "\t") return 8;
  if (character < "\x7f") return 1;
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Wraps a sanitised line at spaces. A word that is too wide stays whole. */
export function wrapWords(line: string, maxColumns: number): string {
  return wrapParts(line.split(" "), maxColumns, " ");
}

/** Wraps a sanitised line into rows that no terminal wraps again. A word that is too wide is cut into pieces. */
export function rowsOf(line: string, maxColumns: number): string[] {
  return wrapWords(line, maxColumns)
    .split("\n")
    .flatMap((row) => piecesOf(row, maxColumns));
}

function piecesOf(row: string, maxColumns: number): string[] {
  const pieces = [""];
  let columns = 0;
  for (const character of row) {
    columns += mostColumns(character);
    if (columns > maxColumns) {
      pieces.push("");
      columns = mostColumns(character);
    }
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** Writes sanitised parts, with a gap between them, in as few rows as they fit in. A part that is too wide stays whole. */
export function wrapParts(parts: readonly string[], maxColumns: number, gap = "   "): string {
  const lines: string[] = [];
  let current = "";
  for (const word of parts) {
    const longer = current === "" ? word : `${current}${gap}${word}`;
    if (current === "" || plainWidth(longer) <= maxColumns) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current].join("\n");
}

/** Wraps each line of a sanitised notice at spaces, but an excerpt of a file above a caret is cut to the width, around the caret. */
export function wrapNotice(notice: string, maxColumns: number): string {
  const lines = notice.split("\n");
  const rows = lines.map((line, index) => {
    const mark = caretOf(line) ?? caretOf(lines[index + 1] ?? "");
    return mark === undefined ? wrapWords(line, maxColumns) : cutAround(line, mark, maxColumns);
  });
  return rows.join("\n");
}

/** The column of a caret alone on an indented line. */
function caretOf(line: string): number | undefined {
  return /^ +\^$/.test(line) ? line.length - 1 : undefined;
}

/** Cuts a line, and the one with the caret below it, at the same column. */
function cutAround(line: string, mark: number, maxColumns: number): string {
  // At the end of the row may be the sign for what is cut.
  if (mark < maxColumns - 1) return cutToWidth(line, maxColumns, "…");
  const from = mark - Math.floor(maxColumns / 2);
  const before = caretOf(line) === undefined ? "…" : " ";
  return cutToWidth(`${before}${line.slice(from)}`, maxColumns, "…");
}

/** All lines if they are few, else the first and last ones around `gap(number omitted)`. */
export function headAndTail<Line>(
  lines: readonly Line[],
  { head, tail, gap }: { head: number; tail: number; gap: (leftOut: number) => Line },
): Line[] {
  // A gap of one line would take as much room as the line.
  if (lines.length <= head + tail + 1) return [...lines];
  return [...lines.slice(0, head), gap(lines.length - head - tail), ...lines.slice(lines.length - tail)];
}
