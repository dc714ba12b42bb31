import { join } from "node:path";
import { isJsonObject, type JsonObject, type KnownSchema, type PlainCall } from "@ikigai/protocol";
import { readJsonObject, readRegularFile, writePrivateFile } from "@ikigai/system";
import type { FileIdentity } from "../registry/registry.ts";

/** What is known about a tool from its file: its schema, and for a plain tool how it is called. */
export interface KnownFile extends KnownSchema {
  readonly plain?: PlainCall;
}

interface Entry {
  readonly identity: FileIdentity;
  /** A file is one tool, unless its comments describe several commands. */
  readonly tools: readonly KnownFile[];
}

/** Cached schemas by the path the tool was found at: one file may be several tools. */
export type SchemaCache = Map<string, Entry>;

/** Changes with the format of the schemas, and with what is accepted as one; files of other versions are ignored. */
const version = 5;

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

/** Returns what is cached of the file at this path, if the file is unchanged. */
export function recall(
  cache: SchemaCache,
  path: string,
  { realPath, stamp }: FileIdentity,
): readonly KnownFile[] | undefined {
  const known = cache.get(path);
  return known?.identity.realPath === realPath && known.identity.stamp === stamp ? known.tools : undefined;
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
  return isJsonObject(value.identity) && Array.isArray(value.tools) && value.tools.every(isKnown);
}

function isKnown(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false;
  const { schema, warnings, plain } = tool;
  return (
    Array.isArray(warnings) &&
    warnings.every((warning) => typeof warning === "string") &&
    isJsonObject(schema) &&
    isSchema(schema) &&
    (plain === undefined || (isJsonObject(plain) && Array.isArray(plain.parameters)))
  );
}

function isSchema({ name, description, parameters }: JsonObject): boolean {
  return typeof name === "string" && typeof description === "string" && isJsonObject(parameters);
}
