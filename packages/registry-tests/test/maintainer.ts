import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Machine, newMachine } from "./machine.ts";
import type { NpmSettings } from "./npm-settings.ts";
import { signUp } from "./registry.ts";

/** Creates the machine of a maintainer who may publish our packages to this registry. */
export async function newMaintainer(registry: string, npm: NpmSettings): Promise<Machine> {
  // pnpm itself comes from npm's usual registry and cache.
  const others = [`registry=${npm.registry}`, `cache=${npm.cache}`];
  const ours = [`@ikigai:registry=${registry}`, await signUp(registry, "maintainer")];
  const maintainer = await newMachine([...others, ...ours]);
  writeFileSync(join(maintainer.home, ".gitconfig"), "[user]\nname = Maintainer\nemail = maintainer@example.org\n");
  return maintainer;
}
