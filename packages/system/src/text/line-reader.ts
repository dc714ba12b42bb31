/** Takes the bytes of a stream in pieces of any size. */
export interface LineReader {
  /** @param chunk valid until this returns. */
  add(chunk: Buffer): void;
  /** Returns the unfinished line; nothing of one that is too long. */
  rest(): Buffer;
  /** Drops an unfinished line. */
  drop(): void;
}

/**
 * Splits a stream of bytes into lines.
 *
 * @param maxBytes the longest line that is kept, without its line break.
 * @param onLine called with each line, without its line break.
 * @param onLong called once for each line that is longer, as soon as it is.
 */
export function lineReader(maxBytes: number, onLine: (line: Buffer) => void, onLong = () => {}): LineReader {
  // Joined when the line is complete: joining them with each chunk takes time that grows with the square of the line.
  let pieces: Buffer[] = [];
  let length = 0;
  const drop = () => {
    pieces = [];
    length = 0;
  };
  const keep = (piece: Buffer) => {
    const wasLong = length > maxBytes;
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
    if (length > maxBytes && !wasLong) onLong();
  };
  return {
    add(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
        keep(chunk.subarray(start, end));
        const line = length > maxBytes ? undefined : Buffer.concat(pieces);
        drop();
        start = end + 1;
        if (line) onLine(line);
      }
      if (start < chunk.length) keep(Buffer.from(chunk.subarray(start)));
    },
    rest: () => Buffer.concat(pieces),
    drop,
  };
}
