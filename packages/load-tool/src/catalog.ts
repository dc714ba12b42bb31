// The catalog of tools and skills that the host has written: ranks its entries by the words of a query, then reads it.

import { type CatalogEntry, isJsonObject } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";

/** The usual constants of BM25: how soon a repeated word stops to count, and how much a long text loses. */
const saturation = 1.2;
const lengthShare = 0.75;

/** A word in the name says more than one in the description. */
const nameWeight = 3;

/** Words that say nothing about a tool. */
const emptyWords = new Set(
  "a an and are as at by can for from how in is it of on or that the this to use with".split(" "),
);

/** Returns the entries that have words of the query, the best first (BM25). */
export function rank(entries: readonly CatalogEntry[], query: string): CatalogEntry[] {
  const wanted = [...new Set(wordsOf(query))].filter((word) => !emptyWords.has(word));
  const documents = entries.map((entry) => countWords(entry, wanted));
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const rarities = wanted.map((_, word) => {
    const having = documents.filter(({ counts }) => (counts[word] ?? 0) > 0).length;
    return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
  });
  const scoreOf = ({ counts, length }: Counted) => {
    const relative = saturation * (1 - lengthShare + (lengthShare * length) / meanLength);
    return rarities.reduce((sum, rarity, word) => {
      const count = counts[word] ?? 0;
      return sum + (rarity * count * (saturation + 1)) / (count + relative);
    }, 0);
  };
  return documents
    .map((document) => ({ entry: document.entry, score: scoreOf(document) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

/** An entry with how often it has each word of the query, in the query's order. */
interface Counted {
  readonly entry: CatalogEntry;
  readonly counts: readonly number[];
  /** In characters. */
  readonly length: number;
}

/** Counts the words in place: making a string of every word of 500 entries takes longer than all the rest. */
function countWords(entry: CatalogEntry, wanted: readonly string[]): Counted {
  const { name, description, parameters = [] } = entry;
  const title = plain(name);
  const text = plain(`${description} ${parameters.join(" ")}`);
  const counts = wanted.map((word) => nameWeight * occurrences(title, word) + occurrences(text, word));
  return { entry, counts, length: nameWeight * title.length + text.length };
}

/** How often a word is in a text, also with a plural's s. */
function occurrences(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    const isPlural = text[end] === "s" && !isLetter(text, end + 1);
    if (!isLetter(text, at - 1) && (isPlural || !isLetter(text, end))) count++;
  }
  return count;
}

/** Everything beyond ASCII counts as a letter. */
function isLetter(text: string, index: number): boolean {
  const code = index < 0 ? Number.NaN : text.charCodeAt(index);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code >= 0x80;
}

/** A text in lower case: `listIssues` has the words `list` and `issues`. */
function plain(text: string): string {
  return text.replace(/([a-z])(?=[A-Z])/g, "$1 ").toLowerCase();
}

/** The words of a query, without a plural's s. */
function wordsOf(query: string): string[] {
  const words = plain(query).match(/[a-z0-9\u0080-\uffff]+/g) ?? [];
  return words.map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
}

/** Far above 5,000 tools, in bytes. */
const maxBytes = 16_777_216;

/** Reads the list of tools and skills; `undefined` if it cannot be read. Ignores damaged lines. */
export function readCatalog(path: string | undefined): CatalogEntry[] | undefined {
  if (!path) return undefined;
  try {
    return readRegularFile(path, maxBytes)
      .toString("utf8")
      .split("\n")
      .flatMap((line) => readEntry(line));
  } catch {
    return undefined;
  }
}

function readEntry(line: string): CatalogEntry[] {
  if (line === "") return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? [entry] : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is CatalogEntry {
  if (!isJsonObject(value)) return false;
  const { kind, name, description, path, sha256, parameters = [], introduces = [] } = value;
  const isText = (text: unknown) => typeof text === "string";
  const isTextList = (list: unknown) => Array.isArray(list) && list.every(isText);
  if (![name, description].every(isText) || ![parameters, introduces].every(isTextList)) return false;
  return kind === "tool" || (kind === "skill" && isText(path) && (sha256 === undefined || isText(sha256)));
}
