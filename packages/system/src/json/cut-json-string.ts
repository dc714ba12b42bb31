/**
 * Returns the longest prefix of a JSON string's raw content (without quotes) that has at most `maxBytes` bytes and is valid
 * between quotes: it does not split a character, an escape or a surrogate pair.
 */
export function cutJsonString(raw: Buffer, maxBytes: number): Buffer {
  let end = 0;
  for (;;) {
    const next = end + characterBytes(raw, end);
    if (next > maxBytes || next > raw.length || next === end) return raw.subarray(0, end);
    end = next;
  }
}

function characterBytes(raw: Buffer, at: number): number {
  const byte = raw[at];
  if (byte === undefined) return 0;
  if (byte === 0x5c) return escapeBytes(raw, at);
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function escapeBytes(raw: Buffer, at: number): number {
  const text = raw.toString("latin1", at, at + 12);
  if (/^\\u[dD][89abAB]..\\u[dD][c-fC-F]/.test(text)) return 12;
  return text.startsWith("\\u") ? 6 : 2;
}
