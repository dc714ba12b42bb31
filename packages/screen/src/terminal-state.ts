// The terminal: how it is taken and given back, what it says about itself, and what it can show.
import type { TerminalKind } from "./style.ts";

const { TERM, TERM_PROGRAM, STY, TMUX } = process.env;

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

let write = (text: string): void => void process.stdout.write(text);

/** From now on, `print` writes what is drawn: it knows what to do when the terminal is gone. */
export function drawWith(print: (text: string) => void): void {
  write = print;
}

/** Writes to the terminal. */
export function printOut(text: string): void {
  write(text);
}

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

/** What the terminal reports about itself, when it is asked. */
export interface TerminalReports {
  /** Asks for the row of the cursor, counted from 0. */
  askRow(found: (row: number) => void): void;
  /** Makes the answers that are still missing void: what is on the screen has changed. */
  forget(): void;
  /** Takes an answer; false if the input is something else. */
  take(typed: string): boolean;
  /** What a resize does to lines; `wraps` until the terminal says what it is. */
  resizeKind(): ResizeKind;
}

/** Whether a terminal wraps lines that become too wide for it, and xterm.js (in VS Code and browsers), which misplaces the cursor. */
export type ResizeKind = "wraps" | "cuts" | "xterm.js";

/** Asks for the position of the cursor, and for the kind of the terminal. */
const whereAmI = "\u001b[6n";
const whatAreYou = TERM === "linux" ? "" : "\u001b[>c";

/** What the first frame asks. */
export const firstQuestions = whereAmI + whatAreYou;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the answers of a terminal
const positionAnswer = /^\u001b\[(\d+);\d+R$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the answers of a terminal
const kindAnswer = /^\u001b\[>([\d;]*)c$/;

/** The answers of xterm, GNU screen and PuTTY, which cut lines instead. */
const cuts = /^(?:41|83)(?:;|$)|^0;136(?:;|$)/;
const xtermJs = /^0;276(?:;|$)/;

/** How long a position is waited for, in milliseconds: later, the same bytes are a key, Shift-F3. */
const answerMs = 2_000;

/** @param found takes the answer to the questions of the first frame */
export function createReports(print: (text: string) => void, found: (row: number) => void): TerminalReports {
  let asked: { readonly atMs: number; readonly found: (row: number) => void }[] = [];
  let kind: ResizeKind = TERM === "linux" || (STY && !TMUX) ? "cuts" : "wraps";
  const expect = (take: (row: number) => void) => asked.push({ atMs: performance.now(), found: take });
  expect(found);
  return {
    askRow(take) {
      expect(take);
      print(whereAmI);
    },
    forget() {
      asked = asked.map(({ atMs }) => ({ atMs, found() {} }));
    },
    take(typed) {
      const name = kindAnswer.exec(typed)?.[1];
      if (name !== undefined) kind = cuts.test(name) ? "cuts" : xtermJs.test(name) ? "xterm.js" : kind;
      const row = positionAnswer.exec(typed)?.[1];
      if (row === undefined) return name !== undefined;
      asked = asked.filter(({ atMs }) => performance.now() - atMs < answerMs);
      const question = asked.shift();
      question?.found(Number(row) - 1);
      return question !== undefined;
    },
    resizeKind: () => kind,
  };
}

/** Reduces a line to what may be drawn. */
export type Drawable = (line: string) => string;

/**
 * Returns a filter that lets through only text and the styles that the terminal supports. Untrusted text is sanitised long
 * before; this is a second barrier, also for the output of libraries.
 */
export function drawableOn({ hasColours, isAscii }: Pick<TerminalKind, "hasColours" | "isAscii">): Drawable {
  const steps = [onlyColours, ...(hasColours ? [] : [withoutColours]), ...(isAscii ? [plainSigns] : [])];
  return (line) => steps.reduce((text, step) => step(text), line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not pass
const notOurs = /\u001b(?!\[[\d;]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g;

function onlyColours(line: string): string {
  return line.replaceAll("\t", "    ").replace(notOurs, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const looks = /\u001b\[([\d;]*)m/g;

/** The colour codes of a style, for text, background or underline: one of 16, one of 256, or RGB. */
const colour = /(?:^|;)(?:[345]8;(?:5;\d+|2;\d+;\d+;\d+)|[345]9|[34][0-7]|9[0-7]|10[0-7])(?=;|$)/g;

/** Removes colours; bold, dim and the like stay. */
function withoutColours(line: string): string {
  return line.replace(looks, (whole, codes: string) => {
    const rest = codes.replace(colour, "").replace(/^;/, "");
    if (rest === codes) return whole;
    return rest === "" ? "" : `\u001b[${rest}m`;
  });
}

/** ASCII replacements for the characters that we and the libraries draw with. */
const plain: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["─━═", "-"],
    ["│┃║▏", "|"],
    ["┌┐└┘├┤┬┴┼╭╮╰╯", "+"],
    ["›❯→▶", ">"],
    ["←◆", "<"],
    ["↳", "\\"],
    ["↑", "^"],
    ["↓", "v"],
    ["●•⠋⠙⠸⠴⠦⠇", "*"],
    ["·…", "."],
    ["−–—", "-"],
    ["█", "#"],
    ["✗", "x"],
    ["░", "."],
  ].flatMap(([signs = "", letter = ""]) => [...signs].map((sign) => [sign, letter])),
);

/** The characters that have a replacement. */
export const drawnSigns = new RegExp(`[${Object.keys(plain).join("")}]`, "g");

/** Replaces drawing characters without changing the width. Letters of other languages are content and stay. */
function plainSigns(line: string): string {
  return line.replace(drawnSigns, (sign) => plain[sign] ?? "?");
}
