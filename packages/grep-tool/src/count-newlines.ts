const newline = 0x0a;

/** Below this, counting byte by byte is faster. Typical between two matching lines. */
const fewBytes = 256;

/** After this many words a byte of the sum could overflow. */
const maxRounds = 124;

/** Counts the newlines from `from` to `to`, four bytes at a time in long ranges. */
export function countNewlines(bytes: Buffer, from: number, to: number): number {
  if (to - from < fewBytes) return countOneByOne(bytes, from, to);
  const firstWord = (bytes.byteOffset + from + 3) >> 2;
  const lastWord = (bytes.byteOffset + to) >> 2;
  const words = new Int32Array(bytes.buffer, 0, lastWord);
  const inWords = countInWords(words, firstWord, lastWord);
  const before = countOneByOne(bytes, from, firstWord * 4 - bytes.byteOffset);
  return before + inWords + countOneByOne(bytes, lastWord * 4 - bytes.byteOffset, to);
}

function countOneByOne(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === newline) count++;
  return count;
}

function countInWords(words: Int32Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + maxRounds);
    let sums = 0;
    for (; at < end; at++) {
      // The highest bit of each byte becomes 0 if the byte is a newline; all other bits become 1.
      const other = (words[at] as number) ^ 0x0a0a_0a0a;
      sums += ~(((other & 0x7f7f_7f7f) + 0x7f7f_7f7f) | other | 0x7f7f_7f7f) >>> 7;
    }
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + ((sums >>> 24) & 0xff);
  }
  return count;
}
