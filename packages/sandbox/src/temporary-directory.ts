// biome-ignore lint/style/noRestrictedImports: other users may have any names in the directory
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, isInside, isLinux, temporaryOwner, temporaryPath } from "@ikigai/system";

const purpose = "sandbox-";

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
  const made = mkdtempSync(temporaryPath(purpose));
  directory = made;
  for (const left of staleDirectories()) remove(left);
  process.once("exit", () => remove(made));
  return made;
}

/** Returns where a temporary file of this host's sandboxes is, outside of them. Other paths are the same there. */
export function outsidePathOf(path: string): string {
  return directory !== undefined && isLinux && isInside(path, "/tmp")
    ? join(directory, path.slice("/tmp".length))
    : path;
}

/** Directories of this user's dead hosts. In another user's, a directory could be replaced by a link meanwhile. */
function staleDirectories(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => {
      const pid = temporaryOwner(name);
      return pid !== undefined && name.includes(`.${pid}.${purpose}`) && !isAlive(pid);
    })
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
