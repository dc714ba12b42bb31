import { type Launcher, launchedPath } from "../registry/launcher.ts";
import type { FailedTool } from "../registry/registry.ts";
import type { Candidate } from "./list-candidates.ts";

/**
 * A launcher as configured: `argv` (the command prefix, for instance `["ssh", "build-box"]`), `path` (default: the tool's path here),
 * `directory` (the working directory there) and `remoteShell` (whether a shell there parses the command line again; default: true for
 * `ssh`, otherwise false).
 */
export type LauncherSettings = Omit<Launcher, "path"> & { readonly path?: string | undefined };

/** The tools that the user's configuration runs elsewhere. */
export interface LaunchedListing {
  /** Ranked above all others: a tool the user put into a container must not run outside it because of a nearer file. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedTool[];
}

/** @param local the tools found locally, farthest first. */
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
      const detail = `it has a launcher but no local file: set tools.${name}.path to its path there`;
      const tool = { name, path: settings.argv.join(" "), scope: "user", isLaunched: true } as const;
      failed.push({ ...tool, reason: "not executable", detail });
    } else candidates.push(candidate(name, { ...settings, path }));
  }
  return { candidates, failed };
}

/** The file cannot be checked, so its schema stays valid until the configuration changes or discovery runs with `fresh`. */
function candidate(name: string, launcher: Launcher): Candidate {
  const path = launchedPath(launcher);
  const stamp = JSON.stringify([launcher.argv, launcher.path, launcher.directory]);
  return { name, path, scope: "user", identity: { realPath: path, stamp }, stamp, launcher };
}
