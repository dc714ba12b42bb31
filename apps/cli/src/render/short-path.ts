import { relative, sep } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { homeOf } from "../host/places.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";

/** A short form of a path, sanitised: relative to the project, else with `~` for the home directory. */
export function shortPath(path: string, { projectDir }: Pick<Places, "projectDir">, env = process.env): string {
  const home = homeOf(env);
  const inHome = isBelow(path, home) ? `~${path.slice(home.length)}` : path;
  // In the home directory and above it, `~` shows that a tool is the user's own.
  const isFromHere = isBelow(path, projectDir) && path !== projectDir && !isBelow(home, projectDir);
  return sanitiseStrictly(sanitiseLine(isFromHere ? relative(projectDir, path) : inHome));
}

function isBelow(path: string, directory: string): boolean {
  return directory.length > 1 && (path === directory || path.startsWith(directory + sep));
}
