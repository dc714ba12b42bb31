import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import type { Machine } from "./machine.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** Of all packages: they have one. */
export const { version }: { version: string } = JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8"));

/** For a copy: what was built here need not be built again. */
export const turboCache = { TURBO_CACHE_DIR: join(root, ".turbo/cache") };

const notCopied = new Set([".git", "node_modules", "dist", "libexec", ".turbo"]);

/** The files of the repository as they stand: nothing installed, nothing built, no history. */
export async function copySources(): Promise<string> {
  const copy = await tempDir();
  cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  return copy;
}

/** A clone of the repository as it stands, everything committed, nothing built, with dependencies. */
export async function copyRepository(maintainer: Machine): Promise<string> {
  const copy = await copySources();
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // Otherwise pnpm sees that these dependencies were installed for another directory, and installs them anew: through the link.
  appendFileSync(join(copy, "pnpm-workspace.yaml"), "\nverifyDepsBeforeRun: false\n");
  for (const group of ["packages", "apps", "examples"]) {
    for (const folder of readdirSync(join(root, group))) linkDependencies(join(group, folder, "node_modules"), copy);
  }
  await maintainer.run("git", ["init", "--quiet", "--initial-branch=main"], { cwd: copy });
  await commit(maintainer, copy, "Everything");
  return copy;
}

/** The links are relative: those between packages lead to the packages of the copy. */
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
