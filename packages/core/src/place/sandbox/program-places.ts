import { realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside, walkLinks } from "@ikigai/system";
import { isThere } from "./git-directory.ts";

/**
 * What of this program lies where tools may change something: what they changed of it would run at its next start, outside the
 * sandbox. That is the package that this file belongs to, the script that was started, Node itself, and the directories with
 * the links that lead there.
 *
 * @param roots the directories that a tool may change, without links.
 * @throws Error, a sentence for people, when it cannot be protected.
 */
export function programPlaces(roots: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const key = [...roots, env.IKIGAI_LIBEXEC].join("\n");
  if (last?.key !== key) last = { key, places: findPlaces(roots, env) };
  return last.places;
}

let last: { readonly key: string; readonly places: readonly string[] } | undefined;

function findPlaces(roots: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const [, script] = process.argv;
  const own = fileURLToPath(import.meta.url);
  const paths = [
    own,
    process.execPath,
    ...(script ? [script] : []),
    ...(env.IKIGAI_LIBEXEC ? [env.IKIGAI_LIBEXEC] : []),
  ];
  const places = paths.flatMap((path) => placesOnTheWayTo(path, roots));
  const target = realpathSync.native(own);
  return [...places, ...packageOf(target)].filter(
    (place) => isThere(place) && roots.some((root) => isInside(place, root)),
  );
}

function placesOnTheWayTo(path: string, roots: readonly string[]): string[] {
  const { target, links } = walkLinks(path);
  const directories = links.filter((link) => roots.some((root) => isInside(link, root) && link !== root)).map(dirname);
  const open = directories.find((directory) => roots.includes(directory));
  if (open !== undefined) {
    throw new Error(`ikigai was started through a symbolic link in ${open}, which cannot be protected`);
  }
  const installed = [target, ...links, path].flatMap(installationsIn);
  return [...directories, ...installed, target];
}

/** Of each `node_modules` on the way: the package, what starts it, and those that belong to it. */
function installationsIn(path: string): string[] {
  const parts = path.split(sep);
  return parts.flatMap((part, index) => {
    if (part !== "node_modules") return [];
    const directory = parts.slice(0, index + 1).join(sep);
    const first = parts[index + 1];
    return first === undefined || first === ".pnpm" ? [] : [join(directory, ".bin"), join(directory, first)];
  });
}

/** The package in a checkout: what is built, and what says how it is run. */
function packageOf(file: string): string[] {
  if (file.includes(`${sep}node_modules${sep}`)) return [];
  for (let place = dirname(file); place !== dirname(place); place = dirname(place)) {
    if (!["dist", "src"].includes(basename(place))) continue;
    const root = dirname(place);
    return [place, join(root, "libexec"), join(root, "bin"), join(root, "package.json")];
  }
  return [];
}
