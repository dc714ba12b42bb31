import { Buffer, isUtf8 } from "node:buffer";

/**
 * A file name or path as the kernel sees it: each UTF-16 unit holds one byte.
 *
 * This preserves names that are not UTF-8. Such strings are also small, and `<` sorts them by bytes.
 */
export type ByteString = string;

const beyondAscii = /[\u0080-\uffff]/;

/** Whether a text equals its UTF-8 bytes. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** Encodes a text as UTF-8 bytes. */
export function fromText(text: string): ByteString {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Converts to a path for Node's functions: a string if the bytes are UTF-8, otherwise a Buffer. */
export function toPath(bytes: ByteString): string | Buffer {
  if (isAscii(bytes)) return bytes;
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : buffer;
}

/** The code points of a text. */
export function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
