/** How text is set off. Colour says nothing that a word does not: without it the text is the same. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const plain = (text: string) => text;

/** For pipes, files, dumb terminals and `NO_COLOR`. */
export const noStyle: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

const ansiStyle: Style = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  green: wrap(32, 39),
  yellow: wrap(33, 39),
  cyan: wrap(36, 39),
};

/** The style that fits a terminal; none where there is no terminal. */
export function chooseStyle(isTerminal: boolean, env: NodeJS.ProcessEnv): Style {
  return isTerminal && env.TERM !== "dumb" && !env.NO_COLOR ? ansiStyle : noStyle;
}

/** Each line by itself, so that a line that is shown alone is still set off. */
function wrap(on: number, off: number): (text: string) => string {
  return (text) => text.replace(/[^\n]+/g, `\u001b[${on}m$&\u001b[${off}m`);
}
