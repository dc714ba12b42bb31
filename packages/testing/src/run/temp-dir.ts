// Directories for tests, with files in them, removed when the process exits.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toolSuffix } from "@ikigai/protocol";
import { makeDirectories } from "@ikigai/system";

/** An entry of a temporary tree: a file's content, optionally with a mode, or the target of a symlink. */
export type TreeEntry =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode: number }
  | { readonly link: string };

const trees = new Set<string>();

/**
 * Creates a directory with these files and removes it when the process exits. Works with any test runner.
 *
 * Directories in a name are created; a name that ends in `/` is an empty directory. Files whose names end in `-tool` are
 * executable. The path has no symlinks, so it equals what a tool sees as its working directory.
 *
 * @throws the system's error (ENOSPC, EACCES, …) if a file cannot be written.
 */
export async function tempDir(files: Readonly<Record<string, TreeEntry>> = {}): Promise<string> {
  if (trees.size === 0) removeTreesAtEnd();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-test-")));
  trees.add(root);
  for (const [name, entry] of Object.entries(files)) write(join(root, name), entry);
  return root;
}

function write(path: string, entry: TreeEntry): void {
  if (path.endsWith("/")) {
    makeDirectories(path);
    return;
  }
  makeDirectories(dirname(path));
  if (typeof entry === "object" && "link" in entry) {
    symlinkSync(entry.link, path);
    return;
  }
  const { content, mode } = isPlain(entry) ? { content: entry, mode: defaultMode(path) } : entry;
  writeFileSync(path, content);
  // After writing, because the umask applies to the mode given there.
  chmodSync(path, mode);
}

function isPlain(entry: Exclude<TreeEntry, { link: string }>): entry is string | Uint8Array {
  return typeof entry === "string" || entry instanceof Uint8Array;
}

function defaultMode(path: string): number {
  return path.endsWith(toolSuffix) ? 0o755 : 0o644;
}

/** A test may have made a directory unwritable. */
const removal = 'chmod -R u+rwX "$@"; rm -rf "$@"';

function removeTreesAtEnd(): void {
  process.once("exit", () => spawnSync("/bin/sh", ["-c", removal, "sh", ...trees], { stdio: "ignore" }));
  // Test runners stop their workers with SIGTERM, which causes no "exit" event, and soon after with SIGKILL.
  process.once("SIGTERM", () => {
    spawn("/bin/sh", ["-c", removal, "sh", ...trees], { stdio: "ignore", detached: true }).unref();
    if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
  });
}
