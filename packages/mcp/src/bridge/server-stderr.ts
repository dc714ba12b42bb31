import { redact, tellingLine } from "@ikigai/system";

/** A line of a log is cut here, in characters. */
const maxLineLength = 8_192;

/** How much of the end is kept to be quoted, in characters: more than a stack trace has after its message. */
const maxEndLength = 16_384;

/** Passes on a server's stderr line by line, without secrets, and keeps its end. */
export class ServerStderr {
  readonly #secrets: readonly string[];
  readonly #write: (text: string) => void;
  #rest = "";
  #end = "";

  /** @param write gets whole lines. */
  constructor(secrets: readonly string[], write: (text: string) => void) {
    this.#secrets = secrets;
    this.#write = write;
  }

  /** The line that says why the server has ended; `""` if it printed none. */
  get reason(): string {
    return tellingLine(this.#end, "last");
  }

  /** Whether the line that says why is the last that it printed. */
  get endsWithReason(): boolean {
    return this.#end.trimEnd().split("\n").at(-1)?.trim() === this.reason;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
    // Without line breaks, a server could fill the memory.
    if (this.#rest.length > maxLineLength) this.end();
  }

  /** Takes the rest as a line. */
  end(): void {
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
  }

  #line(line: string): void {
    const clean = redact(line, this.#secrets).slice(0, maxLineLength);
    this.#end = `${this.#end}${clean}\n`.slice(-maxEndLength);
    this.#write(`${clean}\n`);
  }
}
