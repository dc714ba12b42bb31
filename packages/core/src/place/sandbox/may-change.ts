import { isInside, realPathOf } from "@ikigai/system";
import { mountPlan, viewOf } from "./mount-plan.ts";
import type { SandboxPolicy, SandboxSettings } from "./sandbox-policy.ts";

/** What decides what runs, wherever it lies. */
const protectedNames = [".git", ".ikigai"];

/**
 * Whether a tool in this sandbox can change the file at a path without links. What a host writes for a tool afterwards must
 * not reach further. Never throws: where the sandbox would not start, a tool changes nothing.
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
    return process.platform === "linux" ? viewOf(mountPlan(policy), path) === "changeable" : isInRoots(path, policy);
  } catch {
    return false;
  }
}

/** What holds on macOS, where rules take the place of mounts. */
function isInRoots(path: string, { projectDir, writable, hidden }: SandboxPolicy): boolean {
  const root = [projectDir, ...writable].map(realPathOf).find((one) => isInside(path, one));
  if (root === undefined || hidden.some((one) => isInside(path, realPathOf(one)))) return false;
  return !path
    .slice(root.length)
    .split("/")
    .some((name) => protectedNames.includes(name.toLowerCase()));
}
