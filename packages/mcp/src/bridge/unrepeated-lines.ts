/** How many lines of the first start are compared: more than a server prints before it has agreed on a protocol. */
const maxLines = 1_000;

/** What may differ from start to start: process ids, times, addresses. */
const numbers = /0x[\da-f]+|\d+/gi;

/**
 * Passes on the stderr of a server that is started twice. Lines that the second start prints as the first did, in the same order,
 * are left out.
 */
export class UnrepeatedLines {
  readonly #write: (text: string) => void;
  readonly #before: string[] = [];
  #isSecond = false;
  #at = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** What follows is from the second start. */
  startAgain(): void {
    this.#isSecond = true;
  }

  /** @param line with its newline. */
  readonly push = (line: string): void => {
    const bare = line.replaceAll(numbers, "0");
    if (!this.#isSecond) {
      if (this.#before.length < maxLines) this.#before.push(bare);
    } else if (this.#before[this.#at] === bare) {
      this.#at++;
      return;
    }
    this.#write(line);
  };
}
