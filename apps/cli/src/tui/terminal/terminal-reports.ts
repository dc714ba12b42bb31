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

const { TERM, STY, TMUX } = process.env;

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
