import { basename, delimiter, dirname, isAbsolute } from "node:path";
import { isInside } from "../files/is-inside.ts";
import { realPathOf } from "../files/real-path-of.ts";
import { userHome } from "../files/user-home.ts";
import { repositoryAround } from "./repository-around.ts";

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
