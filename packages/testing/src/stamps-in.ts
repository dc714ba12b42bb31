import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The most files to look at; the first ones in the file system's order. */
const maxFiles = 10_000;

/** A stamp per file below a directory, which differs if the file was created, changed or replaced. */
export function stampsIn(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).slice(0, maxFiles);
  return new Map(names.map((name) => [name, stampOf(join(directory, name))]));
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // The entries of a directory have their own stamps.
  return stat ? `${stat.mode} ${stat.isDirectory() ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`}` : "";
}

/** The names whose stamps differ. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}
