import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Machine, newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { root } from "./repository.ts";

/** The machine of somebody who may publish ours to this registry. */
export async function newMaintainer(registry: string): Promise<Machine> {
  // pnpm itself comes from where it came from for whoever runs the tests: most likely from the cache.
  const others = ["registry", "cache"].map((name) => `${name}=${npmSetting(name)}`);
  const ours = [`@ikigai:registry=${registry}`, await signUp(registry, "maintainer")];
  const maintainer = await newMachine([...others, ...ours]);
  writeFileSync(join(maintainer.home, ".gitconfig"), "[user]\nname = Maintainer\nemail = maintainer@example.org\n");
  return maintainer;
}

/** How npm is set up where the tests run. */
export function npmSetting(name: string): string {
  return execFileSync("npm", ["config", "get", name], { cwd: root, encoding: "utf8" }).trim();
}
