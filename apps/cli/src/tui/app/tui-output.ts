// The full screen as the output and the prompt of what also runs without it: commands, the question about trust, load errors.

import { type Signs, sanitise, type Theme } from "@ikigai/screen";
import type { LineOutput } from "../../render/line-output.ts";
import type { LinePrompt } from "../../session/session.ts";
import { askLine, chooseLetter } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";

/** Line output on the full screen; complete lines go to the transcript. */
interface TuiOutput extends LineOutput {
  /** Takes the open line: the question of a prompt. */
  takeOpenLine(): string;
}

interface TuiOutputOptions {
  readonly surface: { readonly columns: number };
  readonly theme: () => Theme;
  readonly signs: Signs;
  readonly add: (text: string) => void;
}

/** The full screen as a `LineOutput`. */
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

/** The full screen as a `LinePrompt`. The open line of `screen` is the question. */
export function createTuiPrompt(tui: () => Tui, screen: TuiOutput): LinePrompt {
  return {
    canAsk: true,
    // The editor submits messages here.
    read: async () => undefined,
    async ask(question, signal) {
      return askLine(tui(), `${screen.takeOpenLine()}${question}`, { signal });
    },
    async choose(letters, signal) {
      const question = screen.takeOpenLine();
      const letter = await chooseLetter(tui(), question, letters, { signal, asker: "ikigai" });
      say(tui(), `${question.trimEnd()}  ${letter ?? ""}`);
      return letter;
    },
    aside: (print) => print(),
    close: () => {},
  };
}
