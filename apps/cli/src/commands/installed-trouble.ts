import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { isInside } from "@ikigai/system";
import { type InstalledTools, serverOf } from "@ikigai/tool-packages";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-path.ts";

/** The added tools that have changed or are missing, and what is wrong with the records, one per line. */
export function installedTrouble({ byPath, problems }: InstalledTools, places: Places): string[] {
  const trouble = [...byPath].flatMap(([path, { package: name, source, state, sha256, currentSha256 }]) => {
    if (state === "same") return [];
    const hashes = currentSha256 === undefined ? "" : ` (sha256 ${currentSha256}, added with ${sha256})`;
    const what = state === "changed" ? `has changed${hashes}` : "is missing";
    const server = serverOf({ source });
    const isProjects = isInside(path, join(places.projectDir, ".ikigai"));
    const update =
      server === undefined
        ? `ikigai tool update ${name}${isProjects ? " --project" : ""}`
        : `ikigai mcp update ${server}`;
    return [`${shortPath(path, places)} ${what}. To restore it: ${sanitiseLine(update)}`];
  });
  return [...trouble, ...problems.map((problem) => sanitiseLine(problem))];
}
