// Folders of packages: permissions and links, copies, and the difference between two.

import { chmodSync, copyFileSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { entriesOf, pythonCache, readEntries, readLink, readNames, readRealPath } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** Whatever the umask is: others must not be able to write to a tool. */
export const directoryMode = 0o755;
const programMode = 0o755;
const fileMode = 0o644;

/**
 * Checks that a fetched folder has no links to the outside, and removes permissions that no tool needs, and Python's caches: later
 * ones, of its own files, do not change its hash.
 *
 * @throws Refusal if a link leads out of it or nowhere, or an entry is not a file, directory or link.
 */
export function tameTree(root: string): void {
  const real = readRealPath(root);
  for (const directory of directoriesOf(root))
    if (basename(directory) === pythonCache) rmSync(directory, { recursive: true, force: true });
  for (const name of entriesOf(root)) {
    const path = join(root, name);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) refuseEscape(path, name, real);
    else if (!stats.isFile()) throw new Refusal(`${name} is neither a file nor a folder. Nothing was added.`);
    else chmodSync(path, stats.mode & 0o111 ? programMode : fileMode);
  }
  for (const directory of directoriesOf(root)) chmodSync(directory, directoryMode);
}

function refuseEscape(path: string, name: string, root: string): void {
  const link = readLink(path);
  // An absolute link may point inside now, but not after the folder is moved.
  const isInside =
    !link.startsWith("/") &&
    statSync(path, { throwIfNoEntry: false }) !== undefined &&
    readRealPath(path).startsWith(root + sep);
  if (isInside) return;
  throw new Refusal(
    `The link ${name} points to ${JSON.stringify(link)}, which is not in the package. Nothing was added.`,
  );
}

function directoriesOf(root: string): string[] {
  const inner = readEntries(root).filter((entry) => entry.isDirectory());
  return [root, ...inner.flatMap(({ name }) => directoriesOf(join(root, name)))];
}

/** More than the sources of any tool: above it, the user probably named the wrong folder. */
const maxFiles = 20_000;
const maxTotalBytes = 512 * 1_048_576;

/** Not part of a tool: its history, and npm's packages. */
const leftOut = [".git", "node_modules"];

/**
 * Copies a folder: files, directories, and links as they are.
 *
 * @throws Refusal if it is too large, or an entry is not a file, directory or link. The system's error if it cannot be read.
 */
export function copyTree(from: string, to: string, left = { files: maxFiles, bytes: maxTotalBytes }): void {
  for (const name of readNames(from)) {
    if (leftOut.includes(name)) continue;
    const [path, copy] = [join(from, name), join(to, name)];
    const stats = lstatSync(path);
    left.files -= 1;
    left.bytes -= stats.isFile() ? stats.size : 0;
    if (left.files < 0 || left.bytes < 0)
      throw new Refusal(
        `The folder exceeds the limit of ${maxFiles} files or ${maxTotalBytes} bytes. Is it the right one?`,
      );
    if (stats.isSymbolicLink()) symlinkSync(readLink(path), copy);
    else if (stats.isFile()) copyFileSync(path, copy);
    else if (stats.isDirectory()) {
      mkdirSync(copy);
      copyTree(path, copy, left);
    } else throw new Refusal(`${path} is neither a file nor a folder. Nothing was added.`);
  }
}

/** A file that differs between two folders. */
export interface FileDifference {
  /** Relative to the folder. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** Its lines; absent if it is not text or too long to compare. Empty for the side without the file. */
  readonly lines?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** Longer files are only listed, in bytes. */
const maxComparedBytes = 65_536;

/** Compares two folders or two files. Follows no links. */
export function compareTrees(before: string, after: string): FileDifference[] {
  const [olds, news] = [filesOf(before), filesOf(after)];
  const paths = new Set([...olds.keys(), ...news.keys()]);
  // A side without the file is not read: there, one of its folders may be a file or a link.
  return [...paths]
    .sort(byRank)
    .flatMap((path) => differenceOf(path, contentOf(olds.get(path)), contentOf(news.get(path))) ?? []);
}

function differenceOf(path: string, old: Buffer | undefined, now: Buffer | undefined): FileDifference | undefined {
  if (old && now && old.equals(now)) return undefined;
  const lines = { before: linesOf(old), after: linesOf(now) };
  const kind = old === undefined ? "added" : now === undefined ? "removed" : "changed";
  return {
    path,
    kind,
    ...(lines.before && lines.after && { lines: { before: lines.before, after: lines.after } }),
  };
}

/** Puts the package's own files before those of its dependencies. */
function byRank(a: string, b: string): number {
  const depth = (path: string) => path.split("node_modules/").length;
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

/** The files of a folder: where they are, by their path in it. A file has itself, with an empty path. */
function filesOf(root: string): ReadonlyMap<string, string> {
  const stats = lstatSync(root, { throwIfNoEntry: false });
  if (!stats) return new Map();
  return new Map((stats.isDirectory() ? entriesOf(root) : [""]).map((path) => [path, join(root, path)]));
}

/** A link counts as its target path. */
function contentOf(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return Buffer.from(`link to ${readLink(file)}\n`);
  return stats.isFile() ? readFileSync(file) : undefined;
}

function linesOf(content: Buffer | undefined): readonly string[] | undefined {
  if (content === undefined) return [];
  if (content.length > maxComparedBytes || content.includes(0)) return undefined;
  return content.toString().replace(/\n$/, "").split("\n");
}
