import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject, type KnownSchema, readToolSchema } from "@ikigai/protocol";
import { readJsonObject, readRegularFile } from "@ikigai/system";
import { hashFile } from "../registry/hash-file.ts";
import type { Candidate } from "./list-candidates.ts";

/** Beside the tools that a host ships or makes: what each prints for `--schema`, by the SHA-256 of its file in hexadecimal. */
const fileName = "schemas.json";

/** Larger files are not hashed, in bytes: starting the tool is faster. */
const maxToolBytes = 4_194_304;

/** Returns the schema that the host has beside a tool; `undefined` if the tool must be asked. */
export type ShippedSchemas = (candidate: Candidate) => Promise<KnownSchema | undefined>;

/**
 * The schemas that ship with the tools, so that the first start in a new home runs none, and those of tools that were made for one
 * conversation. Reads each file of schemas once.
 *
 * Only for a file of such a directory whose content is exactly the one that was built.
 */
export function shippedSchemas(): ShippedSchemas {
  const files = new Map<string, JsonObject | undefined>();
  const schemasIn = (directory: string) => {
    if (!files.has(directory)) files.set(directory, readSchemas(join(directory, fileName)));
    return files.get(directory);
  };
  return async ({ name, path, scope, launcher, home }) => {
    const isOfHost = (scope === "system" || home !== undefined) && !launcher;
    const schemas = isOfHost ? schemasIn(dirname(path)) : undefined;
    const schema = schemas?.[(await sha256Of(path)) ?? ""];
    if (!isJsonObject(schema)) return undefined;
    const reading = readToolSchema(schema, name);
    return "schema" in reading ? reading : undefined;
  };
}

function readSchemas(path: string): JsonObject | undefined {
  try {
    const schemas = readJsonObject(readRegularFile(path));
    return schemas.ok ? schemas.value : undefined;
  } catch {
    // Missing or unreadable.
    return undefined;
  }
}

async function sha256Of(path: string): Promise<string | undefined> {
  try {
    return (await hashFile(path, maxToolBytes))?.sha256;
  } catch {
    // An executable need not be readable.
    return undefined;
  }
}
