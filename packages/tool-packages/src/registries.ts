// The registries of the user's configuration: git repositories and folders that have a package in each of their folders, which may be
// in `packages/`. In reading order: where a package is in one, which packages one has, and the search in all.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { plainHeaderBytes, readPlainTools, toolNameOf } from "@ikigai/protocol";
import { isDirectory, isInside, nearestWord, readHead, realPathOf, withoutPassword } from "@ikigai/system";
import { fetchGit } from "./fetch-git.ts";
import { bringsMoreThanTools, executableTools, type Manifest, passesCheck, readManifest } from "./package-tools.ts";
import { type Registries, type RegistryPackage, readRegistry } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import type { FoundPackage } from "./search.ts";
import { withStage } from "./stage.ts";

/** Where the packages of a registry are. */
const places = ["", "packages"];

/** Folders of a registry that are no packages: it may also be one itself. */
const otherFolders = ["packages", "node_modules", "bin", "tools", "skills", "hooks", "commands", "agents"];

/**
 * Returns the folder of a package, without links.
 *
 * @throws Refusal if the registry has no such package.
 */
export function packageIn(folder: string, { registry, name }: RegistryPackage): string {
  const root = realPathOf(folder);
  const found = places
    .map((place) => realPathOf(join(root, place, name)))
    .find((path) => isDirectory(path) && path !== root && isInside(path, root));
  if (found !== undefined) return found;
  const names = packageNames(root).map(({ name: one }) => one);
  const nearest = nearestWord(name, names);
  const advice =
    nearest !== undefined
      ? `Did you mean ${registry}:${nearest}?`
      : names.length > 0
        ? `It has ${names.join(", ")}.`
        : "It needs a folder for each package, at its top or in packages/.";
  throw new Refusal(`The registry ${registry} has no package ${JSON.stringify(name)}. ${advice}`);
}

function packageNames(root: string): { readonly name: string; readonly path: string }[] {
  return places.flatMap((place) => {
    const directory = join(root, place);
    if (!isDirectory(directory)) return [];
    return readdirSync(directory)
      .filter((name) => /^[A-Za-z0-9]/.test(name) && !otherFolders.includes(name))
      .map((name) => ({ name, path: join(directory, name) }))
      .filter(({ path }) => isDirectory(path) && looksLikePackage(path));
  });
}

function looksLikePackage(folder: string): boolean {
  return manifestIn(folder) !== undefined || executableTools(folder).length > 0 || bringsMoreThanTools(folder);
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    // `tool add` says what is wrong with it.
    return undefined;
  }
}

/** What the search found, and which registries could not be searched, one sentence each. */
export interface RegistrySearch {
  readonly found: readonly FoundPackage[];
  readonly problems: readonly string[];
}

/** Searches the registries that are folders or git repositories for packages with all these words; without words, lists all. */
export async function searchRegistries(
  words: readonly string[],
  {
    registries,
    home,
    env,
  }: { readonly registries: Registries; readonly home: string; readonly env: NodeJS.ProcessEnv },
): Promise<RegistrySearch> {
  const problems: string[] = [];
  const found = await Promise.all(
    Object.keys(registries).map(async (registry) => {
      try {
        const source = readRegistry(registry, registries);
        if (source.kind === "npm") return [];
        if (source.kind === "folder") return packagesIn(source.path, registry);
        return await withStage(home, async ({ content }) => {
          await fetchGit(source, content, env);
          return packagesIn(content, registry);
        });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problems.push(withoutPassword(error.message));
        return [];
      }
    }),
  );
  const wanted = words.map((word) => word.toLowerCase());
  const fits = ({ name, description }: FoundPackage) => {
    const text = `${name} ${description}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return { found: found.flat().filter(fits), problems };
}

function packagesIn(folder: string, registry: string): FoundPackage[] {
  return packageNames(folder).map(({ name, path }) => {
    const manifest = manifestIn(path) ?? {};
    const { version, description } = manifest;
    return {
      name: `${registry}:${name}`,
      version: typeof version === "string" ? version : "",
      description: typeof description === "string" ? description : describedIn(path),
      weeklyDownloads: undefined,
      published: undefined,
      passesCheck: passesCheck(manifest),
    };
  });
}

/** What the comments of its plain tools say. */
function describedIn(folder: string): string {
  const texts = executableTools(folder).flatMap(({ fileName, path }) => {
    const header = readHead(join(folder, path), plainHeaderBytes)?.toString("utf8") ?? "";
    const reading = readPlainTools(header, toolNameOf(fileName));
    return reading && "tools" in reading ? reading.tools.map(({ schema }) => schema.description) : [];
  });
  return texts.join("; ");
}
