import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import type { ShellWord } from "../shell/read-shell.ts";

/**
 * How many directory entries the patterns of one command may pass before it becomes a question: a listing takes about 1 µs an
 * entry, and this happens before each call.
 */
export const maxEntries = 20_000;

/** Where a command runs, with all links resolved. */
export interface ReadingPlace {
  /** The directory of this part of the command. */
  readonly cwd: string;
  readonly project: string;
  /** The directory of the user's own tools, configuration and sessions. */
  readonly home: string | undefined;
  /** How many directory entries may still be looked at, for all parts of the command together. */
  readonly budget: { entries: number };
  /** Another part of the command may change where paths lead before they are read. */
  readonly isChanging?: boolean;
}

/**
 * Whether everything that a word can name lies in the project, and nothing of it in the user's own directory. With
 * `isRecursive` the program also reads what is below, so the user's own directory must not be there either.
 */
export function staysInside(word: ShellWord, place: ReadingPlace, isRecursive = false): boolean {
  const { text } = word;
  // A `-` is the input to most programs, and a file of that name to the others and behind `<`.
  if (text === "/dev/null") return true;
  if (place.isChanging) return false;
  // Some shells also replace a tilde behind a `=`.
  if (word.isTilde || text.startsWith("~")) return false;
  if (word.isPattern) return patternStaysInside(text, place, isRecursive);
  return pathStaysInside(text, place, isRecursive);
}

function pathStaysInside(path: string, { cwd, project, home }: ReadingPlace, isRecursive: boolean): boolean {
  const real = realTarget(path || ".", cwd);
  if (real === undefined || !isInside(real, project)) return false;
  return home === undefined || !(isInside(real, home) || (isRecursive && isInside(home, real)));
}

const wildcards = /[*?[]/;

/** A step that may be `..`: shells let `.*` match it. */
const mayBeParent = /^\.(?:\.$|\.?[*?[])/;

/** A name that a program may take for an option. */
const optionLike = /^[-+@]/;

/** What every name that a step of a pattern matches begins and ends with; shells need not agree on what lies between. */
function couldMatch(step: string, name: string): boolean {
  const first = step.search(wildcards);
  if (first < 0) return name === step;
  const last = Math.max(...["*", "?", "[", "]"].map((sign) => step.lastIndexOf(sign)));
  return name.startsWith(step.slice(0, first)) && name.endsWith(step.slice(last + 1));
}

/** Looks at all entries that a pattern could reach, one level after the other. */
function patternStaysInside(text: string, place: ReadingPlace, isRecursive: boolean): boolean {
  const steps = text.split("/");
  const first = steps.findIndex((step) => wildcards.test(step));
  const rest = steps.slice(first);
  if (rest.some((step) => mayBeParent.test(step))) return false;
  const start = steps.slice(0, first).join("/") || (first > 0 ? "/" : ".");
  if (!pathStaysInside(start, place, isRecursive)) return false;
  const mayBecomeOption = first === 0 && (wildcards.test(text.charAt(0)) || optionLike.test(text));
  let level = [realTarget(start, place.cwd) ?? start];
  for (const [down, step] of rest.entries()) {
    const next: string[] = [];
    for (const directory of level) {
      const entries = entriesOf(directory);
      place.budget.entries -= entries.length;
      if (place.budget.entries < 0) return false;
      for (const entry of entries) {
        if (!couldMatch(step, entry.name)) continue;
        if (down === 0 && mayBecomeOption && optionLike.test(entry.name)) return false;
        const path = join(directory, entry.name);
        const leadsElsewhere = entry.isSymbolicLink() && !pathStaysInside(path, place, isRecursive);
        if (leadsElsewhere || isHome(path, place)) return false;
        if (entry.isDirectory() || entry.isSymbolicLink()) next.push(path);
      }
    }
    level = next;
  }
  return true;
}

/**
 * Whether no link below a directory, or below what such a link leads to, leads out; what is no directory has none below.
 */
export function linksStayInside(directory: string, place: ReadingPlace): boolean {
  let level = [directory];
  const followed = new Set<string>();
  while (level.length > 0) {
    const next: string[] = [];
    for (const one of level) {
      const entries = entriesOf(one);
      place.budget.entries -= entries.length;
      if (place.budget.entries < 0) return false;
      for (const entry of entries) {
        const path = join(one, entry.name);
        if (entry.isDirectory()) next.push(path);
        if (!entry.isSymbolicLink()) continue;
        const target = realTarget(path, one);
        if (target === undefined || !pathStaysInside(target, place, true)) return false;
        if (!followed.has(target)) next.push(target);
        followed.add(target);
      }
    }
    level = next;
  }
  return true;
}

function isHome(path: string, { home }: ReadingPlace): boolean {
  return home !== undefined && isInside(path, home);
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
