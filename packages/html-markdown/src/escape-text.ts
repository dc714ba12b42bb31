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
