// The sentences that glob and grep say about what they did not search, and why nothing was found.

import { lstatSync, statSync } from "node:fs";
import { type DirectoryVisit, type GlobOptions, glob } from "@ikigai/posix/glob";

/** How much of a path is quoted, in characters. */
const maxQuotedLength = 80;

/** How many ignored directories are remembered, and how many names are shown. */
const maxSkipped = 100;
const maxNamed = 5;

/** Directories without permission are skipped as by `glob(3)`, without notice. */
const forbidden = new Set(["EACCES", "EPERM"]);

/** Ends a search at a time limit, and records what could not be searched. */
export class SearchGaps {
  readonly #isTimeUp: () => boolean;
  #unreadCount = 0;
  #firstUnread: DirectoryVisit | undefined;
  #stoppedIn: DirectoryVisit["path"] | undefined;
  #skippedCount = 0;
  readonly #skipped: string[] = [];

  constructor(isTimeUp: () => boolean) {
    this.#isTimeUp = isTimeUp;
  }

  /** Pass this to `glob`. */
  readonly onDirectory = (visit: DirectoryVisit): boolean => {
    const { path, problem } = visit;
    if (problem !== undefined && !forbidden.has(problem)) {
      this.#unreadCount++;
      this.#firstUnread ??= visit;
    }
    for (const skipped of visit.skipped) if (this.#skippedCount++ < maxSkipped) this.#skipped.push(String(skipped));
    if (this.#isTimeUp()) this.#stoppedIn = path;
    return this.#stoppedIn === undefined;
  };

  /** Whether the time limit ended the search. */
  get isStopped(): boolean {
    return this.#stoppedIn !== undefined;
  }

  /** Returns a sentence for each gap; empty if everything was searched. */
  describe(): string[] {
    return [
      ...(this.#stoppedIn === undefined
        ? []
        : [`The time limit was reached in ${quotePath(this.#stoppedIn)}: narrow the search.`]),
      ...(this.#firstUnread === undefined ? [] : [this.#describeUnread(this.#firstUnread)]),
    ];
  }

  /** Says which directories were left out because they are ignored; `undefined` if none was. */
  describeSkipped(): string | undefined {
    // Output of a build is more likely to be meant than caches and packages.
    const first = this.#skipped.find((path) => !/(?:^|\/)(?:\.[^/]*|node_modules)$/.test(path)) ?? this.#skipped[0];
    if (first === undefined) return undefined;
    const names = [...new Set(this.#skipped.map((path) => path.slice(path.lastIndexOf("/") + 1)))];
    const more = this.#skippedCount > this.#skipped.length || names.length > maxNamed ? ", …" : "";
    const count = `${this.#skippedCount} ignored ${this.#skippedCount === 1 ? "directory" : "directories"}`;
    return `skipped ${count} (${names.slice(0, maxNamed).join(", ")}${more}): path ${quotePath(first)} searches one.`;
  }

  #describeUnread({ path, problem }: DirectoryVisit): string {
    const others = this.#unreadCount > 1 ? ` and ${this.#unreadCount - 1} more` : "";
    const reason =
      problem === "ENAMETOOLONG" ? "the path is too long for the system; search from a directory below" : problem;
    return `Not searched: ${quotePath(path)}${others} (${reason}).`;
  }
}

/** Quotes a path for a message, leaving out the middle of a long one. Never throws. */
export function quotePath(path: string | Buffer): string {
  const text = String(path) || ".";
  if (text.length <= maxQuotedLength) return `'${text}'`;
  const half = maxQuotedLength / 2;
  return `'${text.slice(0, half)}…${text.slice(-half)}'`.toWellFormed();
}

/** Says that a path does not exist; `undefined` if it does, if it is empty, or if that is unknown. Never throws. */
export function describeMissing(path: string): string | undefined {
  if (path === "") return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false }) ? undefined : `${quotePath(path)} does not exist.`;
  } catch {
    return undefined;
  }
}

/** How many hidden files are named. */
const maxHidden = 3;

/**
 * Names the files that a pattern without `**` misses because they are hidden: "hidden files were not searched: .env". Returns `undefined`
 * if no such file exists.
 *
 * @throws the system's error if continuing is pointless, as `glob` does.
 */
export function describeHidden(
  pattern: string,
  base: string,
  { onDirectory, filesOnly = false }: Pick<GlobOptions, "onDirectory" | "filesOnly">,
): string | undefined {
  if (/(?:^|\/)\*\*(?:\/|$)/.test(pattern)) return undefined;
  const options = { hidden: true, ...(base !== "" && { base }), filesOnly, ...(onDirectory && { onDirectory }) };
  const names: string[] = [];
  for (const path of glob(pattern, options)) {
    if (names.push(String(path)) > maxHidden) break;
  }
  if (names.length === 0) return undefined;
  const others = names.length > maxHidden ? " and more" : "";
  return `hidden files match, but their dot must be written: ${names.slice(0, maxHidden).join(", ")}${others}`;
}

/** Directories are counted up to this number. */
const many = 1_000;

/**
 * Describes the directories that a search of a single directory leaves out: "12 directories below were not searched". Does not
 * count links and hidden directories, which `**` does not enter. Returns `undefined` for 0.
 *
 * @throws the system's error if continuing is pointless, as `glob` does.
 */
export function describeBelow(base: string): string | undefined {
  const count = countDirectories(base);
  if (count === 0) return undefined;
  if (count === 1) return "1 directory below was not searched";
  return `${count}${count === many ? " or more" : ""} directories below were not searched`;
}

function countDirectories(base: string): number {
  let count = 0;
  for (const path of glob("*/", { base })) {
    if (!isLink(path.slice(0, -1))) count++;
    if (count === many) break;
  }
  return count;
}

function isLink(path: string | Buffer): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
