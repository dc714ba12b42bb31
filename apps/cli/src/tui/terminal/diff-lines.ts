import { columnsOf, wrapMarks } from "../pi-tui/text.ts";

/** The lines drawn below the committed ones, and the row of the cursor among them. */
export interface Drawn {
  readonly lines: readonly string[];
  readonly row: number;
}

const eraseLine = "\u001b[K";
const eraseBelow = "\u001b[J";

/**
 * Returns the control sequences that turn the drawn lines into the wanted ones, and the row where they leave the cursor.
 *
 * Lines before and after a change are not written again: the terminal moves them. All movements are relative to the cursor, so
 * the position of the lines on the screen does not matter. Lines that do not fit scroll away at the top.
 */
export function diffLines(drawn: Drawn, wanted: readonly string[], rows: number): { output: string; row: number } {
  const { lines } = drawn;
  const head = countEqual(lines, wanted);
  const most = Math.min(lines.length, wanted.length) - head;
  const tail = Math.min(most, countEqual(lines.slice(head).reverse(), wanted.slice(head).reverse()));
  const gone = lines.length - head - tail;
  const come = wanted.length - head - tail;
  if (gone === 0 && come === 0) return { output: "", row: drawn.row };
  if (gone === 1 && come === 1) return changeLine(drawn, head, wanted[head] ?? "");
  const keepsTail = tail > 0 && gone !== come && come + tail < rows;
  if (keepsTail) return moveTail(drawn, wanted, { head, gone, come });
  const end = gone === come ? head + come : wanted.length;
  return rewrite(drawn, wanted, { head, end });
}

/** Rewrites one line, or only appends to it, which is the most common change. */
function changeLine({ lines, row }: Drawn, at: number, now: string) {
  const before = lines[at] ?? "";
  const isLonger = before !== "" && now.startsWith(before);
  const change = isLonger ? `\u001b[${columnsOf(before) + 1}G${now.slice(before.length)}` : `\r${eraseLine}${now}`;
  return { output: `${move(at - row)}${change}`, row: at };
}

interface Change {
  readonly head: number;
  readonly gone: number;
  readonly come: number;
}

/** Lets the terminal move the rows below the change, then writes the changed ones. */
function moveTail({ lines, row }: Drawn, wanted: readonly string[], { head, gone, come }: Change) {
  const grows = come - gone;
  let output = "";
  if (grows > 0) {
    // Make room below first; this scrolls only at the bottom of the screen.
    const last = lines.length - 1;
    output += `${move(last - row)}\r${"\n".repeat(grows)}${move(head + gone - last - grows)}\u001b[${grows}L`;
  } else {
    output += `${move(head + come - row)}\r\u001b[${-grows}M`;
  }
  const at = grows > 0 ? head + gone : head + come;
  if (come === 0) return { output, row: at };
  const written = rewriteRows(wanted, { from: at, head, end: head + come });
  return { output: output + written.output, row: written.row };
}

/** Writes all rows from the first change to `end`. */
function rewrite({ lines, row }: Drawn, wanted: readonly string[], { head, end }: { head: number; end: number }) {
  if (head >= wanted.length) {
    // Only the end was removed.
    const last = Math.max(0, wanted.length - 1);
    if (wanted.length === 0) return { output: `${move(-row)}\r${eraseBelow}`, row: 0 };
    return { output: `${move(wanted.length - row)}\r${eraseBelow}${move(-1)}`, row: last };
  }
  let from = row;
  let output = "";
  if (head >= lines.length) {
    // The row does not exist yet.
    const last = Math.max(0, lines.length - 1);
    output = `${move(last - row)}${lines.length > 0 ? "\r\n" : "\r"}`;
    from = head;
  }
  const written = rewriteRows(wanted, { from, head, end });
  const isShorter = end === wanted.length && lines.length > wanted.length;
  // From the row below: at the end of a full row, this would erase its last character.
  return {
    output: output + written.output + (isShorter ? `\r${move(1)}${eraseBelow}${move(-1)}` : ""),
    row: written.row,
  };
}

function rewriteRows(wanted: readonly string[], { from, head, end }: { from: number; head: number; end: number }) {
  const rows = wanted.slice(head, end);
  let output = "";
  let isWrapped = false;
  for (const [index, line] of rows.entries()) {
    const before = index === 0 ? undefined : rows[index - 1];
    const wraps: boolean =
      (line.startsWith(wrapMarks.first) || isWrapped) && rows[index + 1]?.startsWith(wrapMarks.next) === true;
    output += rowOf(line, before, { isWrapped, wraps });
    isWrapped = wraps;
  }
  return { output: `${move(head - from)}\r${output}`, row: end - 1 };
}

const wrapOn = "\u001b[?7h";
const wrapOff = "\u001b[?7l";

/** A row from the start of its line, or, where the terminal wraps, straight after the row before. */
function rowOf(
  line: string,
  before: string | undefined,
  { isWrapped, wraps }: { isWrapped: boolean; wraps: boolean },
): string {
  if (!isWrapped) return `${before === undefined ? "" : "\r\n"}${wraps ? wrapOn : ""}${eraseLine}${line}`;
  if (wraps) return line;
  // At the end of a full row, this would erase its last character.
  return `${line}${columnsOf(line) < columnsOf(before ?? "") ? eraseLine : ""}${wrapOff}`;
}

/** Moves the cursor by rows, and to a column. */
export function goTo(rows: number, column: number): string {
  return `${move(rows)}\r${column > 0 ? `\u001b[${column}C` : ""}`;
}

function move(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? `\u001b[${rows}B` : `\u001b[${-rows}A`;
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

/** In two steps: tmux takes erasing all from the first row for clearing the screen, and keeps a copy. */
const eraseFromHere = "\u001b7\u001b[K\u001b[B\u001b[J\u001b8";

/** Erases what is drawn from `up` rows above the cursor on. */
export function eraseFrom(up: number): string {
  return `${up > 0 ? `\u001b[${up}A` : ""}\r${eraseFromHere}`;
}
