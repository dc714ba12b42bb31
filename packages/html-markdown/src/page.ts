/** What a page consists of, in the order of its source: text, opening tags and closing tags. Void elements have no closing tag. */
export type PageEvent = string | Tag | ClosingTag;

/** An opening tag. Elements whose attributes and place do not matter share one object per name. */
export interface Tag {
  readonly name: string;
  readonly attributes: Attributes;
  /** Set on parts that are left out of the main text: `boilerplate` always, `form` unless it holds most of the page. */
  readonly omit?: "boilerplate" | "form";
  /** Index of the event after the closing tag. Set on parts and on tables. */
  end?: number;
  /** Set on tables. */
  readonly table?: TableShape;
}

export interface ClosingTag {
  readonly closes: string;
}

export type Attributes = ReadonlyMap<string, string>;

/** What decides whether a table is written as one. */
export interface TableShape {
  rows: number;
  columns: number;
  hasHeader: boolean;
  /** Whether its cells hold what a Markdown cell cannot: tables, headings, code blocks, quotes. */
  holdsBlocks: boolean;
}

/** A `main` or `article`: the events of it, and how many characters of text it has. */
export interface Candidate {
  readonly isMain: boolean;
  readonly from: number;
  end: number;
  textLength: number;
}

export interface Page {
  readonly events: readonly PageEvent[];
  readonly candidates: readonly Candidate[];
  readonly title: string;
  /** The first `<base href>`. */
  readonly base?: string;
  /** Characters of visible text: of the whole page, outside boilerplate, and those of the latter in forms. */
  readonly textLength: number;
  readonly mainTextLength: number;
  readonly formTextLength: number;
  readonly hasScript: boolean;
  /** How many invisible characters were removed from visible text. */
  readonly removed: number;
}

/** The part of a page to write, and what to leave out of it. */
export interface PagePart {
  readonly from: number;
  readonly end: number;
  readonly omits: (tag: Tag) => boolean;
}
