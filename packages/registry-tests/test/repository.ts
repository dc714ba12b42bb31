import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import type { Machine } from "./machine.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** The version that all packages share. */
export const { version }: { version: string } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8"));

/** Lets a copy reuse the builds of this repository. */
export const turboCache = { TURBO_CACHE_DIR: join(root, ".turbo/cache") };

const notCopied = new Set([".git", "node_modules", "dist", "libexec", ".turbo"]);

/** Copies the current files of the repository: nothing installed, nothing built, no history. */
export async function copySources(): Promise<string> {
  const copy = await tempDir();
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  return copy;
}

/** Makes a clone of the current files, committed, with dependencies, not built. */
export async function copyRepository(maintainer: Machine): Promise<string> {
  const copy = await copySources();
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // Otherwise pnpm sees that the dependencies were installed for another directory, and reinstalls them through the symlink.
  appendFileSync(join(copy, "pnpm-workspace.yaml"), "\nverifyDepsBeforeRun: false\n");
  for (const group of ["packages", "apps", "examples", "scripts"]) {
    for (const folder of readdirSync(join(root, group))) linkDependencies(join(group, folder, "node_modules"), copy);
  }
  await maintainer.run("git", ["init", "--quiet", "--initial-branch=main"], { cwd: copy });
  await commit(maintainer, copy, "Everything");
  return copy;
}

/** Copies the relative symlinks, so that those between packages lead to packages of the copy. */
function linkDependencies(modules: string, copy: string): void {
  if (!existsSync(join(root, modules))) return;
  cpSync(join(root, modules), join(copy, modules), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !basename(path).startsWith(".vite"),
  });
}

export async function commit(maintainer: Machine, repository: string, message: string): Promise<void> {
  await maintainer.run("git", ["add", "--all"], { cwd: repository });
  await maintainer.run("git", ["commit", "--quiet", `--message=${message}`], { cwd: repository });
}
