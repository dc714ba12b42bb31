import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile } from "@ikigai/system";
import type { Ignore } from "ignore";

/** Lists the files of a project as paths from its root, nearest first. Directories end in a slash. */
export type FileIndex = () => Promise<readonly string[]>;

/** Files listed at most. */
const maxFiles = 20_000;

/** How long a list is cached, in milliseconds. */
const freshMs = 5_000;

/** Ignore rules that apply below a directory. */
interface Rules {
  readonly below: string;
  readonly rules: Ignore;
}

/** Lists the files below a directory, except hidden ones and those that .gitignore excludes. Runs nothing. */
export function openFileIndex(root: string): FileIndex {
  let listed: Promise<readonly string[]> | undefined;
  let listedMs = 0;
  return () => {
    if (!listed || performance.now() - listedMs > freshMs) {
      listedMs = performance.now();
      listed = list(root);
    }
    return listed;
  };
}

async function list(root: string): Promise<string[]> {
  const found: string[] = [];
  let level: { path: string; rules: readonly Rules[] }[] = [{ path: "", rules: await excluded(root) }];
  while (level.length > 0 && found.length < maxFiles) {
    const next: typeof level = [];
    for (const directory of level) {
      if (found.length >= maxFiles) break;
      next.push(...(await listDirectory(root, directory, found)));
    }
    level = next;
  }
  return found;
}

async function listDirectory(
  root: string,
  { path, rules }: { path: string; rules: readonly Rules[] },
  found: string[],
) {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  const own = entries.some(({ name }) => name === ".gitignore") ? await readRules(root, path, ".gitignore") : [];
  const all = [...rules, ...own];
  const directories: { path: string; rules: readonly Rules[] }[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") && entry.name !== ".github") continue;
    const isDirectory = entry.isDirectory();
    const entryPath = `${path}${entry.name}${isDirectory ? "/" : ""}`;
    if (isIgnored(entryPath, all)) continue;
    found.push(entryPath);
    if (isDirectory) directories.push({ path: entryPath, rules: all });
  }
  return directories;
}

async function excluded(root: string): Promise<Rules[]> {
  return readRules(root, "", ".git/info/exclude");
}

async function readRules(root: string, below: string, name: string): Promise<Rules[]> {
  const text = textOf(join(root, below, name));
  if (text === undefined) return [];
  const { default: ignore } = await import("ignore");
  return [{ below, rules: ignore().add(text) }];
}

/** Far more than a person writes, in bytes. */
const maxIgnoreBytes = 1_048_576;

/** Does not follow a link, as git does not: it may lead to a device. */
function textOf(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readRegularFile(path, maxIgnoreBytes).toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** The nearest directory with a matching rule decides, as in git. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { below, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(path.slice(below.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}
