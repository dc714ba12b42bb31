import { join } from "node:path";
import type { CatalogEntry } from "@ikigai/protocol";
import { type CallEnd, call, ownExecutable, type TreeEntry, tempDir } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** A directory with files and a catalog. */
export interface Place {
  readonly directory: string;
  /** Calls the tool with the catalog. */
  load(input: object, env?: NodeJS.ProcessEnv): Promise<CallEnd>;
}

/** Creates a place whose catalog has these entries; a `path` is relative to it. */
export async function placeWith(
  entries: readonly Partial<CatalogEntry>[],
  files: Readonly<Record<string, TreeEntry>> = {},
): Promise<Place> {
  const directory = await tempDir(files);
  const lines = entries.map((entry) => {
    const path = entry.path === undefined ? {} : { path: join(directory, entry.path) };
    return `${JSON.stringify({ kind: "tool", description: "Does it", ...entry, ...path })}\n`;
  });
  const catalog = await tempDir({ "catalog.jsonl": lines.join("") });
  return {
    directory,
    load: (input, env = {}) =>
      call(bin, input, { cwd: directory, env: { IKIGAI_CATALOG: `${catalog}/catalog.jsonl`, ...env } }),
  };
}
