import type { Screen } from "../render/screen.ts";
import { type Input, readMessage } from "../session/input.ts";
import { Keyboard } from "./keyboard.ts";
import { LineEditor, type LineEditorOptions } from "./line-editor.ts";

const escapeKey = "\u001b";
const endKey = "\u0004";

/** Reads from a terminal that understands escape sequences: lines can be edited, and one key answers a question. */
export function openTerminalInput(screen: Screen, complete: NonNullable<LineEditorOptions["complete"]>): Input {
  const { style, signs } = screen;
  const keyboard = new Keyboard();
  const editor = new LineEditor(keyboard, { hasHistory: true, complete });
  keyboard.onResume = () => editor.redraw();
  return { canAsk: true, read, ask, choose, aside: (print) => editor.above(print), close };

  async function read(): Promise<string | undefined> {
    let wasInterrupted = false;
    for (;;) {
      let isInterrupted = false;
      const message = await readMessage(async (isFirst) => {
        screen.startLine();
        const end = await editor.read(isFirst ? style.bold(`${signs.prompt} `) : style.dim(`${signs.goesOn} `));
        if (end.type === "line") return end.line;
        isInterrupted = end.type === "interrupted";
        if (end.type === "interrupted" && end.wasEmpty && isFirst) {
          if (wasInterrupted) isInterrupted = false;
          else screen.print(style.dim("Ctrl-C again, or Ctrl-D, to quit\n"));
          wasInterrupted = true;
        } else wasInterrupted = false;
        return undefined;
      });
      if (message !== undefined || !isInterrupted) return message;
    }
  }

  async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    const once = new LineEditor(keyboard, { hasHistory: false });
    const end = await once.read(question, signal);
    once.close();
    return end.type === "line" ? end.line : undefined;
  }

  function choose(letters: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((settle) => {
      const finish = (letter: string | undefined) => {
        stopListening();
        signal.removeEventListener("abort", onAbort);
        screen.print(`${letter ?? ""}\n`);
        settle(letter);
      };
      const onAbort = () => finish(undefined);
      signal.addEventListener("abort", onAbort);
      const stopListening = keyboard.listen(({ text, isPaste }) => {
        // A paste is no answer, and neither are arrow keys.
        if (isPaste || (text.startsWith(escapeKey) && text.length > 1)) return;
        if (text === escapeKey || text === endKey) return finish(undefined);
        const letter = text.charAt(0).toLowerCase();
        if (!letters.includes(letter)) return;
        finish(letter);
        // Some press Enter as well.
        keyboard.dropEnter();
      });
    });
  }

  function close(): void {
    editor.close();
    keyboard.close();
  }
}
