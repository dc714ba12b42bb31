// Text and code that Markdown reads as themselves: which characters are escaped, and where; code spans and blocks; and the code
// that a page holds, with its language.

import { type Attributes, blockElements, type PageEvent, type Tag } from "./page.ts";

/** Where a piece of text is: what is next to it, and whether it is inside a link or the description of an image. */
export interface TextPlace {
  /** The last character before the text: empty at the start of a line. */
  readonly before: string;
  /** The first character after it: empty at the end of a line. */
  readonly after: string;
  readonly isInBrackets: boolean;
  /** Whether a paragraph begins with the text, where brackets could make a checkbox or the definition of a link. */
  readonly isFirst: boolean;
}

/** Stands for a neighbour that may be Markdown or text. */
export const anything = "\u0000";

const special = /[\\`*_[\]<&~!]/;
const specials = /\\|`|\*+|_+|[[\]]|<|&|~+|!(?=\[|$)/g;
const bareUrl = /:\/\/|www\.|@/i;
const punctuation = /[\p{P}\p{S}]/u;
const letter = /[\p{L}\p{N}]/u;
const entity = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{0,40});/i;

/** Escapes the characters that Markdown would read as something else, and only where it would. */
export function escapeText(text: string, place: TextPlace): string {
  if (!special.test(text)) return text;
  const lessThan = mayHaveUrl(text, place) ? "&lt;" : "\\<";
  return text.replace(specials, (found, offset: number) => {
    const before = offset > 0 ? (text[offset - 1] ?? "") : place.before;
    const end = offset + found.length;
    const after = end < text.length ? (text[end] ?? "") : place.after;
    if (!changesMeaning(found, before, after, text, offset, place)) return found;
    return found === "<" ? lessThan : `\\${found[0]}`.repeat(found.length);
  });
}

/** Whether a URL may be in the text, or go on in it. Readers that make links of bare URLs take a backslash for a part of them. */
function mayHaveUrl(text: string, { before }: TextPlace): boolean {
  return !isSpace(before) || bareUrl.test(text);
}

/** Whether the text may end in a bare URL, which takes everything up to a space. */
export function endsInUrl(text: string): boolean {
  return bareUrl.test(text.slice(text.lastIndexOf(" ") + 1));
}

function changesMeaning(
  found: string,
  before: string,
  after: string,
  text: string,
  offset: number,
  { isInBrackets, isFirst }: TextPlace,
): boolean {
  switch (found[0]) {
    case "*":
      return found.length > 1 || !isSpace(before) || !isSpace(after);
    case "_":
      return !(isWord(before) && isWord(after)) && (found.length > 1 || !isSpace(before) || !isSpace(after));
    case "~":
      return found.length > 1 || !isSpace(before) || after === anything;
    case "[":
      return isInBrackets || (isFirst && offset === 0);
    case "]":
      return isInBrackets || /[([\0]/.test(after);
    case "<":
      return /[a-z/!?\0]/i.test(after);
    case "&":
      return entity.test(text.slice(offset, offset + 50)) || after === anything;
    case "!":
      return after === "[" || after === anything;
    case "\\":
      return after === "" || after === anything || isPunctuation(after);
    default:
      return true;
  }
}

/** Escapes what would make the beginning of a line something else than text. */
export function escapeLineStart(line: string): string {
  if (!/^[#>+=|:_*\d-]/.test(line)) return line;
  if (/^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[=|:-][-=|: ]*$|(?:_ *){3,}$)/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

/** What the ASCII characters are. V8 takes milliseconds to compile the classes of Unicode, which most pages do not need here. */
const asciiWord = /[A-Za-z0-9_]/;
const asciiSpace = /\s/;
const asciiPunctuation = /[!-/:-@[-`{-~]/;

export function isSpace(character: string): boolean {
  return character === "" || asciiSpace.test(character);
}

export function isPunctuation(character: string): boolean {
  return character < "\u0080" ? asciiPunctuation.test(character) : punctuation.test(character);
}

function isWord(character: string): boolean {
  return character < "\u0080" ? asciiWord.test(character) : letter.test(character);
}

/** A code span whose fence is longer than any run of backticks inside. */
export function codeSpan(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + padding + code + padding + fence;
}

/** A code block, with its tabs; nothing if there is no code. */
export function codeBlock(text: string, language = ""): string {
  const code = text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?![\t\n])\p{Cc}|\ufeff/gu, "")
    .replaceAll("\u00a0", " ")
    .replace(/^\n/, "")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return code.trim() === "" ? "" : `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const languageClass = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-z0-9+#._-]{1,30})(?=\s|$)/i;
/** What highlighters write for code in no language in particular. */
const noLanguage = /^(?:none|default|text|plain|plaintext|plain-text|notranslate|auto)$/;

/** The language of a code block by the class of an element, as highlighters and sites write it. */
export function languageOfClass(attributes: Attributes): string | undefined {
  if (attributes.size === 0) return undefined;
  const named = attributes.get("data-lang") ?? attributes.get("data-language");
  const language =
    named !== undefined && /^[a-z0-9+#._-]{1,30}$/i.test(named)
      ? named
      : languageClass.exec(attributes.get("class") ?? "")?.[1];
  return language && !noLanguage.test(language.toLowerCase()) ? language.toLowerCase() : undefined;
}

const preformatted = new Set(["pre", "xmp", "listing", "plaintext"]);

export function isPreformatted({ name }: Tag): boolean {
  return preformatted.has(name);
}

/** The text of a preformatted element, and what it says about its language. */
interface Code {
  readonly text: string;
  readonly language: string | undefined;
  /** Index of its closing tag. */
  readonly end: number;
}

/** Reads a preformatted element as it is displayed: blocks inside are lines. */
export function readCode(events: readonly PageEvent[], start: number, tag: Tag): Code {
  const pieces: string[] = [];
  let language = languageOfClass(tag.attributes);
  let depth = 0;
  let index = start;
  for (; index < events.length; index++) {
    const event = events[index];
    if (event === undefined) break;
    if (typeof event === "string") {
      pieces.push(event);
    } else if ("closes" in event) {
      if (event.closes === tag.name && depth === 0) break;
      if (event.closes === tag.name) depth -= 1;
      if (blockElements.has(event.closes) && !pieces.at(-1)?.endsWith("\n")) pieces.push("\n");
    } else {
      if (event.name === tag.name) depth += 1;
      if (event.name === "br") pieces.push("\n");
      language ??= languageOfClass(event.attributes);
    }
  }
  return { text: pieces.join(""), language, end: index };
}
