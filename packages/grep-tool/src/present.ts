// Makes the answer: first the hints, then the lines that are shown.
import { readFileSync } from "node:fs";
import {
  describeBelow,
  describeHidden,
  describeMissing,
  describeMost,
  describeNearest,
  districtOf,
  quotePath,
  type SearchGaps,
  shareOut,
} from "@ikigai/tool-files";
import { clipEnd, type FileMatches, firstSize, type Match } from "./match-list.ts";
import { noMatchHint, otherEngineHint, type Reading } from "./pattern-readings.ts";
import { hasBelow, type Place, type Request } from "./read-request.ts";
import type { Found } from "./search-files.ts";

/** What was searched. */
export interface Searched {
  readonly place: Place;
  readonly reading: Reading;
  readonly level: Found;
  /** The directories below, if they were searched, too. */
  readonly below: Found | undefined;
  readonly gaps: SearchGaps;
  /** Whether a model reads the answer. */
  readonly isShared: boolean;
}

/** The pattern as the call has it. */
interface Asked {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly spelling: string | undefined;
}

/** Returns hints for the model: what was not searched, and which parts of the pattern may mean something else. */
export function hintsFor(asked: Asked, { place, reading, level, below, gaps, isShared }: Searched): string[] {
  const count = level.count + (below?.count ?? 0);
  const isCut = level.isCut || below?.isCut === true;
  const notBelow = below ? undefined : notBelowHint(place, level);
  const noMatch = count === 0 ? noMatchHint(asked.pattern) : undefined;
  const missing = level.fileCount === 0 ? describeMissing(place.path) : undefined;
  const isEmpty = level.fileCount === 0 && below === undefined && missing === undefined && !gaps.isStopped;
  const hidden =
    isEmpty && describeHidden(place.glob || "*", place.path, { onDirectory: gaps.onDirectory, filesOnly: true });
  const meant = isShared ? reading.note : otherEngineHint(asked);
  const skipped = gaps.describeSkipped();
  return [
    ...(asked.spelling === undefined ? [] : [asked.spelling]),
    ...(missing === undefined ? [] : [missing, describeNearest(place.path) ?? ""].filter(Boolean)),
    ...(isCut && !gaps.isStopped
      ? ["The time limit was reached before all files were searched: narrow path or glob."]
      : []),
    ...gaps.describe(),
    ...(hidden ? [`${hidden}.`] : []),
    ...(meant === undefined ? [] : [meant]),
    ...(noMatch === undefined ? [] : [noMatch]),
    ...(notBelow === undefined ? [] : [notBelow]),
    ...(skipped === undefined ? [] : [skipped]),
  ];
}

/** Without a slash in the glob only one directory is searched: suggests searching below. */
function notBelowHint(place: Place, { count, fileCount }: Found): string | undefined {
  const { glob, path } = place;
  if (!hasBelow(place) || (glob !== "" && count > 0)) return undefined;
  const below = describeBelow(path);
  const files = `${fileCount} ${fileCount === 1 ? "file" : "files"}`;
  return below && `searched ${files} in ${quotePath(path)}; ${below}: glob '**/${glob || "*"}' does`;
}

/** Says how much is not shown, and where most of that is. */
export function missingHint(missing: ReadonlyMap<string, number>, { path }: Place): string | undefined {
  if (missing.size === 0) return undefined;
  const districts = new Map<string, number>();
  let sum = 0;
  let directory: string | undefined;
  let district = "";
  for (const [file, count] of missing) {
    // Files of one directory follow each other.
    const own = file.slice(0, file.lastIndexOf("/") + 1);
    if (own !== directory) district = districtOf(file, path);
    directory = own;
    districts.set(district, (districts.get(district) ?? 0) + count);
    sum += count;
  }
  const files = missing.size === 1 ? "1 file" : `${missing.size} files`;
  const where = districts.size > 1 ? `, ${describeMost(districts)}` : "";
  const lines = sum === 1 ? "1 matching line" : `${sum} matching lines`;
  return `not shown: ${lines} in ${files}${where}; narrow path, glob or pattern, or ask for format 'files'.`;
}

// Makes an answer of what was found: which lines are shown, with the lines around them, and what is missing. Without a model that reads it
// everything is shown, and the SDK cuts what the host does not take. With one, each file gets its share of the room.

/** A line as `format: "json"` has it. */
type Item =
  | { readonly file: string; readonly line: number; readonly content: string; readonly isContext?: true }
  | { readonly file: string; readonly binary: true };

/** What an answer shows. */
export interface Shown {
  readonly output?: string;
  readonly matches?: Item[];
  /** Lines of which a part is missing. */
  readonly clipped?: number;
  /** How many matches are missing, by file: those with the most. */
  readonly more?: Readonly<Record<string, number>>;
  /** The same for all files; empty if nothing is missing. */
  readonly missing: ReadonlyMap<string, number>;
}

/** How many files are named that have more matches, and how long these names may be together, in bytes. */
const maxNamed = 20;
const maxNamesBytes = 1_200;

/** Files that are larger get no context, in bytes. */
const maxContextFileBytes = 16 * 1_048_576;

/**
 * Chooses what is shown.
 *
 * @param room how many bytes of JSON it may take; `Infinity` shows all that was kept.
 */
export function present(found: Found, request: Request, room: number): Shown {
  return request.format === "files" ? presentFiles(found.files, request, room) : presentLines(found, request, room);
}

/** How many bytes of JSON all that was found takes, or anything above `most`. */
export function bytesFor({ files, count }: Found, request: Request, most: number): number {
  let bytes = 0;
  if (request.format === "files") for (const { file } of files) bytes += jsonBytes(file) + 10;
  else if (count > request.limit) return Number.POSITIVE_INFINITY;
  else
    for (const file of files) {
      if (bytes > most || file.matches.length < file.count) return Number.POSITIVE_INFINITY;
      const view = new FileView(file, request, true);
      for (let left = file.count; left > 0; left--) bytes += view.cost();
    }
  return bytes;
}

/** One path and its number of matches a line. */
function presentFiles(files: readonly FileMatches[], { limit }: Request, room: number): Shown {
  const text = ({ file, count }: FileMatches) => `${file}: ${count}`;
  const wanted = files.slice(0, limit);
  const { counts } = shareOut(
    wanted.map(() => 1),
    room,
    (group) => jsonBytes(text(wanted[group] as FileMatches)) + 1,
  );
  const shown = wanted.filter((_, index) => counts[index] === 1);
  const isShown = new Set(shown);
  const missing = new Map(files.filter((file) => !isShown.has(file)).map(({ file, count }) => [file, count]));
  return { output: shown.map(text).join("\n"), missing };
}

function presentLines({ files, sharedBytes }: Found, request: Request, room: number): Shown {
  const { limit, format } = request;
  const views: FileView[] = [];
  const viewOf = (group: number) => {
    views[group] ??= new FileView(files[group] as FileMatches, request, Number.isFinite(room));
    return views[group];
  };
  const sizes = sizesOf(files, sharedBytes);
  let shownLines = 0;
  const { counts } = shareOut(sizes, room, (group) => {
    if (shownLines >= limit) return Number.POSITIVE_INFINITY;
    const cost = viewOf(group).cost();
    if (cost <= room) shownLines++;
    return cost;
  });
  const all: Line[] = [];
  const missing = new Map<string, number>();
  for (const [group, { file, count }] of files.entries()) {
    const shown = counts[group] ?? 0;
    const lines = shown > 0 ? viewOf(group).lines(shown) : [];
    const left = shown > 0 ? count - lines.filter(isMatch).length : count;
    if (left > 0) missing.set(file, left);
    if (shown > 0) all.push(...lines);
  }
  const clipped = all.filter(({ isClipped }) => isClipped).length;
  const hasContext = request.before > 0 || request.after > 0;
  return {
    ...(format === "json" ? { matches: all.map(toItem) } : { output: toText(all, hasContext) }),
    ...(clipped > 0 && { clipped }),
    missing,
  };
}

/**
 * How many lines of each file can be shown: none once the first lines of the files before it fill the answer. The threads of a search then
 * keep none either, each by what it has found itself; so the answer does not depend on which one found what.
 */
function sizesOf(files: readonly FileMatches[], sharedBytes: number): number[] {
  let firstBytes = 0;
  return files.map((file) => {
    const size = firstBytes > sharedBytes ? 0 : file.matches.length;
    firstBytes += firstSize(file);
    return size;
  });
}

/** Names the files with the most missing matches. */
export function moreOf(missing: Shown["missing"]): Record<string, number> {
  let left = maxNamesBytes;
  const most = [...missing].sort((a, b) => b[1] - a[1]).slice(0, maxNamed);
  return Object.fromEntries(
    most.filter(([file]) => {
      left -= jsonBytes(file) + 8;
      return left >= 0;
    }),
  );
}

/** A line that is shown: a match, or near one. */
interface Line extends Match {
  readonly file: string;
  readonly isContext?: true;
}

function isMatch({ isContext }: Line): boolean {
  return !isContext;
}

/** The matches of a file, of which the first are shown. */
class FileView {
  readonly #file: FileMatches;
  readonly #isClipping: boolean;
  readonly #request: Request;
  #content: readonly string[] | undefined;
  /** The match that is considered next, and the last line that is shown for those before it. */
  #next = 0;
  #until = 0;

  constructor(file: FileMatches, request: Request, isClipping: boolean) {
    this.#isClipping = isClipping;
    this.#file = file;
    this.#request = request;
  }

  /** How many bytes of JSON the next match takes, with the lines around it that are not shown yet. */
  cost(): number {
    const match = this.#file.matches[this.#next++];
    if (match === undefined) return 0;
    const { before, after, format } = this.#request;
    const { file } = this.#file;
    const frame = format === "json" ? jsonBytes(file) + 40 : jsonBytes(file) + 6;
    let bytes = jsonBytes(match.content) + frame;
    if (before === 0 && after === 0) return bytes;
    bytes += 4;
    for (let line = Math.max(match.line - before, this.#until + 1); line <= match.line + after; line++) {
      const text = line === match.line ? undefined : this.#lineAt(line);
      if (text !== undefined) bytes += jsonBytes(text.content) + frame;
    }
    this.#until = match.line + after;
    return bytes;
  }

  /** The first matches with the lines around them. */
  lines(count: number): Line[] {
    const { file, matches } = this.#file;
    const { before, after } = this.#request;
    const shown = matches.slice(0, count).map((match): Line => ({ file, ...match }));
    if ((before === 0 && after === 0) || shown[0]?.line === 0) return shown;
    const byLine = new Map(matches.map((match) => [match.line, match]));
    const lines = new Map<number, Line>();
    for (const { line } of shown) {
      for (let at = Math.max(line - before, 1); at <= line + after; at++) {
        const match = byLine.get(at);
        const context = match ?? this.#lineAt(at);
        if (context && !lines.has(at))
          lines.set(at, { file, line: at, ...context, ...(!match && { isContext: true }) });
      }
    }
    return [...lines.values()].sort((a, b) => a.line - b.line);
  }

  /** A line near a match; `undefined` beyond the file, and if it cannot be read. */
  #lineAt(line: number): { content: string; isClipped?: true } | undefined {
    this.#content ??= readLines(this.#file.file);
    const text = this.#content[line - 1];
    if (text === undefined) return undefined;
    return this.#isClipping ? clipEnd(text) : { content: text };
  }
}

function readLines(file: string): string[] {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > maxContextFileBytes) return [];
    const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
    const text =
      mark === 0xfffe || mark === 0xfeff
        ? new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes)
        : bytes.toString("utf8");
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch {
    return [];
  }
}

function toText(lines: readonly Line[], hasContext: boolean): string {
  const texts: string[] = [];
  for (const [index, line] of lines.entries()) {
    const last = lines[index - 1];
    if (hasContext && last && (last.file !== line.file || last.line + 1 < line.line)) texts.push("--");
    texts.push(textOf(line));
  }
  return texts.join("\n");
}

function textOf({ file, line, content, isContext }: Line): string {
  if (line === 0) return `${file}: binary file matches`;
  return isContext ? `${file}-${line}- ${content}` : `${file}:${line}: ${content}`;
}

function toItem({ file, line, content, isContext }: Line): Item {
  return line === 0 ? { file, binary: true } : { file, line, content, ...(isContext && { isContext }) };
}

/** How many bytes a text takes in JSON, without its quotes. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
