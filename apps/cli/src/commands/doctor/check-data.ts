import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { dataDirectory, dataRoot, hookDataOwner, namedDataDirectory, projectPrefix } from "@ikigai/core/internal";
import { shellWord } from "@ikigai/system";
import { Refusal, readRecord, toolRoot } from "@ikigai/tool-packages";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { type Line, note } from "./section.ts";

/** Data directories whose tools are gone. Those of projects are left out: it is unknown which projects still exist. */
export function checkData(registry: Registry, places: Places): Line[] {
  const used = usedNames(registry, places);
  if (used === undefined) return [];
  const left = namesIn(dataRoot(places.home)).filter((name) => !used(name));
  return left.map((name) => {
    const path = join(dataRoot(places.home), name);
    return note(`${sanitiseLine(shortPath(path, places))}; to delete it: rm -r ${sanitiseLine(shellWord(path))}`);
  });
}

/** Returns whether a directory may be in use; `undefined` if it is unknown which packages are installed. */
function usedNames(registry: Registry, places: Places): ((name: string) => boolean) | undefined {
  const { tools, failed } = registry;
  const hidden = tools.some(({ shadows }) => shadows.some(({ scope }) => scope !== "system"));
  let packages: string[];
  try {
    packages = [...readRecord(toolRoot(places, { isProject: false })).keys()];
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  const owners = [hookDataOwner, ...packages, ...tools.map(({ name }) => name), ...failed.map(({ name }) => name)];
  const own = tools.flatMap((tool) => dataDirectory(tool, places) ?? []);
  const paths = [...own, ...owners.map((owner) => namedDataDirectory(owner, "user", places))];
  const used = new Set(paths.map((path) => basename(path)));
  // Which services overridden and failed tools name is unknown.
  const isUnclear = (name: string) => name.startsWith("service-") && (hidden || failed.length > 0);
  return (name) => used.has(name) || name.startsWith(projectPrefix) || isUnclear(name);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => lstatSync(join(directory, name)).isDirectory());
  } catch {
    return [];
  }
}
