import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** How many files of a directory are looked at: of a larger one the first, in the order of the file system. */
const maxFiles = 10_000;

/** What shows whether a file below a directory was made, changed or replaced, by its name. */
export function stampsIn(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).slice(0, maxFiles);
  return new Map(names.map((name) => [name, stampOf(join(directory, name))]));
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // What is in a directory has names of its own.
  return stat ? `${stat.mode} ${stat.isDirectory() ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`}` : "";
}

/** The names that two looks do not agree on. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}
