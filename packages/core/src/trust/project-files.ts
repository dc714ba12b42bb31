import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemReason } from "@ikigai/system";
import { hashFile } from "../registry/hash-file.ts";
import { type Stamps, stampAt } from "../registry/stamps.ts";
import type { TrustedFile } from "./trust-report.ts";

/** What lies below a project's `.ikigai/`, read as data: nothing of it is run or understood. */
export interface ProjectFiles {
  /** Sorted by path. */
  readonly files: readonly TrustedFile[];
  /** Each file by its absolute path, as it was when it was hashed. */
  readonly stamps: Stamps;
  /** The directories they are in, as they were before they were read. */
  readonly directories: Stamps;
  /** Why it cannot be trusted, if it cannot: a sentence. */
  readonly problem?: string;
}

/** More than a project's tools ever are; beyond it somebody has linked a whole disk. */
const maxFiles = 4_000;
const maxTotalBytes = 256 * 1_048_576;

/** Ends the reading: what is there cannot be bound to a hash. */
class Untrustable extends Error {
  override readonly name = "Untrustable";
}

/** Reads all files below a directory, also where links lead out of it: what they lead to would be used as well. */
export async function readProjectFiles(root: string): Promise<ProjectFiles> {
  const files: TrustedFile[] = [];
  const stamps = new Map<string, string>();
  const directories = new Map<string, string>();
  let bytesLeft = maxTotalBytes;
  try {
    for (const entry of entriesOf(root, directories)) {
      const stamp = stampAt(entry.path);
      const { file, bytes } = await describe(entry, bytesLeft);
      bytesLeft -= bytes;
      if (files.length === maxFiles) throw new Untrustable(`It has more than ${maxFiles} files.`);
      if (bytesLeft < 0) throw new Untrustable(`It has more than ${maxTotalBytes} bytes.`);
      files.push(file);
      stamps.set(entry.path, stamp);
    }
  } catch (error) {
    return { files, stamps, directories, problem: problemOf(error) };
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), stamps, directories };
}

interface Entry {
  readonly path: string;
  /** Relative to the root. */
  readonly name: string;
  readonly own: BigIntStats;
  /** Of what a link leads to; missing when it leads nowhere. */
  readonly target: BigIntStats | undefined;
}

function* entriesOf(root: string, directories: Map<string, string>): Generator<Entry> {
  const own = lstatSync(root, { bigint: true });
  if (own.isSymbolicLink()) yield { path: root, name: ".", own, target: targetOf(root) };
  yield* filesBelow(root, "", directories);
}

function* filesBelow(directory: string, prefix: string, visited: Map<string, string>): Generator<Entry> {
  // Links may lead round in a circle; each real directory is looked into once.
  const real = realpathSync.native(directory);
  if (visited.has(real)) return;
  visited.set(real, stampAt(real));
  for (const base of readdirSync(directory).sort()) {
    const path = join(directory, base);
    const name = prefix + base;
    const own = lstatSync(path, { bigint: true });
    const target = own.isSymbolicLink() ? targetOf(path) : own;
    if (!own.isDirectory()) yield { path, name, own, target };
    if (target?.isDirectory()) yield* filesBelow(path, `${name}/`, visited);
    if (visited.size > maxFiles) throw new Untrustable(`It has more than ${maxFiles} directories.`);
  }
}

/** Missing too when links lead round in a circle. */
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
  const kind = `${own.isSymbolicLink() ? `link to ${readlinkSync(path)}, ` : ""}${kindOf(target)}`;
  const hashed = target?.isFile() ? await hashFile(path, bytesLeft) : undefined;
  const realPath = own.isSymbolicLink() && target ? realpathSync.native(path) : undefined;
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
  const { path = "", code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return `${path} cannot be read: ${systemReason(error as NodeJS.ErrnoException)}.`;
}
