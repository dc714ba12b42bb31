import { redact } from "@ikigai/system";

/** A line of a log is cut here, in characters. */
const maxLineLength = 8_192;

/** Passes on a server's stderr line by line, without secrets, and keeps the last line that says something. */
export class LastLine {
  readonly #secrets: readonly string[];
  readonly #write: (text: string) => void;
  #rest = "";
  #last = "";

  /** @param write gets whole lines. */
  constructor(secrets: readonly string[], write: (text: string) => void) {
    this.#secrets = secrets;
    this.#write = write;
  }

  get text(): string {
    return this.#last;
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
    if (clean.trim() !== "") this.#last = clean.trim();
    this.#write(`${clean}\n`);
  }
}
