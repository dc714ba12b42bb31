import { basename } from "node:path";
import { realPathOf } from "../files/real-path-of.ts";
import { findProgram } from "./find-program.ts";

/** The shell that runs commands unless the user chooses one: bash from the PATH, outside the project, or else `/bin/sh`. */
export function standardShell(searchPath: string | undefined, projectDir: string): string {
  return findProgram("bash", searchPath, projectDir) ?? "/bin/sh";
}

/** A shell's name; for `/bin/sh` with the shell that it is on this system, for instance `sh (dash)`. */
export function shellName(path: string): string {
  const name = basename(path);
  return name === "sh" ? `sh (${basename(realPathOf(path))})` : name;
}
