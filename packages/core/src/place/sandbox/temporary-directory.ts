import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "@ikigai/system";

/** What its name starts with; the number of the host's process follows, so that a later one knows whose it was. */
const prefix = "ikigai-sandbox-";

let directory: string | undefined;

/**
 * The directory that all sandboxes of this host have for their temporary files. Theirs alone: the machine's own is full of
 * sockets that lead out (tmux, an SSH agent), and of other people's files. It is gone when the host ends; what a host left
 * that was killed goes when the next one makes its own.
 *
 * @throws the system's error when it cannot be made.
 */
export function temporaryDirectory(): string {
  if (directory !== undefined) return directory;
  const made = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  directory = made;
  for (const left of staleDirectories()) remove(left);
  process.once("exit", () => remove(made));
  return made;
}

/** Those of this user's hosts that are dead. In somebody else's, a link could take the place of a directory meanwhile. */
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
    // A directory in it that a tool has closed to everybody; `ikigai doctor` names it.
  }
}
