import { sanitise } from "../../render/sanitise.ts";

/** Characters that models write as entities. */
const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™" },
  ...{ hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", bull: "•" },
  ...{ middot: "·", times: "×", divide: "÷", deg: "°", plusmn: "±", larr: "←", rarr: "→", uarr: "↑", darr: "↓" },
  ...{ harr: "↔", le: "≤", ge: "≥", ne: "≠", infin: "∞", euro: "€", pound: "£", yen: "¥", cent: "¢", sect: "§" },
  ...{ para: "¶", laquo: "«", raquo: "»", frac12: "½", sup2: "²", sup3: "³", micro: "µ", check: "✓" },
};

/** Code, which stays as it is, or an entity. */
const codeOrEntity = /(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w*));/g;

/** Code, or the mark of a footnote. */
const codeOrFootnote = /(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|\[\^([^\]\s]{1,40})\]:?/g;

/** Rewrites what pi-tui does not know, to Markdown that it does: entities, and footnotes, which it would take for links. */
export function plainMarkdown(text: string): string {
  const withNotes = text.includes("[^") ? text.replace(codeOrFootnote, footnote) : text;
  return withNotes.includes("&") ? withNotes.replace(codeOrEntity, decoded) : withNotes;
}

function footnote(whole: string, code: string | undefined, name: string): string {
  return code === undefined ? `[${name}]` : whole;
}

function decoded(
  whole: string,
  code: string | undefined,
  decimal: string | undefined,
  hex: string | undefined,
  name: string | undefined,
): string {
  if (code !== undefined) return whole;
  const number = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
  const found = number === undefined ? named[name ?? ""] : characterAt(Number(number));
  if (found === undefined) return whole;
  // It is text, not markup; brackets would begin a formula.
  return /^[!-'*-/:-@\\^-`{-~]$/.test(found) ? `\\${found}` : found;
}

/** A character that may be shown; undefined for others: the text was sanitised before. */
function characterAt(point: number): string | undefined {
  if (point > 0x10ffff || point < 0x20) return undefined;
  const character = String.fromCodePoint(point);
  return sanitise(character) === character ? character : undefined;
}
