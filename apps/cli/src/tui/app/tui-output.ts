import type { LineOutput } from "../../render/line-output.ts";
import { sanitise } from "../../render/sanitise.ts";
import type { Signs } from "../../render/style.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** A line that is not ended yet, and what takes those that are. */
export interface TuiOutput extends LineOutput {
  /** The line that is open: a question that waits for its answer. */
  takeOpenLine(): string;
}

export interface TuiOutputOptions {
  readonly surface: { readonly columns: number };
  readonly theme: () => Theme;
  readonly signs: Signs;
  readonly add: (text: string) => void;
}

/** The full screen as those see it who print lines. */
export function createTuiOutput({ surface, theme, signs, add }: TuiOutputOptions): TuiOutput {
  let open = "";
  const print = (text: string) => {
    const lines = (open + text).split("\n");
    open = lines.pop() ?? "";
    if (lines.length > 0) add(lines.join("\n"));
  };
  return {
    get style() {
      return theme().style;
    },
    signs,
    get columns() {
      return surface.columns;
    },
    print,
    stream: (text) => print(sanitise(text)),
    startLine() {
      if (open !== "") print("\n");
    },
    lineEnded() {
      open = "";
    },
    takeOpenLine() {
      const line = open;
      open = "";
      return line;
    },
  };
}
