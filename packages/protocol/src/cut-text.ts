/**
 * Returns the start of a text, at most `maxLength` UTF-16 units. Never splits a surrogate pair: model servers reject requests
 * with a lone surrogate. Never throws.
 */
export function textStart(text: string, maxLength: number): string {
  const end = Math.max(0, Math.min(text.length, maxLength));
  return text.slice(0, isCharacterBoundary(text, end) ? end : end - 1);
}

/** Returns the end of a text, at most `maxLength` UTF-16 units. Never splits a surrogate pair. Never throws. */
export function textEnd(text: string, maxLength: number): string {
  const start = text.length - Math.max(0, Math.min(text.length, maxLength));
  return text.slice(isCharacterBoundary(text, start) ? start : start + 1);
}

/** Returns whether `text` may be cut before `index`: not inside a surrogate pair. Never throws. */
export function isCharacterBoundary(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800 || (text.charCodeAt(index) & 0xfc00) !== 0xdc00;
}
