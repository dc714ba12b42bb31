import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** How many files are named, and how many entries of directories are looked at to find them. */
const maxFiles = 50;
const maxEntries = 2_000;
const maxDepth = 8;

/** Lists the files of a skill besides its `SKILL.md`, nearest first. Follows no links, opens nothing. */
export function skillFiles(directory: string): string[] {
  const files: string[] = [];
  let entriesLeft = maxEntries;
  let level = [""];
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const prefix of level) {
      for (const entry of entriesOf(join(directory, prefix))) {
        if (files.length === maxFiles || entriesLeft-- === 0) return files;
        const path = `${prefix}${entry.name}`;
        if (entry.isDirectory()) next.push(`${path}/`);
        else if (path !== "SKILL.md") files.push(path);
      }
    }
    level = next;
  }
  return files;
}

function entriesOf(path: string): Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules").sort(byName);
  } catch {
    return [];
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}
