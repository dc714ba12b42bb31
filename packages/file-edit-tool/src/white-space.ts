/** Whether a byte is a blank, a tab, or something that ends a line. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** The bytes without their white space. */
export function withoutWhiteSpace(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (const byte of bytes) if (!isWhiteSpace(byte)) result[length++] = byte;
  return result.subarray(0, length);
}

/** Where `wanted` stands in `bytes` when white space counts for nothing: a position, or -1. */
export function indexIgnoringWhiteSpace(bytes: Buffer, wanted: Buffer): number {
  const needle = withoutWhiteSpace(wanted);
  let left = needle.length === 0 ? -1 : withoutWhiteSpace(bytes).indexOf(needle);
  if (left < 0) return -1;
  return bytes.findIndex((byte) => !isWhiteSpace(byte) && left-- === 0);
}
