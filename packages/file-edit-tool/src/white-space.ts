/** Whether a byte is a space, a tab or a line break character. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Returns the bytes without white space. */
export function withoutWhiteSpace(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (const byte of bytes) if (!isWhiteSpace(byte)) result[length++] = byte;
  return result.subarray(0, length);
}

/** Returns the offset of `wanted` in `bytes`, ignoring white space; -1 if not found. */
export function indexIgnoringWhiteSpace(bytes: Buffer, wanted: Buffer): number {
  const needle = withoutWhiteSpace(wanted);
  let left = needle.length === 0 ? -1 : withoutWhiteSpace(bytes).indexOf(needle);
  if (left < 0) return -1;
  return bytes.findIndex((byte) => !isWhiteSpace(byte) && left-- === 0);
}
