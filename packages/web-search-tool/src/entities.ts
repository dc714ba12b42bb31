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
