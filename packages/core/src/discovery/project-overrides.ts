import type { ShadowedTool } from "../registry/registry.ts";
import { listCandidates } from "./list-candidates.ts";
import type { ToolDirectory } from "./tool-directories.ts";

/** A project's tool and the tools of the same name that it would override. */
export interface ProjectOverride {
  readonly name: string;
  readonly path: string;
  /** Nearest first, never empty. */
  readonly shadows: readonly ShadowedTool[];
}

/**
 * Lists the tools a project would override if it were trusted, for the trust prompt. Looks at file names only; runs nothing.
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
