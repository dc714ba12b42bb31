/**
 * The start of a text, at most so many UTF-16 units. Never ends inside a surrogate pair: half of one is not Unicode, and model
 * servers reject every request that contains it.
 */
export function textStart(text: string, maxLength: number): string {
  const end = Math.max(0, Math.min(text.length, maxLength));
  return text.slice(0, isCharacterBoundary(text, end) ? end : end - 1);
}

/** The end of a text, under the same rules. */
export function textEnd(text: string, maxLength: number): string {
  const start = text.length - Math.max(0, Math.min(text.length, maxLength));
  return text.slice(isCharacterBoundary(text, start) ? start : start + 1);
}

/** Whether `text` may be cut before `index`: not between the halves of a surrogate pair. */
export function isCharacterBoundary(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800 || (text.charCodeAt(index) & 0xfc00) !== 0xdc00;
}
