import { isAbsolute, resolve } from "node:path";
import { isInside } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import { maxConfigBytes, readBytes } from "./small-files.ts";
import type { ReadingPlace } from "./stays-inside.ts";

/** Returns why the user's environment may make a program run, or read, what the project says. Git has its own check. */
export function environmentProblem(program: string, place: ReadingPlace): string | undefined {
  const { LD_LIBRARY_PATH: searched = "" } = process.env;
  // Its empty parts do not reach a tool.
  const libraries = searched.split(":").filter((directory) => directory !== "");
  if (libraries.some((directory) => isOfProject(directory, place)))
    return "your LD_LIBRARY_PATH has a directory of the project";
  if (program === "rg") return ripgrepProblem(place);
  return program === "perl" || program === "shasum" ? perlProblem(place) : undefined;
}

/** The names under which bash exports a function, also the one of macOS. */
const exportedFunction = /^(?:BASH_FUNC_(.+)(?:%%|\(\))|__BASH_FUNC<(.+)>\(\))$/s;

/**
 * Returns why a command may run a function of the user's environment instead of a program: bash imports those that are exported,
 * also where it is sh.
 */
export function functionProblem(name: string): string | undefined {
  const isExported = Object.keys(process.env).some((variable) => {
    const [, usual, apple] = exportedFunction.exec(variable) ?? [];
    return (usual ?? apple) === name;
  });
  return isExported ? `your environment has a function ${name}` : undefined;
}

/** Options of a configuration file with which ripgrep runs programs, or reads other files than those it is given. */
const unsafeOption = /^\s*(?:--(?:pre|hostname-bin|search-zip|follow|file|ignore-file)\b|-(?!-)\w*[zLf])/m;

function ripgrepProblem({ cwd, project }: ReadingPlace): string | undefined {
  const { RIPGREP_CONFIG_PATH: given = "" } = process.env;
  if (given === "") return undefined;
  const real = realTarget(resolve(cwd, given), cwd);
  if (real === undefined || !isAbsolute(given) || isInside(real, project))
    return "your RIPGREP_CONFIG_PATH names a file in the project";
  const text = readBytes(real, maxConfigBytes)?.toString("utf8") ?? "";
  return unsafeOption.test(text) ? "your ripgrep configuration runs programs, or reads other files" : undefined;
}

function perlProblem(place: ReadingPlace): string | undefined {
  const { PERL5OPT = "", PERL5LIB = "", PERLLIB = "" } = process.env;
  if (PERL5OPT !== "") return "your environment has PERL5OPT";
  const libraries = [PERL5LIB, PERLLIB].filter((list) => list !== "").flatMap((list) => list.split(":"));
  const isProjects = libraries.some((directory) => isOfProject(directory, place));
  return isProjects ? "your PERL5LIB has a directory of the project" : undefined;
}

/** Whether a directory, in a list of an environment variable, may be one of the project: a relative one is. */
function isOfProject(directory: string, { cwd, project }: ReadingPlace): boolean {
  const real = isAbsolute(directory) ? realTarget(directory, cwd) : undefined;
  return real === undefined || isInside(real, project);
}
