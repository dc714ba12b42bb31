/** How many bytes of a page may name its encoding. */
const metaBytes = 1_024;

const byteOrderMarks: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
];

/**
 * Decodes a body to text. Its encoding is that of the byte order mark, of the Content-Type, of a `<meta>` in the first 1,024 bytes, else
 * UTF-8; an encoding that does not exist is skipped. Invalid bytes become U+FFFD.
 */
export function decodeText(body: Uint8Array, contentType: string): string {
  const labels = [markOf(body), charsetOf(contentType), metaOf(body)];
  const decoder = labels.map(decoderFor).find((found) => found !== undefined) ?? new TextDecoder();
  return decoder.decode(body);
}

function markOf(body: Uint8Array): string | undefined {
  return byteOrderMarks.find(([, bytes]) => bytes.every((byte, index) => body[index] === byte))?.[0];
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";,]+)/i.exec(contentType)?.[1];
}

function metaOf(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, metaBytes)).toString("latin1");
  const label = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start.replace(/<!--.*?-->/gs, ""))?.[1];
  // The tag was read byte by byte, so it is not what it says.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderFor(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
