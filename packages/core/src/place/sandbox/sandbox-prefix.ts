import { existsSync } from "node:fs";
import { isInside, realPathOf } from "@ikigai/system";
import { bubblewrapPrefix } from "./bubblewrap.ts";
import type { SandboxPolicy, SandboxPrefix } from "./sandbox-policy.ts";
import { seatbeltPrefix } from "./seatbelt.ts";

/**
 * What runs a command line in this system's sandbox when it is put before it, or why there is none: the end of a sentence, with
 * what to do. Nothing is ever run without the sandbox instead.
 */
export function sandboxPrefix(policy: SandboxPolicy): SandboxPrefix {
  const problem = policy.isReadOnly ? undefined : placeProblem(policy);
  if (problem !== undefined) return { problem };
  try {
    switch (process.platform) {
      case "linux":
        return bubblewrapPrefix(policy);
      case "darwin":
        return seatbeltPrefix(policy);
      default:
        return { problem: `there is none for ${process.platform}` };
    }
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** What may be changed must not be what is protected. */
function placeProblem({ projectDir, home, userHome }: SandboxPolicy): string | undefined {
  if (!existsSync(projectDir)) return `the project directory ${projectDir} is gone`;
  const [project, own, person] = [realPathOf(projectDir), realPathOf(home), realPathOf(userHome)];
  if (isInside(person, project)) {
    return `your home directory lies in ${project}, all of which a tool may change; start ikigai in the directory of a project`;
  }
  if (!isInside(own, project) && !isInside(project, own)) return undefined;
  return `${own} and the project ${project} lie in each other; start ikigai in the directory of a project`;
}
