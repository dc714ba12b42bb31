// biome-ignore lint/style/noRestrictedImports: other users may have any names in the directory
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "@ikigai/system";

/** The start of its name, followed by the host's process id, so that a later host knows whose it was. */
const prefix = "ikigai-sandbox-";

let directory: string | undefined;

/**
 * Returns the temporary directory of this host's sandboxes. The system's own is not used: it is full of sockets that lead out
 * of the sandbox (tmux, an SSH agent) and of other people's files. Removed when the host ends; leftovers of killed hosts are
 * removed when the next one creates its own.
 *
 * @throws the system's error if it cannot be created.
 */
export function temporaryDirectory(): string {
  if (directory !== undefined) return directory;
  const made = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  directory = made;
  for (const left of staleDirectories()) remove(left);
  process.once("exit", () => remove(made));
  return made;
}

/** Directories of this user's dead hosts. In another user's, a directory could be replaced by a link meanwhile. */
function staleDirectories(): string[] {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  return names
    .filter((name) => !isAlive(Number.parseInt(name.slice(prefix.length), 10)))
    .map((name) => join(tmpdir(), name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid === process.geteuid?.());
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A tool has made a directory in it inaccessible; `ikigai doctor` lists it.
  }
}
