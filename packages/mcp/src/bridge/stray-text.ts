import { tellingLine } from "@ikigai/system";
import { maxMessageBytes } from "./message-reader.ts";

/** How much is kept to be quoted, in characters. */
const maxKeptLength = 4_096;

/**
 * How much may come before the first message, in lines and bytes. Greetings and logs on the wrong stream are shorter; reading a program
 * that prints without end would keep the bridge busy until its time is up.
 */
const maxGreeting = { lines: 10_000, bytes: 1_048_576 };

/** How much may come between two messages, in lines and bytes. */
const maxBetween = { lines: 100_000, bytes: maxMessageBytes };

/** What a server prints to stdout that is not MCP. */
export class StrayText {
  #kept = "";
  #lines = 0;
  #bytes = 0;
  #hasSpoken = false;

  /** Takes a line. A greeting does not explain an end after the first message. */
  note(line: string, isMessage: boolean): void {
    if (isMessage) {
      this.#forget();
      return;
    }
    this.#lines++;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#kept.length < maxKeptLength) this.#kept = `${this.#kept}${line}\n`.slice(0, maxKeptLength);
  }

  /** Whether it is more than a server that works prints. */
  get isFlood(): boolean {
    const most = this.#hasSpoken ? maxBetween : maxGreeting;
    return this.#lines > most.lines || this.#bytes > most.bytes;
  }

  /** The line that explains the end of the server, or an empty string. @param rest the unfinished last line */
  tellingLine(rest: string): string {
    return tellingLine((this.#kept + rest).slice(0, maxKeptLength));
  }

  #forget(): void {
    this.#kept = "";
    this.#lines = 0;
    this.#bytes = 0;
    this.#hasSpoken = true;
  }
}
