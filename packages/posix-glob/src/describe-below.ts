import { lstatSync } from "node:fs";
import { type GlobOptions, glob } from "./glob.ts";

/** How many hidden files are named. */
const maxNamed = 3;

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
    if (names.push(String(path)) > maxNamed) break;
  }
  if (names.length === 0) return undefined;
  const others = names.length > maxNamed ? " and more" : "";
  return `hidden files match, but their dot must be written: ${names.slice(0, maxNamed).join(", ")}${others}`;
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
