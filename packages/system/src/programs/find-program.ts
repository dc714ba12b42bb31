import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside, realPathOf, userHome } from "../files/paths.ts";
import { readFirstLine } from "../files/read-files.ts";
import { repositoryAround } from "./git.ts";
import { isProgram } from "./is-program.ts";

/**
 * Finds a program: an absolute path is returned as it is, a name is searched for on the PATH, but never inside the project,
 * whose directories package managers put first.
 */
export function findProgram(name: string, searchPath = "", projectDir: string): string | undefined {
  return programFinder(searchPath, projectDir)(name);
}

/** The same for many names on one PATH, which is then read only once. */
export function programFinder(searchPath: string, projectDir: string): (name: string) => string | undefined {
  let directories: readonly string[] | undefined;
  return (name) => {
    if (isAbsolute(name)) return name;
    if (name === "" || name.includes("/")) return undefined;
    directories ??= pathOutsideProject(searchPath, projectDir)
      .split(delimiter)
      .filter((directory) => directory !== "");
    return directories.map((directory) => join(directory, name)).find(isProgram);
  };
}

/** How long a result is used again, in milliseconds: each call of a tool asks, and a user's PATH hardly ever changes. */
const freshMs = 1_000;

let last: { readonly of: string; readonly at: number; readonly found: string } | undefined;

/**
 * Removes from a search path the directories that a project controls: those inside it or its git repository, relative ones, and `node_modules/.bin`
 * directories around it, which package managers put first. A project that contains the user's home (`/`, or the home itself)
 * is not a clone: directories on its PATH are the user's own. A link that is changed counts after up to a second.
 */
export function pathOutsideProject(searchPath: string, projectDir: string): string {
  const home = userHome();
  const of = JSON.stringify([searchPath, projectDir, home]);
  const now = performance.now();
  if (last?.of !== of || now - last.at > freshMs) last = { of, at: now, found: outside(searchPath, projectDir, home) };
  return last.found;
}

function outside(searchPath: string, projectDir: string, home: string | undefined): string {
  const realHome = home === undefined ? undefined : realPathOf(home);
  const project = repositoryAround(realPathOf(projectDir), realHome);
  const holdsHome = realHome !== undefined && isInside(realHome, project);
  const isOutside = (directory: string): boolean => {
    if (!isAbsolute(directory)) return false;
    return [directory, realPathOf(directory)].every((path) => {
      const modules = dirname(path);
      const isInstalled = basename(path) === ".bin" && basename(modules) === "node_modules";
      return (holdsHome || !isInside(path, project)) && !(isInstalled && isInside(project, dirname(modules)));
    });
  };
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

/** The shell that runs commands unless the user chooses one: bash from the PATH, outside the project, or else `/bin/sh`. */
export function standardShell(searchPath: string | undefined, projectDir: string): string {
  return findProgram("bash", searchPath, projectDir) ?? "/bin/sh";
}

/** A shell's name; for `/bin/sh` with the shell that it is on this system, for instance `sh (dash)`. */
export function shellName(path: string): string {
  const name = basename(path);
  return name === "sh" ? `sh (${basename(realPathOf(path))})` : name;
}

/** The program and arguments that start a local program. */
interface ProgramStart {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * Decides how a program is started that no project may replace: normally by its file. If the PATH contains directories of the
 * project, for a program that shall have this PATH, a script with `#!/usr/bin/env NAME` could run the project's NAME, so NAME is looked up outside the project.
 *
 * @returns `failure`, the end of a sentence, if there is no such program outside the project.
 */
export function wordsOutsideProject(
  { path, args }: ProgramStart,
  { PATH: searchPath = "" }: NodeJS.ProcessEnv,
  projectDir: string,
): ProgramStart | { readonly failure: string } {
  if (pathOutsideProject(searchPath, projectDir) === searchPath) return { path, args };
  const { program: name, options = [] } = readFirstLine(path) ?? {};
  if (name === undefined) return { path, args };
  // The user's Node is the one that runs this process.
  const program = findProgram(name, searchPath, projectDir) ?? (name === "node" ? process.execPath : undefined);
  if (program !== undefined) return { path: program, args: [...options, path, ...args] };
  return { failure: `its interpreter ${name} is not on your PATH outside the project; install it` };
}
