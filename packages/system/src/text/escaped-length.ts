import { isCharacterBoundary } from "@ikigai/protocol";

/** How many bytes the character at `index` takes inside a JSON string, in UTF-8. A surrogate pair counts at its first half. */
export function escapedLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x20) return shortEscapes.has(code) ? 2 : 6;
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (!isCharacterBoundary(text, index + 1)) return 4;
  return isCharacterBoundary(text, index) ? 6 : 0;
}

/** \b \t \n \f \r */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
