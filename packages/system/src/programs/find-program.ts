import { delimiter, isAbsolute, join } from "node:path";
import { isProgram } from "./is-program.ts";
import { pathOutsideProject } from "./path-outside-project.ts";

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
