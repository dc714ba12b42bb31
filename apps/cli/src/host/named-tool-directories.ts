import { readdirSync } from "node:fs";
import { delimiter } from "node:path";
import { toolSuffix } from "@ikigai/protocol";
import { systemReason } from "@ikigai/system";

type Environment = NodeJS.ProcessEnv;

/** Why the directories that IKIGAI_LIBEXEC and IKIGAI_TOOL_PATH name have no tools, one sentence each. */
export function namedDirectoryProblems(env: Environment): string[] {
  const added = (env.IKIGAI_TOOL_PATH ?? "").split(delimiter).filter((path) => path !== "");
  const problems = added.map((path) => problemOf("IKIGAI_TOOL_PATH", path));
  return [libexecProblem(env), ...problems].filter((problem) => problem !== undefined);
}

/** Why the directory that IKIGAI_LIBEXEC names has no tools; `undefined` if it has, or none is named. */
export function libexecProblem({ IKIGAI_LIBEXEC: path }: Environment): string | undefined {
  return path ? problemOf("IKIGAI_LIBEXEC", path) : undefined;
}

function problemOf(variable: string, path: string): string | undefined {
  try {
    if (readdirSync(path).some((name) => name.endsWith(toolSuffix))) return undefined;
    return `${variable} names ${path}, which contains no tools. ${advice}`;
  } catch (error) {
    return `${variable} names ${path}, which cannot be read: ${systemReason(error as NodeJS.ErrnoException)}. ${advice}`;
  }
}

const advice = "Correct the path, or unset the variable.";
