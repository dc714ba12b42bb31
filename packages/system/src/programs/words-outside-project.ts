import { readFirstLine } from "../files/read-head.ts";
import { findProgram } from "./find-program.ts";
import { pathOutsideProject } from "./path-outside-project.ts";

/** The program and arguments that start a local program. */
export interface ProgramStart {
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
