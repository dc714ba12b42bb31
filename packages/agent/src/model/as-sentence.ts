/** A text with a full stop at its end: what a server says often has none. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
