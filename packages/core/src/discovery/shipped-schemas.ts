import { dirname, join } from "node:path";
import { isJsonObject, type KnownSchema, readToolSchema } from "@ikigai/protocol";
import { readJsonObject, readRegularFile } from "@ikigai/system";
import { hashFile } from "../registry/hash-file.ts";
import type { Candidate } from "./list-candidates.ts";

/** Beside the tools that ship with a host: what each prints for `--schema`, by the SHA-256 of its file in hexadecimal. */
const fileName = "schemas.json";

/** Larger files are not hashed, in bytes: starting the tool is faster. */
const maxToolBytes = 4_194_304;

/**
 * The schema that ships with a tool, so that the first start in a new home runs no tool.
 *
 * Only for a file of the system's directory whose content is exactly the one that was built. `undefined` in every other case;
 * the tool is then asked.
 */
export async function shippedSchema({ name, path, scope, launcher }: Candidate): Promise<KnownSchema | undefined> {
  if (scope !== "system" || launcher) return undefined;
  try {
    const schemas = readJsonObject(readRegularFile(join(dirname(path), fileName)));
    if (!schemas.ok) return undefined;
    const file = await hashFile(path, maxToolBytes);
    const schema = schemas.value[file?.sha256 ?? ""];
    if (!isJsonObject(schema)) return undefined;
    const reading = readToolSchema(schema, name);
    return "schema" in reading ? reading : undefined;
  } catch {
    // Missing or unreadable.
    return undefined;
  }
}
