// Removes the declarations in dist/ that no entry of a library reaches: they describe private code.
import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** @param entries the declarations that `exports` names, as paths. */
export function pruneTypes(dir, entries) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)\.ts"/g))
      visit(join(file, "..", `${target}.d.ts`));
  };
  for (const entry of entries) visit(join(entry));
  removeUnless(dir, (file) => reached.has(file) || !file.endsWith(".d.ts"));
}

/** Removes empty directories too; returns whether anything remains. */
function removeUnless(dir, keeps) {
  const kept = readdirSync(dir, { withFileTypes: true }).filter((entry) => {
    const path = join(dir, entry.name);
    const stays = entry.isDirectory() ? removeUnless(path, keeps) : keeps(path);
    if (!stays && !entry.isDirectory()) rmSync(path);
    return stays;
  });
  if (kept.length === 0) rmdirSync(dir);
  return kept.length > 0;
}
