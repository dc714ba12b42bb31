// What the terminal can show, and the styles and signs for that.

/** What stdout can show. */
export interface TerminalKind {
  /** A user reads the output and can answer. */
  readonly isTerminal: boolean;
  /** Escape sequences may be printed in line mode too. */
  readonly hasEscapes: boolean;
  /** Can show the full screen, without colours or in ASCII if need be. */
  readonly isFull: boolean;
  readonly hasColours: boolean;
  /** Only ASCII can be shown. */
  readonly isAscii: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds out from the environment what the terminal can show and the user wants. */
export function terminalKind(env: Environment, { isTerminal }: { isTerminal: boolean }): TerminalKind {
  const isDumb = !env.TERM || env.TERM === "dumb";
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  // Without a locale, the terminal is usually a modern one in a bare container.
  const isAscii = locale === "C" || locale === "POSIX";
  const isFull = isTerminal && !isDumb;
  const hasColours = isFull && !env.NO_COLOR;
  return { isTerminal, isAscii, isFull, hasColours, hasEscapes: hasColours && !isAscii };
}

/** Text styles. No information is in colour alone: the text is the same without it. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly magenta: (text: string) => string;
  readonly blue: (text: string) => string;
}

const same = (text: string) => text;

/** For pipes, files, dumb terminals and `NO_COLOR`. */
export const plainStyle: Style = {
  ...{ bold: same, dim: same, red: same, green: same, yellow: same, cyan: same, magenta: same, blue: same },
};

export const ansiStyle: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
  magenta: sgr(35, 39),
  // The dark one is hard to read on black.
  blue: sgr(94, 39),
};

/** Styles each line with SGR codes, so that a line shown alone keeps its style. */
export function sgr(on: number | string, off: number | string): (text: string) => string {
  return (text) => text.replace(/[^\n]+/g, `\u001b[${on}m$&\u001b[${off}m`);
}

/** The few non-ASCII characters used for drawing. */
export interface Signs {
  readonly prompt: string;
  readonly continuation: string;
  readonly call: string;
  /** A call that failed. */
  readonly failed: string;
  /** Before the first line of an answer. */
  readonly answer: string;
  readonly cut: string;
  /** Marks a continuation row in its margin. */
  readonly wrapped: string;
  readonly dot: string;
  readonly minus: string;
  /** The done and the remaining part of a progress bar. */
  readonly full: string;
  readonly empty: string;
  /** The last cell of a bar, from an eighth to seven eighths; empty if only whole cells can be drawn. */
  readonly parts: string;
  /** The line below the head of a table. */
  readonly rule: string;
  /** The line to the left of a plot. */
  readonly axis: string;
  /** A plotted line: level, between two heights, and where it changes its height. */
  readonly line: Readonly<Record<"flat" | "steep" | "leaveUp" | "leaveDown" | "arriveUp" | "arriveDown", string>>;
}

export const unicodeSigns: Signs = {
  prompt: "›",
  continuation: "·",
  call: "●",
  failed: "✗",
  answer: "◆",
  cut: "…",
  wrapped: "↳",
  dot: "·",
  minus: "−",
  full: "█",
  empty: "░",
  parts: "▏▎▍▌▋▊▉",
  rule: "─",
  axis: "│",
  line: { flat: "─", steep: "│", leaveUp: "╯", leaveDown: "╮", arriveUp: "╭", arriveDown: "╰" },
};

export const asciiSigns: Signs = {
  prompt: ">",
  continuation: ".",
  call: "*",
  failed: "x",
  answer: "<",
  cut: "...",
  wrapped: "\\",
  dot: "-",
  minus: "-",
  full: "#",
  empty: ".",
  parts: "",
  rule: "-",
  axis: "|",
  line: { flat: "-", steep: "|", leaveUp: "+", leaveDown: "+", arriveUp: "+", arriveDown: "+" },
};

/** What drawing needs to know of the output. */
export interface Look {
  readonly style: Style;
  readonly signs: Signs;
  /** The current width. */
  readonly columns: number;
}
