import { keyPartsIn } from "./key-parts.ts";
import { isSecretPart, type KnownKey, type KnownKeys, minKeyPart } from "./known-keys.ts";
import type { Range, ReducedText } from "./reduced-text.ts";

/** What follows a beginning of a key where a text was cut: white space, a quote that ends the text, or a sign such as `…`. */
const cutAfter = /^(?:$|[\s…*"[]|\.\.\.)/;

/** What precedes an end of a key there. */
const cutBefore = /(?:^|[\s…*"\]]|\.\.\.)$/;

/** The length of the longest such sign. */
const signLength = 3;

/** Finds what has to be removed from a text: offsets in the text itself. */
export function keysIn(reduced: ReducedText, { keys, grams, shortest }: KnownKeys): Range[] {
  const { text } = reduced;
  if (!grams.mayHavePart(text, shortest)) return [];
  const wholes = keys.flatMap((key) => occurrences(text, key.text).filter((range) => mayBeSplit(range, key, reduced)));
  // Where sequences have left words, nothing shows whether the text was cut.
  const ends = reduced.isAsShown ? endsIn(reduced, wholes, keys) : [];
  const parts = keyPartsIn(text, grams, minKeyPart);
  return [wholes, ends, parts].flatMap((found) => found.map((range) => reduced.origin(range)));
}

function occurrences(text: string, word: string): Range[] {
  const found: Range[] = [];
  for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + word.length))
    found.push({ start, end: start + word.length });
  return found;
}

/** Half of a short key may be a word, which is the last one of a line by chance. */
function mayBeSplit({ start, end }: Range, { isLong }: KnownKey, reduced: ReducedText): boolean {
  return isLong || lastLineBreak(reduced, start + 1, end - 1) < 0;
}

/** The last offset from `from` to `to` before which there was a line break; -1 if there was no such line break. */
function lastLineBreak(reduced: ReducedText, from: number, to: number): number {
  for (let at = to; at >= from; at--) if (reduced.hadLineBreak(at)) return at;
  return -1;
}

/** Finds beginnings and ends of keys where the text was cut, or has another key. */
function endsIn(reduced: ReducedText, wholes: readonly Range[], keys: readonly KnownKey[]): Range[] {
  const starts = new Set(wholes.map(({ start }) => start));
  const stops = new Set(wholes.map(({ end }) => end));
  const all: Range[] = [];
  const add = (found: readonly Range[]) => {
    for (const range of found) {
      starts.add(range.start);
      stops.add(range.end);
      all.push(range);
    }
  };
  for (const key of keys) {
    add(beginningsIn(reduced, key, (at) => starts.has(at) || reduced.hadLineBreak(at)));
    add(endingsIn(reduced, key, (at) => stops.has(at) || reduced.hadLineBreak(at)));
  }
  return all;
}

/** A line or a text may end before what looks like more of a key by chance. */
function beginningsIn(reduced: ReducedText, key: KnownKey, isBorder: (at: number) => boolean): Range[] {
  const { text } = reduced;
  if (key.beginning === undefined) return [];
  return occurrences(text, key.text.slice(0, key.beginning)).flatMap(({ start, end: least }, index, all) => {
    let end = least;
    while (end - start < key.text.length && text[end] === key.text[end - start]) end++;
    const isCut = all[index + 1]?.start === end || cutAfter.test(text.slice(end, end + signLength));
    if (!isCut) while (end >= least && !isBorder(end)) end--;
    return end >= least && isCounted({ start, end }, text.slice(start, end), key, reduced) ? [{ start, end }] : [];
  });
}

/** As `beginningsIn`, backwards. */
function endingsIn(reduced: ReducedText, key: KnownKey, isBorder: (at: number) => boolean): Range[] {
  const { text } = reduced;
  if (key.end === undefined) return [];
  return lastOccurrences(text, key.text.slice(-key.end)).flatMap(({ start: least, end }, index, all) => {
    const rest = key.text.length - end;
    let start = least;
    while (start + rest > 0 && text[start - 1] === key.text[start + rest - 1]) start--;
    const isCut = all[index + 1]?.end === start || cutBefore.test(text.slice(Math.max(0, start - signLength), start));
    if (!isCut) while (start <= least && !isBorder(start)) start++;
    const part = reversed(text.slice(start, end));
    return start <= least && isCounted({ start, end }, part, key, reduced) ? [{ start, end }] : [];
  });
}

function isCounted(range: Range, part: string, key: KnownKey, reduced: ReducedText): boolean {
  return isSecretPart(part) && mayBeSplit(range, key, reduced);
}

/** From the last one to the first, which differ from those from the first on where a word repeats itself. */
function lastOccurrences(text: string, word: string): Range[] {
  const found: Range[] = [];
  if (!text.includes(word)) return found;
  let start = text.lastIndexOf(word);
  while (start >= 0) {
    found.push({ start, end: start + word.length });
    start = start < word.length ? -1 : text.lastIndexOf(word, start - word.length);
  }
  return found;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}
