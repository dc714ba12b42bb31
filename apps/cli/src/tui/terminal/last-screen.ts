import { columnsOf } from "../pi-tui/text.ts";

/** What a program that had the terminal left on it. */
export interface LastScreen {
  /** The end of what it printed on the normal screen. */
  readonly printed: string;
  /** The last state of its full screen, if it had one: an editor, a pager. */
  readonly full: string;
}

interface Grid {
  /** The cells of each row, by column. The right half of a wide character is empty. */
  cells: string[][];
  row: number;
  column: number;
  saved: readonly [row: number, column: number];
  /** The rows that scroll. */
  top: number;
  bottom: number;
}

/** The screen that the bytes of a program leave behind. */
interface Emulated {
  readonly columns: number;
  readonly rows: number;
  readonly normal: Grid;
  /** The full screen, also after the program has left it. */
  full: Grid | undefined;
  isFull: boolean;
}

const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for
  /\u001b(?:\[([?>=<]?)([\d;:]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]+.|(.))/y;

/** Replays the output of a program on an empty screen. Unknown control sequences are ignored. */
export function lastScreen(output: string, columns: number, rows: number): LastScreen {
  const screen: Emulated = { columns, rows, normal: emptyGrid(rows), full: undefined, isFull: false };
  for (let at = 0; at < output.length; ) {
    if (output[at] === "\u001b") {
      sequence.lastIndex = at;
      const found = sequence.exec(output);
      if (found) obey(screen, found);
      at = found ? sequence.lastIndex : at + 1;
    } else {
      const character = String.fromCodePoint(output.codePointAt(at) ?? 0);
      put(screen, character);
      at += character.length;
    }
  }
  return { printed: textOf(screen.normal), full: screen.full ? textOf(screen.full) : "" };
}

function emptyGrid(rows: number): Grid {
  return { cells: Array.from({ length: rows }, () => []), row: 0, column: 0, saved: [0, 0], top: 0, bottom: rows - 1 };
}

function textOf({ cells }: Grid): string {
  const lines = cells.map((row) =>
    Array.from(row, (cell) => cell ?? " ")
      .join("")
      .trimEnd(),
  );
  return lines.join("\n").replace(/^\n+/, "").trimEnd();
}

function gridOf({ isFull, full, normal }: Emulated): Grid {
  return isFull && full ? full : normal;
}

function put(screen: Emulated, character: string): void {
  const grid = gridOf(screen);
  switch (character) {
    case "\n":
      down(grid);
      return;
    case "\r":
      grid.column = 0;
      return;
    case "\b":
      grid.column = Math.max(0, grid.column - 1);
      return;
    case "\t":
      grid.column = Math.min(screen.columns - 1, (Math.floor(grid.column / 8) + 1) * 8);
      return;
  }
  if (character < " " || character === "\u007f") return;
  const width = columnsOf(character);
  const row = grid.cells[grid.row] ?? [];
  if (width === 0) {
    // An accent belongs to the letter before it.
    const before = grid.column - 1;
    if (row[before] !== undefined) row[before] += character;
    return;
  }
  if (grid.column + width > screen.columns) {
    grid.column = 0;
    down(grid);
  }
  const target = grid.cells[grid.row] ?? [];
  target[grid.column] = character;
  if (width === 2) target[grid.column + 1] = "";
  grid.column += width;
}

function down(grid: Grid): void {
  if (grid.row === grid.bottom) scroll(grid, grid.top, 1);
  else grid.row = Math.min(grid.cells.length - 1, grid.row + 1);
}

/** Moves the rows from one to the bottom of the region up, or down if `by` is negative. */
function scroll({ cells, bottom }: Grid, from: number, by: number): void {
  for (let left = Math.min(Math.abs(by), bottom - from + 1); left > 0; left--) {
    cells.splice(by > 0 ? from : bottom, 1);
    cells.splice(by > 0 ? bottom : from, 0, []);
  }
}

function obey(screen: Emulated, [, mark = "", numbers = "", kind, letter]: RegExpExecArray): void {
  const grid = gridOf(screen);
  const [first = 0, second = 0] = numbers.split(/[;:]/).map(Number);
  if (letter !== undefined) obeyEscape(grid, letter);
  else if (mark === "?" && (first === 1049 || first === 1047 || first === 47)) switchScreen(screen, kind === "h");
  else if (mark === "" && kind !== undefined && !erase(screen, grid, kind, first))
    moveCursor(screen, grid, kind, [first, second]);
}

function switchScreen(screen: Emulated, isFull: boolean): void {
  if (isFull && !screen.isFull) screen.full = emptyGrid(screen.rows);
  screen.isFull = isFull;
}

function obeyEscape(grid: Grid, letter: string): void {
  if (letter === "7") grid.saved = [grid.row, grid.column];
  if (letter === "8") [grid.row, grid.column] = grid.saved;
  if (letter === "D" || letter === "E") down(grid);
  if (letter === "E") grid.column = 0;
  if (letter !== "M") return;
  if (grid.row === grid.top) scroll(grid, grid.top, -1);
  else grid.row = Math.max(0, grid.row - 1);
}

/** Erases, inserts and deletes; false for any other sequence. */
function erase({ columns }: Emulated, grid: Grid, kind: string, first: number): boolean {
  const { cells, row, column } = grid;
  const line = cells[row] ?? [];
  const count = Math.max(1, first);
  if (kind === "J") {
    for (let at = first === 0 ? row + 1 : 0; at < (first === 1 ? row : cells.length); at++) cells[at] = [];
    if (first === 0) line.length = Math.min(line.length, column);
    else if (first === 1) line.fill(" ", 0, column + 1);
  } else if (kind === "K") {
    if (first === 0) line.length = Math.min(line.length, column);
    else if (first === 1) line.fill(" ", 0, column + 1);
    else line.length = 0;
  } else if (kind === "X") line.fill(" ", column, column + count);
  else if (kind === "P") line.splice(column, count);
  else if (kind === "@") {
    if (column < line.length) line.splice(column, 0, ...Array<string>(Math.min(count, columns)).fill(" "));
    line.length = Math.min(line.length, columns);
  } else if (kind === "L") scroll(grid, row, -count);
  else if (kind === "M") scroll(grid, row, count);
  else if (kind === "S") scroll(grid, grid.top, count);
  else if (kind === "T") scroll(grid, grid.top, -count);
  else return false;
  return true;
}

function moveCursor({ columns, rows }: Emulated, grid: Grid, kind: string, [first, second]: [number, number]): void {
  const count = Math.max(1, first);
  if (kind === "A" || kind === "F") grid.row -= count;
  else if (kind === "B" || kind === "E" || kind === "e") grid.row += count;
  else if (kind === "C" || kind === "a") grid.column += count;
  else if (kind === "D") grid.column -= count;
  else if (kind === "G" || kind === "`") grid.column = count - 1;
  else if (kind === "d") grid.row = count - 1;
  else if (kind === "H" || kind === "f") [grid.row, grid.column] = [count - 1, Math.max(1, second) - 1];
  else if (kind === "s") grid.saved = [grid.row, grid.column];
  else if (kind === "u") [grid.row, grid.column] = grid.saved;
  else if (kind === "r") {
    grid.top = Math.min(count, rows) - 1;
    grid.bottom = second > grid.top ? Math.min(second, rows) - 1 : rows - 1;
    [grid.row, grid.column] = [0, 0];
  }
  if (kind === "E" || kind === "F") grid.column = 0;
  grid.row = Math.max(0, Math.min(rows - 1, grid.row));
  grid.column = Math.max(0, Math.min(columns - 1, grid.column));
}
