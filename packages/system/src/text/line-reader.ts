/** Takes the bytes of a stream in pieces of any size. */
export interface LineReader {
  add(chunk: Buffer): void;
  /** Drops an unfinished line. */
  drop(): void;
}

/**
 * Splits a stream of bytes into lines.
 *
 * @param maxBytes the longest line that is kept, without its line break.
 * @param onLine called with each line, without its line break.
 * @param onLong called for each line that is longer, once it has ended.
 */
export function lineReader(maxBytes: number, onLine: (line: Buffer) => void, onLong = () => {}): LineReader {
  let line: Buffer = Buffer.alloc(0);
  return {
    add(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
        if (line.length + end - start > maxBytes) onLong();
        else onLine(Buffer.concat([line, chunk.subarray(start, end)]));
        line = Buffer.alloc(0);
        start = end + 1;
      }
      // Keep one byte more than allowed of an unfinished line, to see that it is too long.
      line = Buffer.concat([line, chunk.subarray(start, start + maxBytes + 1)]).subarray(0, maxBytes + 1);
    },
    drop() {
      line = Buffer.alloc(0);
    },
  };
}
