// Parses path patterns into segments, which a search shares.

import { isBelowAny, type NamePattern, parseNamePattern } from "./name-pattern.ts";

/** The part of a pattern between two slashes: a state of the search. */
export interface Segment extends NamePattern {
  /** Whether it leaves out what is ignored, unless it names that: in patterns with `**`. */
  readonly skipsIgnored: boolean;
  /** Whether it follows symbolic links to directories: `**` does not. */
  readonly entersLinks: boolean;
  /** The segments that apply in a directory it matched. */
  readonly next: readonly Segment[];
  /** The slashes after that directory's name. */
  readonly separator: string;
  /** Absent if no path can end here. */
  readonly ending: Ending | undefined;
}

/** How paths end whose last name this segment matched. */
export interface Ending {
  readonly slashes: string;
  readonly directoriesOnly: boolean;
}

/** A parsed path pattern. */
export interface PathPattern {
  /** The leading slashes of an absolute pattern. */
  readonly root: string;
  /** The segments that apply where the search starts; empty if the pattern consists of slashes. */
  readonly start: readonly Segment[];
}

/** A segment as written. */
interface Part {
  readonly text: string;
  readonly slashes: string;
}

/**
 * Parses path patterns and combines those that can be searched together: each directory is then read once for all of them.
 * Leaves out patterns that cannot match anything.
 *
 * @param hidden whether wildcards match a leading dot also without `**`.
 */
export function parsePathPatterns(texts: readonly string[], hidden = false): PathPattern[] {
  const together = new Map<string, PathPattern>();
  const alone: PathPattern[] = [];
  for (const text of texts) {
    const { root, parts } = dividePath(text);
    const start = parts && link(parts, hidden);
    if (start === undefined) continue;
    const others = together.get(root);
    if (texts.length === 1 || !isPlain(parts)) alone.push({ root, start });
    else together.set(root, { root, start: others ? [...others.start, ...start] : start });
  }
  return [...together.values(), ...alone];
}

function dividePath(text: string): { readonly root: string; readonly parts?: readonly Part[] } {
  // No path contains NUL or a lone surrogate.
  if (text === "" || text.includes("\0") || !text.isWellFormed()) return { root: "" };
  const [, root = "", rest = ""] = /^(\/*)(.*)$/s.exec(unescapeSlashes(text)) ?? [];
  return { root, parts: splitParts(rest) };
}

/** Whether results need no special spelling: single slashes, none at the end, and no trailing `**` (`src/**` gives `src/`). */
function isPlain(parts: readonly Part[] = []): boolean {
  const last = parts.at(-1);
  if (last === undefined || last.text === "**") return false;
  return parts.every((part) => part.slashes === (part === last ? "" : "/"));
}

/** A slash always separates: `a\/b` is `a/b`. */
function unescapeSlashes(text: string): string {
  return text.replace(/\\(.)/gs, (escaped, character) => (character === "/" ? "/" : escaped));
}

function splitParts(text: string): Part[] {
  const parts: Part[] = [];
  let isBelowAny = false;
  for (const [, name = "", slashes = ""] of text.matchAll(/([^/]+)(\/*)/g)) {
    isBelowAny ||= name === "**";
    // `**/**` is the same as `**`.
    if (name === "**" && parts.at(-1)?.text === "**") parts.pop();
    // `**` puts a single slash after a directory. With two elsewhere, results would not come in order.
    parts.push({ text: name, slashes: isBelowAny ? slashes.slice(0, 1) : slashes });
  }
  return parts;
}

/** Builds the segments from last to first; returns those that apply at the start. */
function link(parts: readonly Part[], hidden: boolean): readonly Segment[] | undefined {
  const skipsIgnored = parts.some(({ text }) => text === "**");
  let start: readonly Segment[] = [];
  for (let index = parts.length - 1; index >= 0; index--) {
    const { text, slashes } = parts[index] as Part;
    const ending = endingOf(parts, index);
    if (text === "**") {
      start = anyDirectories(start, ending);
      continue;
    }
    const pattern = parseNamePattern(text, { takesHidden: skipsIgnored || hidden });
    if (pattern === undefined) return undefined;
    start = [{ ...pattern, skipsIgnored, entersLinks: true, next: start, separator: slashes, ending }];
  }
  return start;
}

/** `**` applies again in every directory it matches, and so does what follows it: it may match any number of directories. */
function anyDirectories(following: readonly Segment[], ending: Ending | undefined): readonly Segment[] {
  const next = [...following];
  next.unshift({
    literal: undefined,
    takes: isBelowAny,
    skipsIgnored: true,
    entersLinks: false,
    next,
    separator: "/",
    ending,
  });
  return next;
}

function endingOf(parts: readonly Part[], index: number): Ending | undefined {
  const last = parts.length - 1;
  const suffix = parts[last]?.slashes ?? "";
  if (index === last) return { slashes: suffix, directoriesOnly: suffix !== "" };
  if (index !== last - 1 || parts[last]?.text !== "**") return undefined;
  // The last `**` matched nothing. As in bash, `src/**` then gives `src/`, but `*/**` gives the names that `*` matched.
  const isSpelled = parts.slice(0, last).every(({ text }) => text !== "**" && !hasWildcards(text));
  return { slashes: isSpelled ? (parts[index]?.slashes ?? "") : suffix, directoriesOnly: true };
}

function hasWildcards(text: string): boolean {
  return parseNamePattern(text, { takesHidden: false })?.literal === undefined;
}
