import markdownIt from "markdown-it";

const renderer = markdownIt({ html: true });

/** What a renderer of Markdown shows: blocks as `name:text`, with emphasis, code and links inside marked by their names. */
export function rendered(markdown: string): readonly string[] {
  const blocks: string[] = [];
  const open: string[] = [];
  for (const token of renderer.parse(markdown, {})) {
    if (token.type === "fence" || token.type === "code_block")
      blocks.push(`${[...open, "pre"].join(">")}:${token.content}`);
    else if (token.type === "hr") blocks.push([...open, "hr"].join(">"));
    else if (token.type === "html_block") blocks.push(`html:${token.content}`);
    else if (token.type === "inline") blocks.push(`${open.join(">")}:${inlineText(token.children ?? [])}`);
    else if (token.nesting === 1) open.push(token.tag);
    else if (token.nesting === -1) open.pop();
  }
  return blocks;
}

type Token = ReturnType<typeof renderer.parse>[number];

function inlineText(tokens: readonly Token[]): string {
  return tokens.map(pieceOf).join("").replace(/\s+/g, " ").trim();
}

function pieceOf(token: Token): string {
  if (token.type === "text" || token.type === "html_inline" || token.type === "text_special") return token.content;
  if (token.type === "code_inline") return `{code}${token.content}{/code}`;
  if (token.type === "image") return `{img ${token.attrGet("src")}}${inlineText(token.children ?? [])}{/img}`;
  if (token.type === "softbreak" || token.type === "hardbreak") return " ";
  if (token.nesting === 1) return token.tag === "a" ? `{a ${token.attrGet("href")}}` : `{${token.tag}}`;
  return token.nesting === -1 ? `{/${token.tag}}` : "";
}

/** The text alone, without the marks around it. */
export function withoutMarks(block: string): string {
  return block.replace(/\{\/?(?:strong|em|s|code)\}/g, "");
}
