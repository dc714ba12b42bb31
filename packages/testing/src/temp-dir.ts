import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

function removeTreesAtEnd(): void {
  process.once("exit", removeTrees);
  // Test runners end their workers by SIGTERM, which gives no "exit" event.
  process.once("SIGTERM", () => {
    removeTrees();
    if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
  });
}

function removeTrees(): void {
  for (const root of trees) {
    try {
      rmSync(root, { recursive: true, force: true });
    } catch {
      openDirectories(root);
      rmSync(root, { recursive: true, force: true });
    }
  }
}

/** A test may have closed a directory, which then cannot be emptied. */
function openDirectories(path: string): void {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openDirectories(join(path, entry.name));
  }
}
