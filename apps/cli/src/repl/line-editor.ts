import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import { onInterrupt } from "../host/signals.ts";
import { printOut } from "../host/stdout.ts";
import { EditorOutput } from "./editor-output.ts";
import type { Keyboard } from "./keyboard.ts";
import { createPastes } from "./pastes.ts";

/** What became of a line: it was finished, thrown away by Ctrl-C, or the user wants to leave. */
export type EditEnd =
  | { readonly type: "line"; readonly line: string }
  | { readonly type: "interrupted"; readonly wasEmpty: boolean }
  | { readonly type: "end" };

export interface LineEditorOptions {
  /** Whether earlier lines can be fetched back. */
  readonly hasHistory: boolean;
  /** What a beginning may become when Tab is pressed. */
  readonly complete?: (beginning: string) => readonly string[];
}

/** How long an escape may wait for the rest of its sequence, in milliseconds: our keys come in whole sequences. */
const escapeCodeTimeout = 50;

const historySize = 1_000;

/** Controls that no key makes, and that readline would draw as they are. */
const noKeys = /[\u0080-\u009f]/g;

/** What readline knows of itself and its types do not let us set. */
interface EditedLine {
  line: string;
  cursor: number;
  prevRows: number;
}

/** A line of the terminal that can be edited: Node's readline, which gets its keys from us and only while we say so. */
export class LineEditor {
  readonly #keyboard: Keyboard;
  readonly #keys = new Readable({ read() {} });
  readonly #output = new EditorOutput();
  readonly #pastes = createPastes();
  readonly #lines: Interface;
  readonly #state: EditedLine;

  constructor(keyboard: Keyboard, { hasHistory, complete }: LineEditorOptions) {
    this.#keyboard = keyboard;
    this.#lines = createInterface({
      input: this.#keys,
      output: this.#output.stream,
      terminal: true,
      historySize: hasHistory ? historySize : 0,
      removeHistoryDuplicates: true,
      escapeCodeTimeout,
      ...(complete && { completer: (line: string) => [complete(line), line] }),
    });
    this.#state = this.#lines as unknown as EditedLine;
  }

  /** Lets the user write a line. An abort ends it. */
  read(prompt: string, signal?: AbortSignal): Promise<EditEnd> {
    const lines = this.#lines;
    return new Promise((settle) => {
      const finish = (end: EditEnd) => {
        this.#output.isOn = false;
        for (const leave of leaving) leave();
        settle(end);
      };
      const onLine = (line: string) => finish({ type: "line", line: this.#pastes.expand(line) });
      const onClose = () => finish({ type: "end" });
      const onAbort = () => {
        this.#throwAway("\n");
        finish({ type: "end" });
      };
      const throwAway = () => {
        const wasEmpty = this.#state.line === "";
        this.#throwAway("^C\n");
        finish({ type: "interrupted", wasEmpty });
      };
      lines.on("line", onLine).on("close", onClose);
      signal?.addEventListener("abort", onAbort);
      const leaving = [
        onInterrupt(throwAway),
        this.#keyboard.listen(({ text, isPaste }) => {
          if (isPaste) lines.write(this.#pastes.take(text));
          else this.#keys.emit("data", text.replace(noKeys, ""));
        }),
        () => lines.off("line", onLine).off("close", onClose),
        () => signal?.removeEventListener("abort", onAbort),
      ];
      this.#output.isOn = true;
      lines.setPrompt(prompt);
      lines.prompt();
    });
  }

  /** Prints something above the line that is being written, if one is. */
  above(print: () => void): void {
    if (!this.#output.isOn) {
      print();
      return;
    }
    const { rows } = this.#lines.getCursorPos();
    printOut(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J`);
    print();
    this.redraw();
  }

  /** Draws the line that is being written, where nothing of it is on the screen. */
  redraw(): void {
    if (!this.#output.isOn) return;
    this.#state.prevRows = 0;
    this.#lines.prompt(true);
  }

  close(): void {
    this.#lines.close();
    this.#output.close();
  }

  #throwAway(mark: string): void {
    this.#lines.write(null, { ctrl: true, name: "e" });
    printOut(mark);
    this.#state.line = "";
    this.#state.cursor = 0;
  }
}
