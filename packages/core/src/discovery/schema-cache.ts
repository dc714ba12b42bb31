import { join } from "node:path";
import type { KnownSchema } from "@ikigai/protocol";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { readJsonObject, readRegularFile, writePrivateFile } from "@ikigai/system";
import type { FileIdentity } from "../registry/registry.ts";

interface Entry extends KnownSchema {
  readonly identity: FileIdentity;
}

/** What the tools said when they were last asked, by the path they were found at: one file may be several tools. */
export type SchemaCache = Map<string, Entry>;

/** Changes with the form of the schemas in it; a file of another version is not read. */
const version = 2;

/** How many tools are remembered. Those of projects long gone are dropped first. */
const maxEntries = 1_000;

function cacheFile(home: string): string {
  return join(home, "cache", "schemas.json");
}

/** A file that is missing, damaged or of another version is an empty cache. */
export function loadSchemaCache(home: string): SchemaCache {
  try {
    const reading = readJsonObject(readRegularFile(cacheFile(home)));
    const tools: unknown = reading.ok && reading.value.version === version ? reading.value.tools : undefined;
    return new Map(isJsonObject(tools) ? Object.entries<unknown>(tools).filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

/** What the file at this path said, if it is still the same. */
export function recall(cache: SchemaCache, path: string, { realPath, stamp }: FileIdentity): KnownSchema | undefined {
  const known = cache.get(path);
  return known?.identity.realPath === realPath && known.identity.stamp === stamp ? known : undefined;
}

/**
 * Remembers what was learned, in a file that other ikigais write too: one of them wins, whole, and the others ask again.
 *
 * A home that cannot be written to is fine: then tools are asked every time.
 */
export function saveSchemaCache(home: string, learned: SchemaCache): void {
  // Loaded again, as another process may have learned something since.
  const cache = loadSchemaCache(home);
  for (const [path, entry] of learned) {
    // To the end, so that the oldest stand first.
    cache.delete(path);
    cache.set(path, entry);
  }
  const tools = Object.fromEntries([...cache].slice(-maxEntries));
  try {
    writePrivateFile(cacheFile(home), JSON.stringify({ version, tools }));
  } catch {
    // Read-only, full, or not there: said above.
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
