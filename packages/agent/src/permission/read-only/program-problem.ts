import { dirname, isAbsolute, resolve } from "node:path";
import { findProgram, isInside, isProgram, readHead } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import { environmentProblem } from "./environment-problem.ts";
import type { ReadingPlace } from "./stays-inside.ts";

export interface CommandPlace extends ReadingPlace {
  /** The `PATH`. */
  readonly path: string;
}

/** Returns why a program, or one that it starts, may be the project's or do what the project says. */
export function programProblem(name: string, place: CommandPlace): string | undefined {
  for (const program of [name, ...(startedBy.get(name) ?? [])]) {
    if (isFromProject(program, place)) return `${program} may be a program from the project`;
    if (isScriptOfUser(program, place)) return `${program} is a script, which may run what the project says`;
  }
  return environmentProblem(name, place);
}

/** Programs that are scripts around others, which the shell finds in `PATH`. */
const startedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ["egrep", ["grep"]],
  ["fgrep", ["grep"]],
  ["shasum", ["perl"]],
]);

/** The directories in PATH where a project may have put a program: its own, and relative ones. */
export function projectDirectories(path: string, project: string): readonly string[] {
  return path.split(":").filter((directory) => {
    const real = isAbsolute(directory) ? realTarget(directory, project) : undefined;
    return real === undefined || isInside(real, project);
  });
}

function isFromProject(name: string, { cwd, programs }: ReadingPlace): boolean {
  return programs.some((directory) => isProgram(resolve(cwd, directory, name)));
}

/** Directories whose scripts come with the system. */
const systemDirectories = new Set(["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"]);

/** Whether a program is a script from elsewhere: those of version managers run the version that the project names, or brings. */
function isScriptOfUser(name: string, { path, project }: CommandPlace): boolean {
  if (shellCommands.has(name)) return false;
  const found = findProgram(name, path, project);
  if (found === undefined || systemDirectories.has(dirname(found))) return false;
  const head = readHead(found, 2);
  return head === undefined || head.toString("latin1") === "#!";
}

/** Commands of the shell itself, which are not looked for. */
const shellCommands = new Set(["cd", ":", "true", "false", "echo", "printf", "pwd", "test", "[", "type", "command"]);
