// A full-screen view of text: it scrolls, searches, and shows its keys.

import { characterOf, isKey } from "./keys.ts";
import { cutToWidth, plainWidth } from "./plain-text.ts";
import { type Signs, sgr } from "./style.ts";
import { cutStyled, wrapStyled } from "./styled-text.ts";
import type { Surface } from "./surface.ts";
import { printOut } from "./terminal-state.ts";
import type { Theme } from "./theme.ts";

/** A full-screen text on the alternate screen; closing it restores the screen below. */
export interface Viewer {
  key(typed: string): void;
  /** Something on the screen below has changed: a text that follows it is rendered again. */
  changed(): void;
  close(): void;
}

/** What a viewer is drawn on. */
interface ViewerGround {
  readonly surface: Pick<Surface, "drawable" | "hide" | "show">;
  readonly theme: () => Theme;
  readonly signs: Signs;
  /** Called when it is closed, before the screen below is shown again. */
  readonly closed: () => void;
}

export interface ViewerOptions {
  readonly title: string;
  /** Renders the text, sanitised, for a width, in the parts that Tab jumps between. */
  readonly parts: (columns: number) => readonly (readonly string[])[];
  /** Shows the end first. */
  readonly isAtEnd?: boolean;
  /** Whether the text grows: its end stays visible if it is. */
  readonly isLive?: boolean;
  /** What its parts are. */
  readonly partNames?: string;
  /** The key that closes it, and where that leads, in the words for a wide and for a narrow screen. */
  readonly closeHints?: ViewerHelp["closeHints"];
  /** Called whenever the end is visible. */
  readonly endShown?: () => void;
}

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?1049l";

/** A text that follows what happens is rendered this often, in milliseconds. */
const refreshMs = 150;

/** Opens a full-screen text. */
export function openViewerOn(ground: ViewerGround, options: ViewerOptions): Viewer {
  const { surface, theme, signs, closed } = ground;
  const { isLive = false, isAtEnd = false, endShown } = options;
  const place: Place = { lines: [], starts: [], top: isAtEnd ? Number.MAX_SAFE_INTEGER : 0, query: "" };
  let drawnFor = 0;
  let drawn = "";
  let refresh: NodeJS.Timeout | undefined;
  let isOpen = true;
  const onResize = () => draw();
  surface.hide();
  printOut(enter);
  process.stdout.on("resize", onResize);
  draw();
  return { key, changed, close };

  function draw(): void {
    const { columns = 80, rows = 24 } = process.stdout;
    if (drawnFor !== columns) layOut(place, options, (line) => wrapStyled(surface.drawable(line), columns), columns);
    drawnFor = columns;
    const room = Math.max(1, rows - 1);
    place.top = Math.max(0, Math.min(place.top, place.lines.length - room));
    const shown = place.lines.slice(place.top, place.top + room);
    const left = place.lines.length - place.top - shown.length;
    const { query } = place;
    const rowsShown = [
      ...(query === "" ? shown : shown.map((line) => withMatches(line, query))),
      ...Array(room - shown.length).fill(""),
      surface.drawable(theme().style.dim(bottomText({ place, left, columns }, options, signs))),
    ];
    const all = rowsShown.map((line, row) => `\u001b[${row + 1};1H\u001b[K${line}`).join("");
    if (all !== drawn) printOut(`\u001b[?2026h${all}\u001b[?2026l`);
    drawn = all;
    if (left <= 0) endShown?.();
  }

  function key(input: string): void {
    const isTyped = place.typed !== undefined;
    if (!isTyped && isKey(input, "q", "escape", "ctrl+o", "enter")) close();
    else if (isTyped ? typeQuery(place, input) : move(place, input, (process.stdout.rows || 24) - 1)) draw();
  }

  function changed(): void {
    if (!isLive || refresh) return;
    refresh = setTimeout(() => {
      refresh = undefined;
      const room = Math.max(1, (process.stdout.rows || 24) - 1);
      if (place.top + room >= place.lines.length) place.top = Number.MAX_SAFE_INTEGER;
      drawnFor = 0;
      draw();
    }, refreshMs);
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(refresh);
    process.stdout.off("resize", onResize);
    closed();
    printOut(leave);
    surface.show(true);
  }
}

/** What is being typed to search for, or where one is and the keys. */
function bottomText(
  { place, left, columns }: { readonly place: Place; readonly left: number; readonly columns: number },
  options: ViewerOptions,
  signs: Signs,
): string {
  const { typed, query, isMissing = false, top } = place;
  if (typed !== undefined) return cutStyled(`/${typed}_`, columns, "");
  const { title, partNames: parts, closeHints = ["q closes", "q closes"] } = options;
  const help = { title, left, canMove: left > 0 || top > 0, parts, query, isMissing, closeHints };
  return viewerHelp(help, columns, signs);
}

/** Where one is in a text. */
interface Place {
  lines: readonly string[];
  /** The indexes of the lines at which parts begin. */
  starts: readonly number[];
  /** The first line on the screen. */
  top: number;
  query: string;
  /** What has been typed of the next query. */
  typed?: string | undefined;
  isMissing?: boolean;
  /** The line of the last match. */
  match?: number;
}

function layOut(place: Place, { parts }: ViewerOptions, wrap: (line: string) => string[], columns: number): void {
  const wrapped = parts(columns).map((part) => part.flatMap(wrap));
  place.lines = wrapped.flat();
  let start = 0;
  place.starts = wrapped.map(({ length }) => {
    start += length;
    return start - length;
  });
}

function typeQuery(place: Place, input: string): boolean {
  const { typed = "" } = place;
  if (isKey(input, "escape", "ctrl+c")) place.typed = undefined;
  else if (isKey(input, "backspace")) place.typed = typed === "" ? undefined : Array.from(typed).slice(0, -1).join("");
  else if (!isKey(input, "enter")) place.typed = typed + (characterOf(input) ?? "");
  else {
    Object.assign(place, { query: typed, typed: undefined, isMissing: false });
    if (typed !== "") search(place, place.top, 1);
  }
  return true;
}

function search(place: Place, start: number, step: 1 | -1): void {
  const found = findLine(place.lines, place.query, start, step);
  place.isMissing = found === undefined;
  if (found !== undefined) Object.assign(place, { match: found, top: found });
}

/** Moves by a key; false if it is none of these. @param rows the lines that are on the screen */
function move(place: Place, input: string, rows: number): boolean {
  const { top, query, match = top, starts } = place;
  const page = Math.max(1, rows - 1);
  if (isKey(input, "down", "j")) place.top++;
  else if (isKey(input, "up", "k")) place.top--;
  else if (isKey(input, "pageDown", "space", "ctrl+f")) place.top += page;
  else if (isKey(input, "pageUp", "b", "ctrl+b")) place.top -= page;
  else if (isKey(input, "home", "g")) place.top = 0;
  else if (isKey(input, "end", "shift+g") || input === "G") place.top = Number.MAX_SAFE_INTEGER;
  else if (isKey(input, "tab")) place.top = starts.find((start) => start > top) ?? top;
  else if (isKey(input, "shift+tab")) place.top = starts.findLast((start) => start < top) ?? 0;
  else if (characterOf(input) === "/") place.typed = "";
  else if (query !== "" && characterOf(input) === "n") search(place, match + 1, 1);
  else if (query !== "" && characterOf(input) === "N") search(place, match - 1, -1);
  else return false;
  return true;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles and links
const styles = /\u001b\[[\d;:]*m|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

const reversed = sgr(7, 27);

/** What is searched for; capitals count only if there are any. */
function patternOf(query: string): RegExp {
  const escaped = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(escaped, query === query.toLowerCase() ? "giu" : "gu");
}

/** The index of the next line with a match, from `start` on, around the end; undefined if nothing matches. */
function findLine(lines: readonly string[], query: string, start: number, step: 1 | -1): number | undefined {
  const pattern = patternOf(query);
  const { length } = lines;
  for (let n = 0; n < length; n++) {
    const index = (((start + step * n) % length) + length) % length;
    if (withoutStyles(lines[index] ?? "").search(pattern) >= 0) return index;
  }
  return undefined;
}

/** The line with its matches reversed, and without its other styles if it has any. */
function withMatches(line: string, query: string): string {
  const plain = withoutStyles(line);
  return plain.search(patternOf(query)) < 0 ? line : plain.replace(patternOf(query), (match) => reversed(match));
}

function withoutStyles(line: string): string {
  return line.replace(styles, "");
}

/** What the last row of a viewer says. */
interface ViewerHelp {
  readonly title: string;
  /** The lines below the last one on the screen. */
  readonly left: number;
  /** Whether there are lines above or below those on the screen. */
  readonly canMove: boolean;
  /** Whether Tab jumps between parts, and what they are. */
  readonly parts?: string | undefined;
  /** The text that was searched for; empty without one. */
  readonly query: string;
  readonly isMissing: boolean;
  /** What the key does that closes it, in the words for a wide and for a narrow screen. */
  readonly closeHints: readonly [string, string];
}

/** A part of the row. Those with the highest rank are left out first; one without a rank never is. */
interface Part {
  readonly text: string;
  readonly rank?: number;
}

/** The title, where one is, and the keys, as many of them as fit as a whole. */
export function viewerHelp(help: ViewerHelp, columns: number, { dot, cut }: Pick<Signs, "dot" | "cut">): string {
  const join = (texts: readonly string[]) => texts.join(` ${dot} `);
  const [long, short] = help.closeHints;
  const title = cutToWidth(help.title, Math.floor(columns * maxTitleShare), cut);
  for (const [closeHint, least] of [
    [long, 3],
    [short, 1],
  ] as const) {
    const parts = partsOf({ ...help, title }, closeHint);
    for (let rank = 7; rank >= least; rank--) {
      const row = join(parts.filter((part) => (part.rank ?? 0) <= rank).map(({ text }) => text));
      if (plainWidth(row) <= columns) return row;
    }
  }
  const room = columns - plainWidth(join(["", short]));
  return room < minTitle ? cutToWidth(short, columns, cut) : join([cutToWidth(title, room, cut), short]);
}

/** A title of fewer columns says nothing. */
const minTitle = 4;

/** The part of the row that a long title may take: it has room for the keys, too. */
const maxTitleShare = 0.5;

function partsOf({ title, left, canMove, parts, query, isMissing }: ViewerHelp, closeHint: string): Part[] {
  const found = isMissing ? `no match for ${query}` : query === "" ? undefined : "n/N matches";
  return [
    { text: title },
    ...(found === undefined ? [] : [{ text: found, rank: 1 }]),
    { text: left > 0 ? `${left} more lines` : "the end", rank: 2 },
    ...(parts === undefined ? [] : [{ text: `tab ${parts}`, rank: 4 }]),
    ...(canMove ? [{ text: left > 0 ? "space page" : "b page up", rank: 6 }] : []),
    { text: "/ search", rank: 5 },
    ...(canMove ? [{ text: "g/G ends", rank: 7 }] : []),
    { text: closeHint },
  ];
}
