import { basename, dirname, isAbsolute, resolve } from "node:path";
import { findProgram, isInside, isProgram, readHead, repositoryAround, userHome } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import { environmentProblem, functionProblem } from "./environment-problem.ts";
import type { ReadingPlace } from "./stays-inside.ts";

export interface CommandPlace extends ReadingPlace {
  /** The `PATH`. */
  readonly path: string;
}

/** Returns why a program, or one that it starts, may be the project's or do what the project says. */
export function programProblem(name: string, place: CommandPlace): string | undefined {
  for (const program of [name, ...(startedBy.get(name) ?? [])]) {
    const own = functionProblem(program);
    if (own !== undefined) return own;
    if (isFromProject(program, place)) return `${program} may be a program from the project`;
    if (standsForAnother(program, place)) return `${program} may run what the project names`;
  }
  return environmentProblem(name, place);
}

/** Programs that are scripts around others, which the shell finds in `PATH`. */
const startedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ["egrep", ["grep"]],
  ["fgrep", ["grep"]],
  ["shasum", ["perl"]],
]);

/** The directories in PATH where a project may have put a program: those of its repository, and relative ones. */
export function projectDirectories(path: string, project: string): readonly string[] {
  const home = userHome();
  const repository = repositoryAround(project, home === undefined ? undefined : realTarget(home, project));
  return path.split(":").filter((directory) => {
    const real = isAbsolute(directory) ? realTarget(directory, project) : undefined;
    return real === undefined || isInside(real, repository);
  });
}

function isFromProject(name: string, { cwd, programs }: ReadingPlace): boolean {
  return programs.some((directory) => isProgram(resolve(cwd, directory, name)));
}

/** Directories whose scripts come with the system. */
const systemDirectories = new Set(["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"]);

/**
 * Whether a program is a script from elsewhere, or stands for another one: those of version managers run the version that the project
 * names, or brings.
 */
function standsForAnother(name: string, { path, project }: CommandPlace): boolean {
  if (shellCommands.has(name)) return false;
  const found = findProgram(name, path, project);
  if (found === undefined || systemDirectories.has(dirname(found))) return false;
  const real = realTarget(found, "/");
  if (real === undefined || [found, real].some((one) => basename(dirname(one)) === "shims")) return true;
  if (plainName(basename(real)) !== plainName(name) && !collections.has(basename(real))) return true;
  const head = readHead(found, 2);
  return head === undefined || head.toString("latin1") === "#!";
}

/** A program's name without its version and the system that it is for: `x86_64-linux-gnu-gcc-12` is `gcc`. */
function plainName(name: string): string {
  return name.replace(/^.*-linux-gnu-/, "").replace(/[-.]?\d[\d.]*$/, "");
}

/** Programs that are many commands. */
const collections = new Set(["busybox", "coreutils", "toybox", "uutils"]);

/** Commands of the shell itself, which are not looked for. */
const shellCommands = new Set(["cd", ":", "true", "false", "echo", "printf", "pwd", "test", "[", "type", "command"]);
