/** Adds a missing full stop: servers' messages often lack it. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A server's title inside a sentence: some begin with an article. */
export function inSentence(title: string): string {
  return title.replace(/^The /, "the ");
}
