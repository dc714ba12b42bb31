import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What its name starts with; the number of the host's process follows, so that a later one knows whose it was. */
export const temporaryPrefix = "ikigai-sandbox-";

let directory: string | undefined;

/**
 * The directory that all sandboxes of this host have for their temporary files. Theirs alone: the machine's own is full of
 * sockets that lead out (tmux, an SSH agent), and of other people's files. It is gone when the host ends.
 *
 * @throws the system's error when it cannot be made.
 */
export function temporaryDirectory(): string {
  if (directory !== undefined) return directory;
  const made = mkdtempSync(join(tmpdir(), `${temporaryPrefix}${process.pid}-`));
  directory = made;
  process.once("exit", () => {
    try {
      rmSync(made, { recursive: true, force: true });
    } catch {
      // A directory somebody has closed to themselves; `ikigai doctor` names it.
    }
  });
  return made;
}
