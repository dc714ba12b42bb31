import { isAbsolute } from "node:path";
import { isInside, realPathOf } from "@ikigai/system";

/** Variables with a file that a shell runs before a script. The shell expands the value, also commands in it. */
const startupVariables = ["BASH_ENV", "ENV"];

/**
 * An environment without the variables with which a tool or a hook that is a shell script would first run a file of the project: those
 * with a relative path, one in the project, or one that the shell would expand.
 */
export function withoutProjectStartup(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  const isOfProject = (file: string) =>
    !isAbsolute(file) ||
    /[$`\\]/.test(file) ||
    [file, realPathOf(file)].some((path) => isInside(path, realPathOf(projectDir)));
  const unsafe = startupVariables.filter((name) => isOfProject(env[name] ?? "/"));
  return unsafe.length === 0 ? env : Object.fromEntries(Object.entries(env).filter(([name]) => !unsafe.includes(name)));
}
