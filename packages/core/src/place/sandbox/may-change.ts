import { isInside, isLinux, realPathOf } from "@ikigai/system";
import { mountPlan, viewOf } from "./mount-plan.ts";
import type { SandboxPolicy, SandboxSettings } from "./sandbox-policy.ts";

/** Names that decide what runs, wherever they are. */
const protectedNames = [".git", ".ikigai"];

/**
 * Returns whether a tool in this sandbox can change the file at a path without links: a host must not write anything else on
 * behalf of a tool. Never throws; false if the sandbox would not start.
 */
export function mayChange(
  path: string,
  settings: SandboxSettings,
  { projectDir, cwd, env }: { readonly projectDir: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): boolean {
  const policy: SandboxPolicy = {
    ...settings,
    projectDir,
    cwd,
    environment: env,
    isReadOnly: false,
    temporaryDir: "",
    toolFiles: [],
  };
  try {
    return isLinux ? viewOf(mountPlan(policy), path) === "changeable" : isInRoots(path, policy);
  } catch {
    return false;
  }
}

/** The same for macOS, which uses rules instead of mounts. */
function isInRoots(path: string, { projectDir, writable, hidden }: SandboxPolicy): boolean {
  const root = [projectDir, ...writable].map(realPathOf).find((one) => isInside(path, one));
  if (root === undefined || hidden.some((one) => isInside(path, realPathOf(one)))) return false;
  return !path
    .slice(root.length)
    .split("/")
    .some((name) => protectedNames.includes(name.toLowerCase()));
}
