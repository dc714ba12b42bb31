/** A value in front matter. Every scalar is a string, as written: `true` and `1.10` are text. */
export type FrontMatterValue = string | readonly FrontMatterValue[] | { readonly [key: string]: FrontMatterValue };

/** The values in front matter, by key. */
export type FrontMatterFields = Readonly<Record<string, FrontMatterValue>>;

/** A Markdown file and what it says about itself. */
export interface FrontMatter {
  readonly fields: FrontMatterFields;
  /** The text after the front matter. */
  readonly body: string;
}

/** Longer front matter is refused, in characters: it is read to list files, and a parser's work can grow faster than its input. */
export const maxFrontMatterLength = 16_384;

/** The lines between two `---` at the top of a text, and the text after them; `undefined` if it has no such lines. */
export function splitFrontMatter(text: string): { readonly block: string; readonly body: string } | undefined {
  const whole = text.startsWith("\ufeff") ? text.slice(1) : text;
  const opening = /^---[ \t]*\r?\n/.exec(whole)?.[0];
  if (opening === undefined) return undefined;
  const rest = whole.slice(opening.length);
  const closing = /(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(rest);
  if (!closing) return undefined;
  const block = rest.slice(0, closing.index).replaceAll("\r\n", "\n").replace(/\r$/, "");
  return { block, body: rest.slice(closing.index + closing[0].length) };
}
