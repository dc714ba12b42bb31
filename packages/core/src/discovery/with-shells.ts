import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isInside, isProgram, realPathOf } from "@ikigai/system";
import type { FailedTool, RegisteredTool } from "../registry/registry.ts";

/** Write permission for the group or for others. */
const writeByOthers = 0o022;

/** Tools with the shells that the user's configuration gives them. A tool whose shell cannot be used fails. */
export function withShells(
  tools: readonly RegisteredTool[],
  shells: Readonly<Record<string, string>>,
  projectDir: string,
): { readonly tools: readonly RegisteredTool[]; readonly failed: readonly FailedTool[] } {
  const failed: FailedTool[] = [];
  const usable = tools.flatMap((tool): RegisteredTool[] => {
    const { name, path, scope, launcher } = tool;
    const shell = Object.hasOwn(shells, name) && !launcher ? shells[name] : undefined;
    if (shell === undefined) return [tool];
    const problem = shellProblem(shell, projectDir);
    if (problem === undefined) return [{ ...tool, shell }];
    failed.push({ name, path, scope, reason: "not executable", detail: `its shell ${shell} ${problem}` });
    return [];
  });
  return { tools: usable, failed };
}

/** Why commands must not be given to this program: the end of a sentence. */
function shellProblem(path: string, projectDir: string): string | undefined {
  if (!isAbsolute(path)) return "is not an absolute path";
  if (!isProgram(path)) return "is not an executable file";
  if (isInside(realPathOf(path), realPathOf(projectDir))) return "is in the project";
  const { mode = 0, uid = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const isOthers = uid !== 0 && uid !== (process.geteuid?.() ?? uid);
  return isOthers || (mode & writeByOthers) !== 0 ? "can be changed by others" : undefined;
}
