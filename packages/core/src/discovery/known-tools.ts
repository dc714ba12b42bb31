import { examineProject, type TrustPlace } from "../trust/project-trust.ts";
import { listCandidates } from "./list-candidates.ts";
import { isTrusted } from "./project-gate.ts";
import { loadSchemaCache, recall } from "./schema-cache.ts";
import type { ToolDirectory } from "./tool-directories.ts";

/** A tool by its file. */
export interface KnownTool {
  readonly name: string;
  readonly scope: ToolDirectory["scope"];
  /** What it said of itself when it was last asked; missing when the file is another one since, or was never asked. */
  readonly description?: string;
}

/**
 * The tools that there are, sorted by name, without running any: their names are those of their files. Those of a project that
 * is not trusted are left out.
 */
export async function knownTools(
  options: TrustPlace & { readonly directories: readonly ToolDirectory[] },
): Promise<KnownTool[]> {
  const project = await examineProject(options);
  const cache = loadSchemaCache(options.home);
  const tools = new Map<string, KnownTool>();
  // The nearest comes last, and counts.
  for (const candidate of listCandidates(options.directories).candidates) {
    if (!isTrusted(candidate, project)) continue;
    const { name, scope, path, identity } = candidate;
    const description = recall(cache, path, identity)?.schema.description;
    tools.set(name, { name, scope, ...(description !== undefined && { description }) });
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
