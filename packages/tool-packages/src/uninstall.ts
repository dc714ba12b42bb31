import { lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "@ikigai/system";
import { removeFolder } from "./install.ts";
import { type InstalledPackage, readRecord, writeRecord } from "./install-record.ts";
import type { ToolRoot } from "./tool-root.ts";

/**
 * Removes an added package: first its links, so that no broken tool is left, then its folder.
 *
 * @throws the system's error; then nothing has changed.
 */
export async function uninstall(name: string, entry: InstalledPackage, root: ToolRoot): Promise<void> {
  await withLock(root.recordFile, () => {
    const undo: (() => void)[] = [];
    const aside: string[] = [];
    try {
      for (const fileName of Object.keys(entry.tools)) {
        const path = join(root.tools, fileName);
        if (!lstatSync(path, { throwIfNoEntry: false })) continue;
        const old = `${path}.old`;
        renameSync(path, old);
        undo.push(() => renameSync(old, path));
        aside.push(old);
      }
      const record = new Map(readRecord(root));
      record.delete(name);
      if (record.size > 0) writeRecord(root, record);
      else rmSync(root.recordFile, { force: true });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    for (const old of aside) rmSync(old, { force: true });
    removeFolder(entry.directory, root);
  });
}
