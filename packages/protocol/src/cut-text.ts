/**
 * The start of a text, at most so many UTF-16 units. Never ends inside a surrogate pair: half of one is not Unicode, and model
 * servers reject every request that contains it.
 */
export function textStart(text: string, maxLength: number): string {
  const end = Math.max(0, Math.min(text.length, maxLength));
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
}

/** The end of a text, under the same rules. */
export function textEnd(text: string, maxLength: number): string {
  const start = text.length - Math.max(0, Math.min(text.length, maxLength));
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
