import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes the oldest files of a directory until at most `most` are left.
 *
 * @param pattern only files with such a name count.
 * @throws the system's error.
 */
export function removeOldest(directory: string, most: number, pattern = /^/): void {
  const names = readdirSync(directory).filter((name) => pattern.test(name));
  if (names.length <= most) return;
  const ages = names.map((name) => ({
    name,
    ms: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  ages.sort((a, b) => a.ms - b.ms || (a.name < b.name ? -1 : 1));
  for (const { name } of ages.slice(0, -most)) rmSync(join(directory, name), { force: true });
}
