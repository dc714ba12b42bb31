import { printOut } from "../../host/stdout.ts";

const { TERM, TERM_PROGRAM } = process.env;

/**
 * Bracketed paste, so that what is pasted is told from what is typed; focus, so that nobody is rung for who looks; and the two ways in which terminals report keys that
 * have no bytes of their own, Shift-Enter above all. Terminals pass over what they do not know, except that Apple's takes the
 * second for underlining.
 */
const modifiedKeys = TERM_PROGRAM === "Apple_Terminal" ? ["", ""] : ["\u001b[>4;1m", "\u001b[>4;0m"];
const on = `\u001b[?2004h\u001b[?1004h${modifiedKeys[0]}\u001b[>1u`;
const off = `\u001b[<u${modifiedKeys[1]}\u001b[?1004l\u001b[?2004l\u001b[?25h`;

/** Asks for the colour of the ground, and to be told when it changes between light and dark. Linux's console prints it. */
const askForColours = TERM === "linux" ? "" : "\u001b]11;?\u0007\u001b[?2031h";
const stopColourReports = "\u001b[?2031l";

/** Makes the terminal ours: keys come one by one, and unseen. */
export function takeTerminal(): void {
  try {
    process.stdin.setRawMode(true);
    printOut(on + askForColours);
  } catch {
    // There is no terminal any more.
  }
}

/** Makes the terminal what it was. */
export function giveTerminalBack(): void {
  try {
    printOut(stopColourReports + off);
    process.stdin.setRawMode(false);
  } catch {
    // There is no terminal any more.
  }
}

/** Columns and rows, as far as is known. Terminals that do not say have what terminals once had. */
export function sizeOfTerminal(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Asks the terminal for its size, and lets stdout say `resize` when it is another one.
 *
 * The signal that tells of it may still be on its way, and what is drawn for a size that the window has no more cannot be taken
 * back: nobody knows how many rows it takes.
 */
export function noticeSize(): void {
  // Node itself listens to the signal, and looks at the size then.
  process.emit("SIGWINCH", "SIGWINCH");
}
