import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@ikigai/protocol";
import { isInside, realTarget } from "./real-target.ts";

/** How many directory entries are looked at for links that lead out. A larger tree is trusted beyond them. */
const maxEntries = 10_000;

const wildcards = /[*?[\\]/;

/** A step that may match `..`: glob(3) lets `.*` do so. */
const mayBeParent = /^\\?\.(?:\\?\.|[*?[])/;

/**
 * Whether everything that `glob` or `grep` would look at lies in a real directory: the place, the pattern's own steps, and
 * the links that its wildcards could follow.
 */
export function searchesInside(name: string, args: JsonObject, cwd: string, realProject: string): boolean {
  const place = textOf(args.path);
  const pattern = name === "glob" ? textOf(args.pattern) : textOf(args.glob);
  if (place === undefined || pattern === undefined) return false;
  const steps = pattern.split("/");
  const fixed = steps.findIndex((step) => wildcards.test(step));
  const literal = fixed < 0 ? pattern : steps.slice(0, fixed).join("/");
  // A pattern that begins at the root is read from there by some tools, and below `path` by others.
  const starts = [joinAsIs(place, literal), ...(pattern.startsWith("/") ? [literal || "/"] : [])];
  const rest = fixed < 0 ? [] : steps.slice(fixed);
  if (rest.slice(0, -1).some((step) => mayBeParent.test(step)) || rest.at(-1) === "..") return false;
  const recursive = rest.includes("**");
  return starts.every((start) => {
    const real = realTarget(start || ".", cwd);
    if (real === undefined || !isInside(real, realProject)) return false;
    const depth = name === "grep" && pattern === "" ? 1 : rest.length;
    return depth === 0 || !linkLeadsOut(real, recursive ? Number.POSITIVE_INFINITY : depth, realProject);
  });
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : undefined;
}

/** Not `path.join`: a `..` after a link must stay. */
function joinAsIs(place: string, literal: string): string {
  return place === "" ? literal : `${place}/${literal}`;
}

/** Looks for a link to somewhere else, breadth first, as deep as the pattern reaches. */
function linkLeadsOut(start: string, depth: number, realProject: string): boolean {
  let left = maxEntries;
  let level = [start];
  for (let down = 0; down < depth && level.length > 0; down++) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of entriesOf(directory)) {
        if (--left < 0) return false;
        const path = join(directory, entry.name);
        if (entry.isDirectory() && !entry.name.startsWith(".")) next.push(path);
        if (!entry.isSymbolicLink()) continue;
        const real = realTarget(path, directory);
        if (real !== undefined && !isInside(real, realProject)) return true;
      }
    }
    level = next;
  }
  return false;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
