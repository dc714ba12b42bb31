import { Buffer, isUtf8 } from "node:buffer";

/**
 * A file name or path as the kernel has it: each UTF-16 unit holds one byte.
 *
 * A name may have bytes that are no UTF-8; these survive here. Such strings are also small, and `<` sorts them by bytes.
 */
export type ByteString = string;

const beyondAscii = /[\u0080-\uffff]/;

/** Whether a text and its UTF-8 bytes look the same. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** The UTF-8 bytes of a text. */
export function fromText(text: string): ByteString {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** What Node's functions take for a path: a text where the bytes are UTF-8, otherwise the bytes. */
export function toPath(bytes: ByteString): string | Buffer {
  if (isAscii(bytes)) return bytes;
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : buffer;
}

/** The codes of the characters of a text. */
export function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
