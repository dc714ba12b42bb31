import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toolSuffix } from "@ikigai/protocol";

/** What stands in a throw-away tree: a file's content, with a mode if need be, or the target of a symbolic link. */
export type TreeEntry =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode: number }
  | { readonly link: string };

const trees = new Set<string>();

/**
 * Makes a directory with these files, removed when the process ends: any test runner can use it.
 *
 * A name may have directories in it, which are made; one that ends in `/` is an empty directory. Files whose names end in
 * `-tool` are executable. The path has no symbolic links in it, so that it equals what a tool takes for its directory.
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
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (typeof entry === "object" && "link" in entry) {
    symlinkSync(entry.link, path);
    return;
  }
  const { content, mode } = isPlain(entry) ? { content: entry, mode: defaultMode(path) } : entry;
  writeFileSync(path, content);
  // Apart from writing, because the mode given there loses the bits of the umask.
  chmodSync(path, mode);
}

function isPlain(entry: Exclude<TreeEntry, { link: string }>): entry is string | Uint8Array {
  return typeof entry === "string" || entry instanceof Uint8Array;
}

function defaultMode(path: string): number {
  return path.endsWith(toolSuffix) ? 0o755 : 0o644;
}

/** A test may have closed a directory, which then cannot be emptied. */
const removal = 'chmod -R u+rwX "$@"; rm -rf "$@"';

function removeTreesAtEnd(): void {
  process.once("exit", () => spawnSync("/bin/sh", ["-c", removal, "sh", ...trees], { stdio: "ignore" }));
  // Test runners end their workers by SIGTERM, which gives no "exit" event, and by SIGKILL soon after.
  process.once("SIGTERM", () => {
    spawn("/bin/sh", ["-c", removal, "sh", ...trees], { stdio: "ignore", detached: true }).unref();
    if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
  });
}
