import { isCharacterBoundary } from "@ikigai/protocol";

/** The bytes a code unit takes in some encoding. The first half of a surrogate pair counts for both. */
export type UnitLength = (text: string, index: number) => number;

/** In UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8Length(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (!isCharacterBoundary(text, index + 1)) return 4;
  return isCharacterBoundary(text, index) ? 3 : 0;
}

/** In UTF-8 inside a JSON string, where a lone surrogate is escaped. */
export function escapedLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x20) return shortEscapes.has(code) ? 2 : 6;
  if (code === 0x22 || code === 0x5c) return 2;
  const length = utf8Length(text, index);
  return length === 3 && code >= 0xd800 && code <= 0xdfff ? 6 : length;
}

/** \b \t \n \f \r */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
