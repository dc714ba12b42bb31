/** A heading's mark; code; bold text; text in italics. Code comes first: inside it, such a mark is text. */
const marks =
  /^#{1,6} +(?=\S)|`([^`\n]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/gm;

/** The text without the marks of Markdown that models like to put into a sentence. */
export function withoutMarkdown(text: string): string {
  return text.replace(marks, (_, code?: string, bold?: string, italic?: string) => {
    return code ?? withoutMarkdown(bold ?? italic ?? "");
  });
}
