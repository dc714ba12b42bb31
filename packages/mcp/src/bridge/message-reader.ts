const newline = 0x0a;

/** A server has sent a longer line than any answer may have. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/** More than the largest answer that a host accepts (50 MiB), with room for the rest of the message. In bytes. */
export const maxMessageBytes = 64 * 1_048_576;

/**
 * Splits a server's output into lines. Keeps the pieces of a line apart until it is complete: joining them with each chunk, as the
 * library's reader does, takes time that grows with the square of the answer.
 */
export class MessageReader {
  #pieces: Buffer[] = [];
  #length = 0;

  /** Takes a chunk; yields the lines that it completes. @throws LineTooLong. */
  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(from, end)]).toString("utf8");
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
      yield line;
    }
    if (from === chunk.length) return;
    this.#length += chunk.length - from;
    if (this.#length > maxMessageBytes) throw new LineTooLong(`A line is longer than ${maxMessageBytes} bytes.`);
    this.#pieces.push(chunk.subarray(from));
  }

  /** What came after the last complete line. */
  get rest(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}
