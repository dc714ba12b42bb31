import { relative, sep } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { homeOf } from "../host/places.ts";
import { sanitiseLine } from "./sanitise.ts";

/** A path as people write it: from where they are, else with `~` for their home, and fit for a terminal. */
export function shortPath(path: string, { projectDir }: Pick<Places, "projectDir">, env = process.env): string {
  const home = homeOf(env);
  const inHome = isBelow(path, home) ? `~${path.slice(home.length)}` : path;
  // Whoever works in their home directory, or above it, still wants to see that a tool is their own.
  const isFromHere = isBelow(path, projectDir) && path !== projectDir && !isBelow(home, projectDir);
  return sanitiseLine(isFromHere ? relative(projectDir, path) : inHome);
}

function isBelow(path: string, directory: string): boolean {
  return directory.length > 1 && (path === directory || path.startsWith(directory + sep));
}
