import { textStart } from "@ikigai/protocol";
import { withoutInvisible } from "@ikigai/system";

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
