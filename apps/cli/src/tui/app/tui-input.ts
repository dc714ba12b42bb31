import type { Input } from "../../session/input.ts";
import { askLine, chooseLetter } from "./open-dialog.ts";
import { say } from "./say.ts";
import type { Tui } from "./tui.ts";
import type { TuiScreen } from "./tui-screen.ts";

/** The full screen as those see it who ask for a letter or a line. What they have printed last is the question. */
export function createTuiInput(tui: () => Tui, screen: TuiScreen): Input {
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
