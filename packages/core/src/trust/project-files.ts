// The files of a project that one approval covers: the report that a person sees, their directories, and how they are read.

import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  isDirectory,
  readLink,
  readNames,
  readRealPath,
  realPathOf,
  shellWord,
  systemReason,
  userHome as userHomeIn,
} from "@ikigai/system";
import type { TrustStatus } from "../registry/registry.ts";
import { hashFile, type Stamps, stampAt, stampOfNames } from "../registry/stamps.ts";

/** A file below a project's `.ikigai/`, or of its skills beside it. */
export interface TrustedFile {
  /** Relative to `.ikigai/`, for instance `tools/build-tool` or `../.claude/skills/pdf/SKILL.md`. */
  readonly path: string;
  /** SHA-256 of the content, in hexadecimal; for a link, of its target. Empty if there is no content (a FIFO, a broken link). */
  readonly sha256: string;
  /** File type, mode and link target: `file 755`, `link to ../x, file 755`, … Part of what is trusted. */
  readonly kind: string;
  /** For a link, the real path of its target. */
  readonly realPath?: string;
  /** How it differs from what the user trusted. */
  readonly change?: "new" | "changed" | "removed";
}

/** A project's files and whether the user trusts them. */
export interface TrustReport {
  /** Whether the user trusts the project in its current state. */
  readonly status: TrustStatus;
  /** The absolute path of the project's `.ikigai/`, without symbolic links. */
  readonly dir: string;
  /**
   * Sorted by path. Includes removed files. With status `untrusted`, `change` is there if the user has trusted some of the files:
   * those that they added themselves.
   */
  readonly files: readonly TrustedFile[];
  /** Why it cannot be trusted: too many files, an unreadable file, or decisions of the user that cannot be read. Sentences. */
  readonly problem?: string;
}

/** How to say that a project's files are not used because of trust: the end of a sentence. */
export function untrustedWords(trust: TrustStatus): string {
  return trust === "changed" ? "no longer trusted (files changed)" : "not trusted";
}

/** Identifies a trust decision: the user and the project. */
export interface TrustPlace {
  /** The user's directory (`~/.ikigai`), where decisions are stored. */
  readonly home: string;
  /** The project's root directory. The decision covers its `.ikigai/`, `.agents/skills/` and `.claude/skills/`. */
  readonly projectDir: string;
  /** The user's home directory, whose own skills need no decision. Default: that of this process. */
  readonly userHome?: string | undefined;
}

/** A directory of a project that one approval covers. */
interface ProjectRoot {
  readonly path: string;
  /** What its files are called in a report: before their path in the directory. */
  readonly prefix: string;
}

/** Skills that other agents read, too: outside of `.ikigai/`, but a part of what the user approves. */
export const sharedSkillPlaces = [".agents/skills", ".claude/skills"] as const;

/**
 * Returns the directories of a project that exist: `.ikigai/`, and the skills beside it. One that is also the user's own needs no
 * approval.
 *
 * @param dir the project's `.ikigai/`, without symbolic links.
 */
export function projectRoots(dir: string, { home, userHome = userHomeIn() }: TrustPlace): readonly ProjectRoot[] {
  const project = dirname(dir);
  const roots = [
    { path: dir, prefix: "", own: home },
    ...sharedSkillPlaces.map((place) => ({
      path: join(project, place),
      prefix: `../${place}/`,
      own: userHome === undefined ? undefined : join(userHome, place),
    })),
  ];
  return roots
    .filter(({ path, own }) => isDirectory(path) && (own === undefined || realPathOf(path) !== realPathOf(own)))
    .map(({ path, prefix }) => ({ path, prefix }));
}

/** The files of a project that one approval covers, read as data: none is run or parsed. */
interface ProjectFiles {
  /** Sorted by path. */
  readonly files: readonly TrustedFile[];
  /** Each file by its absolute path, as it was when it was hashed, and the names in each of their directories. */
  readonly stamps: Stamps;
  /** Why the project cannot be trusted, one sentence. */
  readonly problem?: string;
}

/** Far above any real project; more means that someone has linked a whole disk. */
const maxFiles = 4_000;
const maxTotalBytes = 256 * 1_048_576;

/** Deeper than any real one, in levels: looking up a path takes time that grows with the square of its length. */
const maxDepth = 64;

/** Stops the reading: there is content that no hash can cover. */
class Untrustable extends Error {
  override readonly name = "Untrustable";
}

function tooLarge(): Untrustable {
  return new Untrustable(`It has more than ${maxTotalBytes} bytes.`);
}

/** Names the directory with most of the files read so far, which are not all. */
function tooMany(files: readonly TrustedFile[]): Untrustable {
  const what = `It has more than ${maxFiles} files`;
  const fullest = fullestDirectory(files.map(({ path }) => path));
  if (fullest === undefined) return new Untrustable(`${what}.`);
  const { path, count } = fullest;
  const place = shellWord(join(".ikigai", path));
  const use = /(^|\/)node_modules$/.test(path) ? ", which a built tool does not need: remove it" : "";
  return new Untrustable(`${what}, ${count} of the first ${maxFiles} in ${place}${use}.`);
}

/** The deepest directory that has more than half of the files; `undefined` if none has. */
function fullestDirectory(paths: readonly string[]): { readonly path: string; readonly count: number } | undefined {
  const counts = new Map<string, number>();
  for (const path of paths)
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const directory = path.slice(0, end);
      counts.set(directory, (counts.get(directory) ?? 0) + 1);
    }
  const full = [...counts].filter(([path, count]) => count > paths.length / 2 && !path.endsWith(".."));
  // Each is inside the one before.
  const [path, count] = full.at(-1) ?? [];
  return path === undefined || count === undefined ? undefined : { path, count };
}

/** Reads all files below some directories, following links out of them: their targets would be used as well. */
export async function readProjectFiles(roots: readonly ProjectRoot[]): Promise<ProjectFiles> {
  const files: TrustedFile[] = [];
  const stamps = new Map<string, string>();
  let bytesLeft = maxTotalBytes;
  try {
    for (const entry of entriesOf(roots, stamps)) {
      const stamp = stampAt(entry.path);
      if (files.length === maxFiles) throw tooMany(files);
      // Not read first: this happens at every start, before the user trusts anything.
      if (entry.target?.isFile() && entry.target.size > bytesLeft) throw tooLarge();
      const { file, bytes } = await describe(entry, bytesLeft);
      bytesLeft -= bytes;
      if (bytesLeft < 0) throw tooLarge();
      files.push(file);
      stamps.set(entry.path, stamp);
    }
  } catch (error) {
    return { files, stamps, problem: problemOf(error) };
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), stamps };
}

interface Entry {
  readonly path: string;
  /** Path relative to the root, after its prefix. */
  readonly name: string;
  readonly own: BigIntStats;
  /** For a link, its target; `undefined` if the target is missing. */
  readonly target: BigIntStats | undefined;
}

function* entriesOf(roots: readonly ProjectRoot[], stamps: Map<string, string>): Generator<Entry> {
  const visited = new Set<string>();
  for (const { path, prefix } of roots) {
    const own = lstatSync(path, { bigint: true });
    if (own.isSymbolicLink()) yield { path, name: prefix.replace(/\/$/, "") || ".", own, target: targetOf(path) };
    yield* filesBelow(path, { prefix, depth: 0, visited, stamps });
  }
}

interface Descent {
  /** The beginning of the names below. */
  readonly prefix: string;
  readonly depth: number;
  /** The directories that have been read. */
  readonly visited: Set<string>;
  /** Gets the names in them. */
  readonly stamps: Map<string, string>;
}

function* filesBelow(directory: string, { prefix, depth, visited, stamps }: Descent): Generator<Entry> {
  if (depth > maxDepth) throw new Untrustable(`It has directories more than ${maxDepth} levels deep.`);
  // Links may form a cycle; each real directory is read once.
  const real = readRealPath(directory);
  if (visited.has(real)) return;
  visited.add(real);
  // If its names cannot be read, it counts as changed once they can be.
  stamps.set(real, stampAt(real));
  const names = readNames(directory).sort();
  stamps.set(real, stampOfNames(names));
  for (const base of names) {
    const path = join(directory, base);
    const name = prefix + base;
    const own = lstatSync(path, { bigint: true });
    const target = own.isSymbolicLink() ? targetOf(path) : own;
    if (!own.isDirectory()) yield { path, name, own, target };
    if (target?.isDirectory()) yield* filesBelow(path, { prefix: `${name}/`, depth: depth + 1, visited, stamps });
    if (visited.size > maxFiles) throw new Untrustable(`It has more than ${maxFiles} directories.`);
  }
}

/** Returns `undefined` for a link cycle, too. */
function targetOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

async function describe(
  { path, name, own, target }: Entry,
  bytesLeft: number,
): Promise<{ file: TrustedFile; bytes: number }> {
  const kind = `${own.isSymbolicLink() ? `link to ${readLink(path)}, ` : ""}${kindOf(target)}`;
  const hashed = target?.isFile() ? await hashFile(path, bytesLeft) : undefined;
  const realPath = own.isSymbolicLink() && target ? readRealPath(path) : undefined;
  const file = { path: name, sha256: hashed?.sha256 ?? "", kind, ...(realPath !== undefined && { realPath }) };
  return { file, bytes: hashed?.bytes ?? 0 };
}

function kindOf(stats: BigIntStats | undefined): string {
  if (stats === undefined) return "missing";
  if (stats.isFile()) return `file ${(stats.mode & 0o7777n).toString(8)}`;
  return stats.isDirectory() ? "directory" : "no regular file";
}

function problemOf(error: unknown): string {
  if (error instanceof Untrustable) return error.message;
  const { path = "", code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (code === "EILSEQ") return `${message}.`;
  return `${path} cannot be read: ${systemReason(error as NodeJS.ErrnoException)}.`;
}
