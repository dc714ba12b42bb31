import { readFileSync } from "node:fs";
import { type OutputSchema, readOutputSchema } from "@ikigai/agent/internal";
import type { JsonValue } from "@ikigai/protocol";
import { systemReason } from "@ikigai/system";
import { UsageError } from "../args/usage-error.ts";

/**
 * Reads the file of --output-schema.
 *
 * @throws UsageError if it cannot be read, is not JSON, or is not a JSON Schema.
 */
export async function readSchemaFile(path: string): Promise<OutputSchema> {
  const read = await readOutputSchema(parse(textOf(path), path));
  if ("problem" in read) throw new UsageError(`--output-schema ${path} is not a usable JSON Schema. ${read.problem}`);
  return read.schema;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException);
    throw new UsageError(`Cannot read --output-schema ${path}: ${reason}.`);
  }
}

function parse(text: string, path: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--output-schema ${path} is not JSON: ${(error as Error).message}.`);
  }
}
