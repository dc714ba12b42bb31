import type { Places } from "@ikigai/agent/internal";
import type { Installed, InstalledTools } from "@ikigai/tool-packages";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-path.ts";

/** What stands behind a tool in the list: the package and the version it came with. */
export function renderOrigin(installed: Installed | undefined): string {
  if (!installed) return "";
  const { package: name, version, source } = installed;
  return `  ${sanitiseLine([name, version, `from ${source}`].filter((part) => part !== "").join(" "))}`;
}

/** What has become of the tools that were added, where that is not what it should be. */
export function renderInstalledTrouble({ byPath, problems }: InstalledTools, places: Places): string {
  const trouble = [...byPath].flatMap(([path, { package: name, state, sha256 }]) => {
    if (state === "same") return [];
    const what = state === "changed" ? `is not what was added any more (sha256 ${sha256})` : "is missing";
    return [`  ${shortPath(path, places)} ${what}. To get it back: ikigai tool update ${sanitiseLine(name)}`];
  });
  const all = [...trouble, ...problems.map((problem) => `  ${sanitiseLine(problem)}`)];
  return all.length === 0 ? "" : `Changed since they were added:\n${all.join("\n")}\n`;
}
