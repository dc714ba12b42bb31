// What an engine found, as text without markup.
import { textStart } from "@ikigai/protocol";
import { withoutInvisible } from "@ikigai/system";
import type { SchemaValue } from "@ikigai/tool-sdk";
import { keyRemover, type RawResult, type Service } from "./engines.ts";
import type { output } from "./schema.ts";

/** How much of a text is read for each character that is kept: tags and entities are longer than what they stand for. */
const rawFactor = 10;

/** Tags of HTML. Other words in angle brackets are part of the text, as in `Vec<u8>`, unless they have attributes or close something. */
const element =
  "a|abbr|acronym|address|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|map|mark|math|meta|nav|noscript|object|ol|option|p|param|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr";
const tag = new RegExp(
  String.raw`<!--.*?-->|<!doctype[^<>]*>|</[a-z][^<>]*>|<(?:${element})(?:[\s/][^<>]*)?>|<[a-z][\w-]*\s[^<>]*=[^<>]*>|<[a-z]\w*-[\w-]*/?>`,
  "gis",
);

/** As much of it as a key can have. */
const lastWord = /\S{1,512}$/;

/** U+0085 ends a line, too. */
const whiteSpace = /[\s\x85]+/g;

/**
 * Returns a text of a search service as one line that shows what it says: without tags, entities and invisible characters. A longer
 * one is cut and ends in `…`. Anything but a text is empty.
 *
 * @param maxLength in UTF-16 units.
 * @param clean changes the line before it is cut.
 */
export function plainText(value: unknown, maxLength: number, clean: (text: string) => string): string {
  if (typeof value !== "string") return "";
  const raw = textStart(value, maxLength * rawFactor);
  const decoded = decodeEntities(raw.replace(tag, ""));
  const { text: visible } = withoutInvisible(decoded.replace(whiteSpace, " "));
  const whole = clean(visible.replace(whiteSpace, " ").trim());
  // At the cut may be a part of what was to be removed.
  const line = raw.length < value.length ? whole.replace(lastWord, "").trimEnd() : whole;
  return line.length <= maxLength ? line : `${textStart(line, maxLength - 1).trimEnd()}…`;
}

/** The names of U+00A0 to U+00FF, in this order. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const firstLatin = 0xa0;

/** Other names that search services use. */
const others = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  lsaquo: "‹",
  rsaquo: "›",
  bull: "•",
  hellip: "…",
  euro: "€",
  trade: "™",
  larr: "←",
  rarr: "→",
  minus: "−",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
};

const named = new Map<string, string>([
  ...latin.split(" ").map((name, index): [string, string] => [name, String.fromCodePoint(firstLatin + index)]),
  ...Object.entries(others),
]);

const lastCodePoint = 0x10ffff;

/** Decodes the entities of HTML, once: `&amp;lt;` becomes `&lt;`. Unknown names stay as they are. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]\w{1,8}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return named.get(name) ?? entity;
    const codePoint = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return codePoint <= lastCodePoint ? String.fromCodePoint(codePoint) : "";
  });
}

/** One result of a search. */
export type Result = NonNullable<SchemaValue<typeof output>["results"]>[number];

/** Longer ones are cut, in characters. Twenty results with the longest texts fit into one answer. */
const maxTitleLength = 200;
const maxTextLength = 1_000;
const maxDateLength = 40;

/** Results with a longer URL are left out: `web_fetch` would refuse it. */
const maxUrlLength = 2_048;

/** Returns the first `count` results that have a URL of http or https. */
export function toResults(items: readonly unknown[], service: Service, count: number): Result[] {
  const clean = keyRemover(service.key);
  const results: Result[] = [];
  for (const item of items) {
    if (results.length === count) break;
    const result = toResult(service.engine.result(item), clean);
    if (result) results.push(result);
  }
  return results;
}

/** @param clean removes the key from a text before it is cut. */
function toResult(raw: RawResult, clean: (text: string) => string): Result | undefined {
  const url = readUrl(raw.url);
  if (url === undefined) return undefined;
  const title = plainText(raw.title, maxTitleLength, clean);
  const date = plainText(raw.date, maxDateLength, clean);
  return {
    title: title === "" ? url.host : title,
    url: url.href,
    text: plainText(raw.text, maxTextLength, clean),
    ...(date !== "" && { date }),
  };
}

/** Reads a URL of http or https. A user name before the host could only mislead. */
function readUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > maxUrlLength || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.username === "" && url.password === "" && url.href.length <= maxUrlLength ? url : undefined;
}
