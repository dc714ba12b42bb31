/** What is a line break for Unicode: a terminal would go back with a carriage return, and show only what follows. */
const lineBreaks = /\r\n?|[\u2028\u2029]/g;

/** The text with line feeds for all line breaks. */
export function withLineFeeds(text: string): string {
  return text.replace(lineBreaks, "\n");
}
