import type { JsonObject } from "@ikigai/protocol";
import type { TrustPlace } from "../trust/project-roots.ts";
import { examineProject } from "../trust/project-trust.ts";
import { plainTools } from "./ask-schema.ts";
import { listCandidates } from "./list-candidates.ts";
import { isTrusted } from "./project-gate.ts";
import { loadSchemaCache, recall } from "./schema-cache.ts";
import type { ToolDirectory } from "./tool-directories.ts";

/** A tool known from its file alone. */
export interface KnownTool {
  readonly name: string;
  readonly scope: ToolDirectory["scope"];
  /** The description from its cached schema; missing if the file has changed since, or was never asked. */
  readonly description?: string;
  /** The schema of its parameters; missing as the description is. */
  readonly parameters?: JsonObject;
}

/**
 * Lists the tools by their file names, sorted, without running any. Tools of an untrusted project are left out.
 */
export async function knownTools(
  options: TrustPlace & { readonly directories: readonly ToolDirectory[] },
): Promise<KnownTool[]> {
  const project = await examineProject(options);
  const cache = loadSchemaCache(options.home);
  const tools = new Map<string, KnownTool>();
  // The nearest comes last and wins.
  for (const candidate of listCandidates(options.directories).candidates) {
    if (!isTrusted(candidate, project)) continue;
    const { name, scope, path, identity } = candidate;
    const read = recall(cache, path, identity) ?? plainTools(candidate);
    const known = read === undefined || "reason" in read ? undefined : read;
    if (known === undefined) tools.set(name, { name, scope });
    for (const { schema } of known ?? [])
      tools.set(schema.name, {
        name: schema.name,
        scope,
        description: schema.description,
        parameters: schema.parameters,
      });
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
