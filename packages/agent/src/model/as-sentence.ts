/** Adds a missing full stop: servers' messages often lack it. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
