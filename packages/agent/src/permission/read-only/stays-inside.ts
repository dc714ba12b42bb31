import type { Dirent } from "node:fs";
import { join } from "node:path";
import { readEntries } from "@ikigai/system";
import { isFree, type ProjectBounds } from "../inside-project.ts";
import { realTarget } from "../real-target.ts";
import type { ShellWord } from "../shell/read-shell.ts";

/**
 * Maximum number of directory entries that the patterns of one command may cover before it needs a question: a listing takes
 * about 1 µs per entry, before each call.
 */
export const maxEntries = 20_000;

/** Where a command runs, with all symlinks resolved. */
export interface ReadingPlace extends ProjectBounds {
  /** The directory of this part of the command. */
  readonly cwd: string;
  /** The directory with the user's tools, configuration and sessions. */
  readonly home: string | undefined;
  /** The same as the user names it, perhaps through symlinks. */
  readonly givenHome?: string;
  /** The directories of the `PATH` in which the project may have put programs: relative ones, and those inside it. */
  readonly programs: readonly string[];
  /** How many more directory entries may be checked, for all parts of the command. */
  readonly budget: { entries: number };
  /** Whether another part of the command may change where paths lead before they are read. */
  readonly isChanging?: boolean;
}

/**
 * Whether everything that a word can name is in the bounds. With `isRecursive` the program also reads what is below.
 */
export function staysInside(word: ShellWord, place: ReadingPlace, isRecursive = false): boolean {
  const { text } = word;
  // Most programs read `-` as their input; others, and `<`, read a file of that name.
  if (text === "/dev/null") return true;
  if (place.isChanging) return false;
  // Some shells also expand a tilde after `=`.
  if (word.isTilde || text.startsWith("~")) return false;
  if (word.isPattern) return patternStaysInside(text, place, isRecursive);
  return pathStaysInside(text, place, isRecursive);
}

function pathStaysInside(path: string, place: ReadingPlace, isRecursive: boolean): boolean {
  const real = realTarget(path || ".", place.cwd);
  return real !== undefined && isFree(real, place, isRecursive);
}

const wildcards = /[*?[]/;

/** A path segment that may be `..`: shells let `.*` match it. */
export const mayBeParent = /^\.(?:\.$|\.?[*?[])/;

/** A name that a program may read as an option. */
const optionLike = /^[-+@]/;

/** Compares only the beginning and end of a pattern segment with a name, because shells may disagree on the middle. */
function couldMatch(step: string, name: string): boolean {
  const first = step.search(wildcards);
  if (first < 0) return name === step;
  const last = Math.max(...["*", "?", "[", "]"].map((sign) => step.lastIndexOf(sign)));
  return name.startsWith(step.slice(0, first)) && name.endsWith(step.slice(last + 1));
}

/** Checks all entries that a pattern could reach, level by level. */
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
    const next = stepDown(level, { step, isRecursive, noOptions: down === 0 && mayBecomeOption }, place);
    if (next === undefined) return false;
    level = next;
  }
  return true;
}

interface Step {
  readonly step: string;
  readonly isRecursive: boolean;
  /** Whether no name may look like an option. */
  readonly noOptions: boolean;
}

/** Returns the real directories that a step of a pattern may lead to, or nothing if it may lead outside or that is unknown. */
function stepDown(level: readonly string[], { step, ...wanted }: Step, place: ReadingPlace): string[] | undefined {
  const next: string[] = [];
  for (const directory of level) {
    // Not compared with names: a file system may ignore case, and a dot or nothing is the directory itself.
    const isPlain = !wildcards.test(step);
    const entries = isPlain ? [step] : entriesOf(directory);
    if (entries === undefined) return undefined;
    place.budget.entries -= entries.length;
    if (place.budget.entries < 0) return undefined;
    for (const entry of entries) {
      const name = typeof entry === "string" ? entry : entry.name;
      if (!isPlain && !couldMatch(step, name)) continue;
      if (wanted.noOptions && optionLike.test(name)) return undefined;
      const path = join(directory, name);
      const real = typeof entry === "string" || entry.isSymbolicLink() ? realTarget(path, directory) : path;
      if (real === undefined || !isFree(real, place, wanted.isRecursive)) return undefined;
      if (real !== path || typeof entry === "string" || entry.isDirectory()) next.push(real);
    }
  }
  return next;
}

/** Whether no symlink below a directory, or below a symlink's target, leads out; nothing is below a file. */
export function linksStayInside(directory: string, place: ReadingPlace): boolean {
  let level = [directory];
  const followed = new Set<string>();
  while (level.length > 0) {
    const next: string[] = [];
    for (const one of level) {
      const entries = entriesOf(one);
      if (entries === undefined) return false;
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

/** Nothing for a directory that cannot be read: what is below can still be named. There is nothing below a file. */
function entriesOf(directory: string): Dirent[] | undefined {
  try {
    return readEntries(directory);
  } catch (error) {
    return isMissing(error) ? [] : undefined;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
