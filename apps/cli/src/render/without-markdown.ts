/**
 * A heading's mark; code; bold text; text in italics. Code comes first: inside it, such a mark is text. Stars inside a word or a
 * path are text, too: `2**10`, `src/**`.
 */
const marks =
  /^#{1,6} +(?=\S)|`([^`\n]+)`|(?<![\w*/])\*\*(?=[^\s*/])(.+?)(?<=[^\s*/])\*\*(?![\w*/])|(?<![\w*/])\*(?=[^\s*/])([^*\n]*[^\s*/])\*(?![\w*/])/gm;

/** The text without the marks of Markdown that models like to put into a sentence. */
export function withoutMarkdown(text: string): string {
  return text.replace(marks, (_, code?: string, bold?: string, italic?: string) => {
    return code ?? withoutMarkdown(bold ?? italic ?? "");
  });
}
