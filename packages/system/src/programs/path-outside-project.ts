import { basename, delimiter, dirname, isAbsolute } from "node:path";
import { isInside } from "../files/is-inside.ts";
import { realPathOf } from "../files/real-path-of.ts";
import { userHome } from "../files/user-home.ts";

/**
 * Removes from a search path the directories that a project controls: those inside it, relative ones, and `node_modules/.bin`
 * directories around it, which package managers put first. A project that contains the user's home (`/`, or the home itself)
 * is not a clone: directories on its PATH are the user's own.
 */
export function pathOutsideProject(searchPath: string, projectDir: string): string {
  const project = realPathOf(projectDir);
  const home = userHome();
  const holdsHome = home !== undefined && isInside(realPathOf(home), project);
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
