import { existsSync } from "node:fs";
import { isInside, realPathOf } from "@ikigai/system";
import { bubblewrapPrefix } from "./bubblewrap.ts";
import type { SandboxPolicy, SandboxPrefix } from "./sandbox-policy.ts";
import { seatbeltPrefix } from "./seatbelt.ts";

/**
 * Returns the words to put before a command line to run it in this system's sandbox, or why that is impossible and what to do:
 * the end of a sentence. There is no fallback to running without the sandbox.
 */
export function sandboxPrefix(policy: SandboxPolicy): SandboxPrefix {
  const problem = socketsProblem(policy) ?? placeProblem(policy);
  if (problem !== undefined) return { problem };
  try {
    switch (process.platform) {
      case "linux":
        return bubblewrapPrefix(policy);
      case "darwin":
        return seatbeltPrefix(policy);
      default:
        return { problem: `ikigai has no sandbox for ${process.platform}` };
    }
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** With the network of the machine, the sockets of its programs that have no path in the file system can be reached. */
function socketsProblem({ network, sockets }: SandboxPolicy): string | undefined {
  if (!network || !sockets) return undefined;
  return "with network access and sandbox.sockets together, a tool could reach the sockets of your other programs, such as your display; turn one of the two off";
}

/** Returns a problem if what may be changed overlaps with what is protected, or what is shown with what is hidden: the end of a sentence. */
export function placeProblem({
  projectDir,
  home,
  userHome,
  isReadOnly,
}: Pick<SandboxPolicy, "projectDir" | "home" | "userHome" | "isReadOnly">): string | undefined {
  if (!existsSync(projectDir)) return `the project directory ${projectDir} does not exist`;
  const [project, own, person] = [realPathOf(projectDir), realPathOf(home), realPathOf(userHome)];
  if (!isReadOnly && isInside(person, project)) {
    const overlap = person === project ? "is your home directory" : "contains your home directory";
    return `the project directory ${project} ${overlap}, and tools may change all of it; start ikigai in a project's directory`;
  }
  if (!isInside(project, own) && (isReadOnly || !isInside(own, project))) return undefined;
  return `${own} and the project ${project} overlap; start ikigai in a project's directory`;
}
