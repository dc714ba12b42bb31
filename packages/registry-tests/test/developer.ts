import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Machine, newMachine } from "./machine.ts";
import type { Release } from "./released.ts";

/**
 * Creates the machine of an author who installs the development dependencies of a TypeScript tool. These 50 third-party packages come
 * from npm's usual registry, with its cache: passing them through our own registry takes longer than everything else.
 * Our packages come from that registry and are not cached.
 *
 * @param npmrc the lines that `npm adduser` would have written.
 */
export async function newDeveloper({ registry, npm }: Release, npmrc: readonly string[]): Promise<Machine> {
  const ours = ["@ikigai", "@me"].map((scope) => `${scope}:registry=${registry}`);
  const developer = await newMachine([`registry=${npm.registry}`, ...ours, ...npmrc], { env: npm.network });
  const downloads = join(npm.cache, "_cacache");
  mkdirSync(downloads, { recursive: true });
  // Only the downloads: npx's installed packages, next to them, would be used instead of the release.
  mkdirSync(join(developer.home, ".npm"));
  symlinkSync(downloads, join(developer.home, ".npm/_cacache"));
  return developer;
}
