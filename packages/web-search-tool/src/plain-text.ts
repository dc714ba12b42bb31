import { textStart } from "@ikigai/protocol";
import { withoutInvisible } from "@ikigai/system";
import { decodeEntities } from "./entities.ts";

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
