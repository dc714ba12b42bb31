import { join } from "node:path";
import type { KnownSchema } from "@ikigai/protocol";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { readJsonObject, readRegularFile, writePrivateFile } from "@ikigai/system";
import type { FileIdentity } from "../registry/registry.ts";

interface Entry extends KnownSchema {
  readonly identity: FileIdentity;
}

/** Cached schemas by the path the tool was found at: one file may be several tools. */
export type SchemaCache = Map<string, Entry>;

/** Changes with the format of the schemas, and with what is accepted as one; files of other versions are ignored. */
const version = 4;

/** How many tools are cached; the oldest entries are dropped first. */
const maxEntries = 1_000;

function cacheFile(home: string): string {
  return join(home, "cache", "schemas.json");
}

/** Loads the cache. A file that is missing, damaged or of another version gives an empty one. */
export function loadSchemaCache(home: string): SchemaCache {
  try {
    const reading = readJsonObject(readRegularFile(cacheFile(home)));
    const tools: unknown = reading.ok && reading.value.version === version ? reading.value.tools : undefined;
    return new Map(isJsonObject(tools) ? Object.entries<unknown>(tools).filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

/** Returns the cached schema of the file at this path, if the file is unchanged. */
export function recall(cache: SchemaCache, path: string, { realPath, stamp }: FileIdentity): KnownSchema | undefined {
  const known = cache.get(path);
  return known?.identity.realPath === realPath && known.identity.stamp === stamp ? known : undefined;
}

/**
 * Adds to the cache file. If several processes write at once, one of them wins and the others' tools are asked again.
 *
 * Write errors are ignored: without a cache, tools are asked every time.
 */
export function saveSchemaCache(home: string, learned: SchemaCache): void {
  // Loaded again: another process may have added entries.
  const cache = loadSchemaCache(home);
  for (const [path, entry] of learned) {
    // Re-inserted at the end, so that the oldest come first.
    cache.delete(path);
    cache.set(path, entry);
  }
  const tools = Object.fromEntries([...cache].slice(-maxEntries));
  try {
    writePrivateFile(cacheFile(home), JSON.stringify({ version, tools }));
  } catch {
    // Read-only, full, or missing: see above.
  }
}

function isEntry(entry: [string, unknown]): entry is [string, Entry] {
  const [, value] = entry;
  if (!isJsonObject(value)) return false;
  const { identity, schema, warnings } = value;
  return (
    isJsonObject(identity) &&
    Array.isArray(warnings) &&
    warnings.every((warning) => typeof warning === "string") &&
    isJsonObject(schema) &&
    isSchema(schema)
  );
}

function isSchema({ name, description, parameters }: JsonObject): boolean {
  return typeof name === "string" && typeof description === "string" && isJsonObject(parameters);
}
