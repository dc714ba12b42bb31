/** How many bytes the character at `index` takes inside a JSON string, in UTF-8. A surrogate pair counts at its first half. */
export function escapedLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x20) return shortEscapes.has(code) ? 2 : 6;
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (isPairAt(text, index)) return 4;
  return isPairAt(text, index - 1) ? 0 : 6;
}

/** Whether `text` may be cut before `index`: not between the halves of a surrogate pair. */
export function isCharacterBoundary(text: string, index: number): boolean {
  return !isPairAt(text, index - 1);
}

/** \b \t \n \f \r */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

function isPairAt(text: string, index: number): boolean {
  const first = text.charCodeAt(index);
  const second = text.charCodeAt(index + 1);
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
