// What is wrong with tools that are not loaded: added ones that changed or are missing, and programs whose names are no tool's.

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { toolSuffix } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { isInside, isProgram } from "@ikigai/system";
import { type InstalledTools, ToolRoot } from "@ikigai/tool-packages";
import { shortPath } from "../../render/short-forms.ts";

/** The added tools that have changed or are missing, and what is wrong with the records, one per line. */
export function installedTrouble({ byPath, problems }: InstalledTools, places: Places): string[] {
  const trouble = [...byPath].flatMap(([path, { package: name, server, state, sha256, currentSha256 }]) => {
    if (state === "same") return [];
    const hashes = currentSha256 === undefined ? "" : ` (sha256 ${currentSha256}, added with ${sha256})`;
    const what = state === "changed" ? `has changed${hashes}` : "is missing";
    const isProjects = isInside(path, join(places.projectDir, ".ikigai"));
    const update =
      server === undefined
        ? `ikigai tool update ${name}${isProjects ? " --project" : ""}`
        : `ikigai mcp update ${server}`;
    return [`${shortPath(path, places)} ${what}. To restore it: ${sanitiseLine(update)}`];
  });
  return [...trouble, ...problems.map((problem) => sanitiseLine(problem))];
}

/**
 * Returns the executables in the user's tool directories, and in a trusted project's, that are no tools because of their names. Not
 * those in `IKIGAI_TOOL_PATH`, which may have many other programs.
 */
export function misnamedFiles(places: Places, { trust }: Pick<Registry, "trust">): readonly string[] {
  const roots = [
    ...ToolRoot.ofUser(places),
    ...(trust === "trusted" ? [ToolRoot.of(places, { isProject: true })] : []),
  ];
  return roots.flatMap(({ tools }) => plainProgramsIn(tools).map((name) => join(tools, name)));
}

/** The one that a user means who asks for a tool of this name, if there is one: `foo-tool.sh` for `foo`. */
export function misnamedFile(wanted: string, places: Places, registry: Pick<Registry, "trust">): string | undefined {
  return misnamedFiles(places, registry).find((path) => plainName(path) === plainName(wanted));
}

export function renderMisnamed(path: string, places: Places): string {
  const name = sanitiseLine(basename(path));
  return `${name} (${shortPath(path, places)}): not a tool: its name does not end in ${toolSuffix}`;
}

function plainName(path: string): string {
  const name = basename(path).replaceAll("_", "-");
  return name.replace(/(?<=.)\..*$/, "").replace(/-tool$/, "");
}

function plainProgramsIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => !name.endsWith(toolSuffix) && !name.startsWith("."));
    return names.sort().filter((name) => isProgram(join(directory, name)));
  } catch {
    // Discovery reports a directory that cannot be read.
    return [];
  }
}
