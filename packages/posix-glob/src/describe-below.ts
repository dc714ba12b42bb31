import { lstatSync } from "node:fs";
import { type GlobOptions, glob } from "./glob.ts";

/** How many hidden directories are looked into, and how many are named. */
const maxHidden = 50;
const maxNamed = 5;

/**
 * Names the hidden directories with files that a pattern with `**` skips: "hidden directories were not searched: .github".
 * Returns `undefined` if no such directory exists; `.git` does not count.
 *
 * @param goesOn as `onDirectory` of `glob`
 * @throws the system's error if continuing is pointless, as `glob` does.
 */
export function describeHidden(pattern: string, base: string, goesOn: GlobOptions["onDirectory"]): string | undefined {
  const [, before, after] = /^((?:[^*{]*\/)?)\*\*(?:\/(.*))?$/s.exec(pattern) ?? [];
  if (before === undefined) return undefined;
  const options = { ...(base !== "" && { base }), ...(goesOn && { onDirectory: goesOn }) };
  const names: string[] = [];
  let left = maxHidden;
  for (const found of glob(`${before}**/.*/`, options)) {
    const path = String(found).slice(0, -1);
    if (/(?:^|\/)\.(?:git|\.?)$/.test(path)) continue;
    if (left-- === 0) break;
    const [inside] = glob(`**/${after || "*"}`, { ...options, base: path, filesOnly: true });
    if (inside !== undefined) names.push(path);
  }
  if (names.length === 0) return undefined;
  const others = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `hidden directories were not searched: ${names.slice(0, maxNamed).join(", ")}${others}: path '${names[0]}' searches one`;
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
