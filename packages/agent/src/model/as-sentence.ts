/** Adds a full stop if there is none: servers' messages often lack it. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
