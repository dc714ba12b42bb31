import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { dataDirectory, dataRoot, hookDataOwner, namedDataDirectory, projectPrefix } from "@ikigai/core/internal";
import { shellWord } from "@ikigai/system";
import { herePlaces, packageData, Refusal, readRecord, userRoots } from "@ikigai/tool-packages";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { type Line, note } from "./section.ts";

/**
 * Data directories whose tools are not here (removed, or found only with another `IKIGAI_TOOL_PATH`), and the tools and data for
 * directories that are gone. Data of projects is left out: it is unknown which projects still exist.
 */
export function checkData(registry: Registry, places: Places): Line[] {
  const lost = herePlaces(places.home).filter(({ directory }) => !existsSync(directory));
  return [
    ...leftData(registry, places).map((path) => noteOf(path, "", places)),
    ...lost.map(({ path, directory }) => noteOf(path, ` is for ${directory}, which does not exist`, places)),
  ];
}

function noteOf(path: string, why: string, places: Places): Line {
  return note(`${shortPath(path, places)}${sanitiseLine(why)}; to delete it: rm -r ${sanitiseLine(shellWord(path))}`);
}

function leftData(registry: Registry, places: Places): readonly string[] {
  const roots = userRoots(places).map(({ path }) => dataRoot(path));
  const all = roots.flatMap((root) => namesIn(root).map((name) => join(root, name)));
  const used = usedPaths(registry, places);
  return used === undefined ? [] : all.filter((path) => !used(path));
}

/** Returns whether a directory may be in use; `undefined` if it is unknown which packages are installed. */
function usedPaths(registry: Registry, places: Places): ((path: string) => boolean) | undefined {
  const { tools, failed } = registry;
  const hidden = tools.some(({ shadows }) => shadows.some(({ scope }) => scope !== "system"));
  let packages: string[];
  try {
    packages = userRoots(places).flatMap((root) =>
      [...readRecord(root).keys()].map((name) => packageData(name, root, places)),
    );
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  const owners = [hookDataOwner, ...tools.map(({ name }) => name), ...failed.map(({ name }) => name)];
  const own = tools.flatMap((tool) => dataDirectory(tool, places) ?? []);
  const used = new Set([...own, ...packages, ...owners.map((owner) => namedDataDirectory(owner, "user", places))]);
  // Which services overridden and failed tools name is unknown.
  const isUnclear = (name: string) => name.startsWith("service-") && (hidden || failed.length > 0);
  return (path) => used.has(path) || basename(path).startsWith(projectPrefix) || isUnclear(basename(path));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => lstatSync(join(directory, name)).isDirectory());
  } catch {
    return [];
  }
}
