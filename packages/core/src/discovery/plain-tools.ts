import { plainHeaderBytes, readPlainTools } from "@ikigai/protocol";
import { readHead } from "@ikigai/system";
import { type SchemaFailure, visibleSchema } from "./ask-schema.ts";
import type { Candidate } from "./list-candidates.ts";
import type { KnownFile } from "./schema-cache.ts";

/**
 * Reads the tools that the comments of a file describe, or those of the `.desc` file beside it; `undefined` if there are none: then the
 * file itself must be asked. Runs nothing.
 */
export function plainTools({
  name,
  path,
  launcher,
  sidecar,
  scope,
}: Candidate): readonly KnownFile[] | SchemaFailure | undefined {
  // What runs elsewhere cannot be read, and ikigai's own tools answer in JSON.
  if (launcher || scope === "system") return undefined;
  const described = sidecar?.path ?? path;
  const reading = readPlainTools(readHead(described, plainHeaderBytes)?.toString("utf8") ?? "", name);
  if (reading === undefined)
    return sidecar && { reason: "invalid schema", detail: `${sidecar.path} has no line "# @describe what it does"` };
  if ("problem" in reading) {
    const { line, column, text, expected } = reading.problem;
    return { reason: "invalid schema", detail: `${described}:${line}:${column}: ${expected}: ${text.trim()}` };
  }
  const isBare = sidecar === undefined && reading.tools.some(({ plain }) => plain.isBare);
  return reading.tools.map(({ plain: { isBare: _, ...plain }, ...known }) => ({
    ...visibleSchema(known),
    plain: { ...plain, ...(isBare && { isBare }) },
  }));
}
