import type { LinePrompt } from "../../session/line-prompt.ts";
import { askLine, chooseLetter } from "./open-dialog.ts";
import { say } from "./say.ts";
import type { Tui } from "./tui.ts";
import type { TuiOutput } from "./tui-output.ts";

/** The full screen as those see it who ask for a letter or a line. What they have printed last is the question. */
export function createTuiPrompt(tui: () => Tui, screen: TuiOutput): LinePrompt {
  return {
    canAsk: true,
    // Messages come by themselves here.
    read: async () => undefined,
    async ask(question, signal) {
      return askLine(tui(), `${screen.takeOpenLine()}${question}`, { signal });
    },
    async choose(letters, signal) {
      const question = screen.takeOpenLine();
      const letter = await chooseLetter(tui(), question, letters, { signal, isSudden: true });
      say(tui(), `${question.trimEnd()}  ${letter ?? ""}`);
      return letter;
    },
    aside: (print) => print(),
    close: () => {},
  };
}
