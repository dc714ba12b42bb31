import { printOut } from "../print-out.ts";
import { sanitise } from "../screen/sanitise.ts";
import type { Style } from "../screen/style.ts";

/** Where the REPL writes. It knows whether a line is open, so that nothing is written onto the end of another's line. */
export interface Screen {
  readonly style: Style;
  readonly env: NodeJS.ProcessEnv;
  /** Columns, as they are now. */
  readonly width: number;
  /** Prints what ikigai made itself. */
  print(text: string): void;
  /** Prints a piece of somebody else's text. */
  stream(text: string): void;
  /** Ends the line that is open, if one is. */
  startLine(): void;
}

const widthWithoutTerminal = 100;

export function createScreen(style: Style, env: NodeJS.ProcessEnv): Screen {
  let isLineOpen = false;
  const write = (text: string) => {
    if (text === "") return;
    printOut(text);
    isLineOpen = !text.endsWith("\n");
  };
  return {
    style,
    env,
    get width() {
      return process.stdout.columns || widthWithoutTerminal;
    },
    print: write,
    stream: (text) => write(sanitise(text)),
    startLine() {
      if (isLineOpen) write("\n");
    },
  };
}
