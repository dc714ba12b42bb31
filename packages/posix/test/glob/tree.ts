import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type GlobOptions, glob } from "../../src/glob/index.ts";

/** Creates a temporary directory. `a/` is a directory, `a -> b` a symbolic link, everything else an empty file. */
export function makeTree(...entries: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "glob-test-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const entry of entries) {
    const [name = "", target] = entry.split(" -> ");
    const path = join(root, name);
    mkdirSync(entry.endsWith("/") ? path : dirname(path), { recursive: true });
    if (target !== undefined) symlinkSync(target, path);
    else if (!entry.endsWith("/")) writeFileSync(path, "");
  }
  return root;
}

/** The paths a pattern finds there, as strings. */
export function find(cwd: string, pattern: string, options: GlobOptions = {}): string[] {
  return Array.from(glob(pattern, { cwd, ...options }), String);
}
