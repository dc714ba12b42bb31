import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readLink } from "@ikigai/system";
import { entriesOf } from "./tree.ts";

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
