import { type Launcher, launchedPath } from "../registry/launcher.ts";
import type { FailedTool } from "../registry/registry.ts";
import type { Candidate } from "./list-candidates.ts";

/** A launcher as it is configured: without a path, the tool stands there where it stands here. */
export type LauncherSettings = Omit<Launcher, "path"> & { readonly path?: string | undefined };

/** The tools that the user's configuration has run somewhere else. */
export interface LaunchedListing {
  /** To be put behind the others: what the user has put into a container is not run outside because of a nearer file. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedTool[];
}

/** @param local what was found here, farthest first. */
export function launchedCandidates(
  launchers: Readonly<Record<string, LauncherSettings>>,
  local: readonly Candidate[],
): LaunchedListing {
  const candidates: Candidate[] = [];
  const failed: FailedTool[] = [];
  for (const [name, settings] of Object.entries(launchers)) {
    const own = local.findLast((candidate) => candidate.name === name && candidate.scope !== "project");
    const path = settings.path ?? own?.identity.realPath;
    if (path === undefined) {
      const detail = `it has a launcher and no file here: say in tools.${name}.path where it is there`;
      failed.push({ name, path: settings.argv.join(" "), scope: "user", reason: "not executable", detail });
    } else candidates.push(candidate(name, { ...settings, path }));
  }
  return { candidates, failed };
}

/** Its file cannot be looked at, so what it said counts until the configuration changes or somebody asks it again. */
function candidate(name: string, launcher: Launcher): Candidate {
  const path = launchedPath(launcher);
  const stamp = JSON.stringify([launcher.argv, launcher.path, launcher.directory]);
  return { name, path, scope: "user", identity: { realPath: path, stamp }, stamp, launcher };
}
