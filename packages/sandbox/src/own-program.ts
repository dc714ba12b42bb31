import { lstatSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside, makeDirectories, readNames, readRealPath, walkLinks } from "@ikigai/system";
import { isThere } from "./git-config.ts";

/**
 * Returns the parts of this program that tools could change: changes would run at its next start, outside the sandbox. Covers
 * the package of this file, the script that was started, Node itself, and the directories with links to them.
 *
 * @param roots the directories a tool may change, without links.
 * @throws Error, a sentence for people, if a part cannot be protected.
 */
export function programPlaces(roots: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const key = [...roots, env.IKIGAI_LIBEXEC].join("\n");
  if (last?.key !== key) last = { key, places: findPlaces(roots, env) };
  return [...last.places, ...linkedCopies(roots)];
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
  const target = readRealPath(own);
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

/** Where pnpm and bun put packages in `node_modules`. */
const stores = [".pnpm", ".bun"];

/**
 * The copies of this package in a project's `node_modules`, if its files have more than one name: pnpm and bun link the files of
 * a package from one store, so what changes such a copy may change this program.
 */
function linkedCopies(roots: readonly string[]): string[] {
  const own = readRealPath(fileURLToPath(import.meta.url));
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(own) ?? [];
  if (name === undefined || lstatSync(own).nlink === 1) return [];
  return roots.flatMap((root) => {
    const modules = join(root, "node_modules");
    const versions = stores.flatMap((store) => {
      const names = isThere(join(modules, store)) ? readNames(join(modules, store)) : [];
      const ours = names.filter((one) => one.startsWith(`${name.replace("/", "+")}@`));
      return ours.map((one) => join(modules, store, one, "node_modules", name));
    });
    return [join(modules, name), ...versions].filter(isThere);
  });
}

/** For each `node_modules` in the path: its `.bin` and the package. */
function installationsIn(path: string): string[] {
  const parts = path.split(sep);
  return parts.flatMap((part, index) => {
    if (part !== "node_modules") return [];
    const directory = parts.slice(0, index + 1).join(sep);
    const first = parts[index + 1];
    return first === undefined || first === ".pnpm" ? [] : [join(directory, ".bin"), join(directory, first)];
  });
}

/** In a checkout: the built files, and the files that say how they are run. */
function packageOf(file: string): string[] {
  const built = file.includes(`${sep}node_modules${sep}`) ? undefined : buildOf(file);
  if (built === undefined) return [];
  const directory = dirname(built);
  if (isThere(join(directory, "libexec"))) makeCodeCache(directory);
  return [built, ...["libexec", "bin", "package.json", codeCache].map((name) => join(directory, name))];
}

/** Where the command keeps its compiled code, which runs instead of its source. */
const codeCache = "code-cache";

/** What is missing cannot be protected: a tool would make it. */
function makeCodeCache(directory: string): void {
  try {
    makeDirectories(join(directory, codeCache), 0o755);
  } catch {
    // Where ikigai cannot write, neither can its tools.
  }
}

/** The directory directly in a package that a file of it is below. */
function buildOf(file: string): string | undefined {
  for (let place = dirname(file); place !== dirname(place); place = dirname(place)) {
    if (["dist", "src"].includes(basename(place))) return place;
  }
  return undefined;
}

/** Where the user's tools are, and the packages that some of them are links to. */
export function installedTools(home: string): readonly string[] {
  return [join(home, "tools"), join(home, "packages")];
}

/** What tools may run of this program, wherever it is installed: the programs that come with it, and Node. */
export function neededByTools(): readonly string[] {
  const built = buildOf(readRealPath(fileURLToPath(import.meta.url)));
  return [process.execPath, ...(built === undefined ? [] : [join(dirname(built), "libexec")])];
}
