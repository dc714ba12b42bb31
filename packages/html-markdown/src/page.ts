// What a page consists of: its events, parts and tables; then what HTML says about elements: which are blocks, which an
// element closes, which are not text.

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

interface ClosingTag {
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

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const voidElements = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);

/** Elements that start a new line. An end tag closes everything open inside them. */
export const blockElements = words(
  "address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 " +
    "h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p plaintext pre search section summary " +
    "table tbody td tfoot th thead tr ul xmp",
);

/** Elements whose end tags may come after those of the blocks that they are in. */
export const formattingElements = words("a b big code em font i nobr s small strike strong tt u");

/** Inline elements that Markdown has something for. */
const markElements = words("a b code del em i kbd q s samp strike strong sub sup tt");

/** Whether the writer does something for an element. */
export function isWritten(name: string): boolean {
  return blockElements.has(name) || markElements.has(name);
}

/** Elements that are not text: what browsers do not show, controls, and what only makes sense in a browser. */
const skippedElements = words(
  "annotation annotation-xml applet audio button canvas datalist iframe noembed noframes noscript object rp script select " +
    "style svg template textarea title video",
);

/** Blocks that close an open paragraph. */
export const closesParagraph = words(
  "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 " +
    "h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp",
);

/** HTML elements that end an svg or math element that was not closed. */
export const endsForeignContent = words(
  "blockquote body center dd div dl dt em h1 h2 h3 h4 h5 h6 head hr li menu ol p pre ruby strong table ul",
);

const cellScope = words("table td th caption object template");
const regionScope = words("table td th caption object template button nav aside footer header form");
const listScope = words("ul ol menu dir table td th caption");
const tableScope = words("table");

/** For each element the open elements that it closes, and the elements inside which it closes none. */
export const impliedEnds = new Map<string, readonly [ReadonlySet<string>, ReadonlySet<string>]>([
  ["li", [words("li"), listScope]],
  ["dd", [words("dd dt"), words("dl table td th caption")]],
  ["dt", [words("dd dt"), words("dl table td th caption")]],
  ["a", [words("a"), regionScope]],
  ["tr", [words("tr td th caption colgroup"), tableScope]],
  ["td", [words("td th caption"), words("table tr")]],
  ["th", [words("td th caption"), words("table tr")]],
  ...["thead", "tbody", "tfoot", "caption", "colgroup"].map(
    (name) => [name, [words("thead tbody tfoot tr td th caption colgroup"), tableScope]] as const,
  ),
  ["rt", [words("rt rp"), words("ruby")]],
  ["rp", [words("rt rp"), words("ruby")]],
]);

export const paragraphScope = regionScope;
export const tableParts = words("caption colgroup tbody td tfoot th thead tr");

/** The elements beyond which an end tag closes nothing. */
export function scopeOf(name: string): ReadonlySet<string> {
  if (tableParts.has(name)) return tableScope;
  if (name === "table") return none;
  if (name === "li") return listScope;
  if (formattingElements.has(name)) return regionScope;
  return blockElements.has(name) || skippedElements.has(name) ? cellScope : blockElements;
}

const none: ReadonlySet<string> = new Set();

/** Whether the text of an element is no text of the page. A button at the beginning of a heading is: it shows and hides a part. */
export function isSkipped(name: string, begins: (name: string) => boolean): boolean {
  if (!skippedElements.has(name)) return false;
  return name !== "button" || !["h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"].some(begins);
}

const hiddenStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Whether an element and all that is in it is not shown. */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (attributes.size === 0) return name === "dialog";
  return (
    attributes.has("hidden") ||
    attributes.get("aria-hidden")?.toLowerCase() === "true" ||
    hiddenStyle.test(attributes.get("style") ?? "") ||
    (name === "dialog" && !attributes.has("open"))
  );
}
