import type { ShadowedTool } from "../registry/registry.ts";
import { listCandidates } from "./list-candidates.ts";
import type { ToolDirectory } from "./tool-directories.ts";

/** A tool of the project, and those of its name that it would take the place of. */
export interface ProjectOverride {
  readonly name: string;
  readonly path: string;
  /** Nearest first, never empty. */
  readonly shadows: readonly ShadowedTool[];
}

/**
 * Which tools a project would override if it were trusted: what the user has to know before they say yes. Looks at file
 * names only, and runs nothing.
 */
export function projectOverrides(directories: readonly ToolDirectory[]): readonly ProjectOverride[] {
  const { candidates } = listCandidates(directories);
  return candidates
    .flatMap(({ name, path, scope }, index) => {
      const farther = candidates.slice(0, index).filter((other) => other.name === name && other.scope !== "project");
      const shadows = farther.map((other): ShadowedTool => ({ path: other.path, scope: other.scope })).reverse();
      return scope === "project" && shadows.length > 0 ? [{ name, path, shadows }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
