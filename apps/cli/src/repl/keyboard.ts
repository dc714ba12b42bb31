import { StringDecoder } from "node:string_decoder";
import { exitCodes } from "../host/exit-codes.ts";
import { shutdown } from "../host/shutdown.ts";
import { interrupt } from "../host/signals.ts";
import { printOut } from "../host/stdout.ts";
import { createPasteFilter, type Typed } from "../tui/terminal/paste-filter.ts";

type Listener = (typed: Typed) => void;

const ctrlC = "\u0003";
const ctrlZ = "\u001a";
const ctrlBackslash = "\u001c";

/** Keys that end something come alone; all others together. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the keys
const keyPattern = /[\r\n\u0003\u0004\u001a\u001c]|[^\r\n\u0003\u0004\u001a\u001c]+/g;

/** How much is kept that nobody listens to, in pieces. */
const maxWaiting = 10_000;

const bracketedPasteOn = "\u001b[?2004h";
const bracketedPasteOff = "\u001b[?2004l";

/** The keys of a terminal, one by one. What nobody listens to is kept for who listens next. */
export class Keyboard {
  readonly #decoder = new StringDecoder("utf8");
  #waiting: Typed[] = [];
  #listener: Listener | undefined;
  #isOpen = true;
  readonly #resume = () => this.#takeBack();

  /** Is called when the screen has to be drawn again, after a suspension. */
  onResume: () => void = () => {};

  constructor() {
    const { stdin } = process;
    const filter = createPasteFilter((typed) => this.#add(typed));
    const hangUp = () => this.#isOpen && shutdown(exitCodes.hangup);
    stdin.on("data", (chunk: Buffer) => filter(this.#decoder.write(chunk)));
    // The terminal is gone.
    stdin.on("end", hangUp).on("error", hangUp);
    process.on("SIGCONT", this.#resume);
    this.#setModes(true);
    stdin.resume();
  }

  /** Gives what is typed to somebody, until the function that is returned is called. */
  listen(listener: Listener): () => void {
    this.#listener = listener;
    // Whoever listens has to be told first how to stop.
    queueMicrotask(() => this.#handOut());
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Forgets an Enter that came together with the last key. */
  dropEnter(): void {
    if (this.#waiting[0]?.text === "\r") this.#waiting.shift();
  }

  /** Makes the terminal what it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("SIGCONT", this.#resume);
    this.#setModes(false);
    process.stdin.destroy();
  }

  #add(typed: Typed): void {
    const keys = typed.isPaste ? [] : (typed.text.match(keyPattern) ?? []);
    for (const piece of typed.isPaste ? [typed] : keys.map((text) => ({ text, isPaste: false }))) {
      // While something goes on, Ctrl-C is about that, and about what was typed before it.
      if (!this.#listener && piece.text === ctrlC) this.#waiting = [];
      if (!this.#listener && this.#act(piece)) continue;
      if (this.#waiting.length < maxWaiting) this.#waiting.push(piece);
    }
    this.#handOut();
  }

  #handOut(): void {
    while (this.#listener && this.#waiting.length > 0) {
      const piece = this.#waiting.shift();
      if (piece && !this.#act(piece)) this.#listener(piece);
    }
  }

  /** Does what the keys mean that mean the same everywhere. */
  #act({ text, isPaste }: Typed): boolean {
    if (isPaste) return false;
    if (text === ctrlC) interrupt();
    else if (text === ctrlZ) this.#suspend();
    else if (text === ctrlBackslash) void shutdown(exitCodes.quit);
    else return false;
    return true;
  }

  /** The whole job stops, as it would if the terminal had seen the key: `npm start` as well. */
  #suspend(): void {
    this.#setModes(false);
    process.kill(0, "SIGTSTP");
    // A job that nobody could continue does not stop.
    setImmediate(this.#resume);
  }

  #takeBack(): void {
    if (!this.#isOpen) return;
    this.#setModes(true);
    this.onResume();
  }

  #setModes(isOn: boolean): void {
    try {
      process.stdin.setRawMode(isOn);
      printOut(isOn ? bracketedPasteOn : bracketedPasteOff);
    } catch {
      // There is no terminal any more.
    }
  }
}
