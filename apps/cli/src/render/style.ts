/** How text is set off. Colour says nothing that a word does not: without it the text is the same. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string) => text;

/** For pipes, files, dumb terminals and `NO_COLOR`. */
export const plainStyle: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

export const ansiStyle: Style = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  green: wrap(32, 39),
  yellow: wrap(33, 39),
  cyan: wrap(36, 39),
};

/** Each line by itself, so that a line that is shown alone is still set off. */
function wrap(on: number, off: number): (text: string) => string {
  return (text) => text.replace(/[^\n]+/g, `\u001b[${on}m$&\u001b[${off}m`);
}

/** The few characters beyond ASCII that we draw with. */
export interface Signs {
  readonly prompt: string;
  readonly goesOn: string;
  readonly call: string;
  readonly cut: string;
  /** In the margin of a row that goes on with the line above. */
  readonly wrapped: string;
  readonly dot: string;
  readonly minus: string;
  /** Of a bar, what is done and what is left. */
  readonly full: string;
  readonly empty: string;
}

export const unicodeSigns: Signs = {
  prompt: "›",
  goesOn: "·",
  call: "●",
  cut: "…",
  wrapped: "↳",
  dot: "·",
  minus: "−",
  full: "█",
  empty: "░",
};

export const asciiSigns: Signs = {
  prompt: ">",
  goesOn: ".",
  call: "*",
  cut: "...",
  wrapped: "\\",
  dot: "-",
  minus: "-",
  full: "#",
  empty: ".",
};
