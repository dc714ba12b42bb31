import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Machine, newMachine } from "./machine.ts";
import type { Release } from "./released.ts";

/**
 * The machine of somebody who installs what TypeScript tools are developed with. These third-party packages, 50 of them, come
 * from where npm gets them here, with its downloads at hand: to pass them all through our own registry takes longer than
 * everything else. Ours come from that registry, which lets nobody keep a copy.
 *
 * @param npmrc what `npm adduser` would have written.
 */
export async function newDeveloper({ registry, npm }: Release, npmrc: readonly string[]): Promise<Machine> {
  const ours = ["@ikigai", "@me"].map((scope) => `${scope}:registry=${registry}`);
  const developer = await newMachine([`registry=${npm.registry}`, ...ours, ...npmrc], { env: npm.network });
  const downloads = join(npm.cache, "_cacache");
  mkdirSync(downloads, { recursive: true });
  // Only the downloads: what npx has installed lies beside them, and would be used instead of the release.
  mkdirSync(join(developer.home, ".npm"));
  symlinkSync(downloads, join(developer.home, ".npm/_cacache"));
  return developer;
}
