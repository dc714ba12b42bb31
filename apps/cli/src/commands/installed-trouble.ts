import type { Places } from "@ikigai/agent/internal";
import type { InstalledTools } from "@ikigai/tool-packages";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-path.ts";

/** The added tools that have changed or are missing, and what is wrong with the records: a line each. */
export function installedTrouble({ byPath, problems }: InstalledTools, places: Places): string[] {
  const trouble = [...byPath].flatMap(([path, { package: name, state, sha256, currentSha256 }]) => {
    if (state === "same") return [];
    const hashes = currentSha256 === undefined ? "" : ` (sha256 ${currentSha256}, added with ${sha256})`;
    const what = state === "changed" ? `has changed${hashes}` : "is missing";
    return [`${shortPath(path, places)} ${what}. To restore it: ikigai tool update ${sanitiseLine(name)}`];
  });
  return [...trouble, ...problems.map((problem) => sanitiseLine(problem))];
}
