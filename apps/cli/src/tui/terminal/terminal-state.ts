import { printOut } from "../../host/stdout.ts";

const { TERM, TERM_PROGRAM } = process.env;

/**
 * Modes that are switched on: bracketed paste, to tell pastes from keys; focus reports, to ring only for a user who looks
 * elsewhere; and two protocols for keys without bytes of their own, above all Shift-Enter. Terminals ignore unknown sequences,
 * except that Apple's takes `>4;1m` for underlining.
 */
const modifiedKeys = TERM_PROGRAM === "Apple_Terminal" ? ["", ""] : ["\u001b[>4;1m", "\u001b[>4;0m"];
const on = `\u001b[?2004h\u001b[?1004h${modifiedKeys[0]}\u001b[>1u`;
const off = `\u001b[<u${modifiedKeys[1]}\u001b[?1004l\u001b[?2004l\u001b[?25h`;

/** Asks for the background colour, and for reports of a switch between light and dark. The Linux console would print it. */
const askForColours = TERM === "linux" ? "" : "\u001b]11;?\u0007\u001b[?2031h";
const stopColourReports = "\u001b[?2031l";

/** Puts the terminal into raw mode: keys arrive one by one, without echo. */
export function takeTerminal(): void {
  try {
    process.stdin.setRawMode(true);
    printOut(on + askForColours);
  } catch {
    // The terminal is gone.
  }
}

/** Restores the terminal's modes. */
export function giveTerminalBack(): void {
  try {
    printOut(stopColourReports + off);
    process.stdin.setRawMode(false);
  } catch {
    // The terminal is gone.
  }
}

/** The terminal's columns and rows; 80 × 24 if unknown. */
export function sizeOfTerminal(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Reads the terminal's size; stdout emits `resize` if it has changed.
 *
 * SIGWINCH may still be pending, and a frame drawn for an outdated size cannot be erased: the number of its rows is unknown.
 */
export function noticeSize(): void {
  // Node listens to this event and reads the size.
  process.emit("SIGWINCH", "SIGWINCH");
}
