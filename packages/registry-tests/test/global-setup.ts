import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { TestProject } from "vitest/node";
import { newMaintainer, npmSetting } from "./maintainer.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { type Release, releaseMs } from "./released.ts";
import { copyRepository, root } from "./repository.ts";

/**
 * Releases everything once, as CONTRIBUTING.md says; the tests are about the result. It does not wait for the release, so
 * that the tests of other packages can begin: see `released`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const registry = await startRegistry(npmSetting("registry"));
  const file = join(await tempDir(), "release.json");
  project.provide("releaseFile", file);
  const releasing = release(registry)
    .catch((error: Error) => ({ error: error.message }))
    .then((outcome) => {
      writeFileSync(`${file}.new`, JSON.stringify(outcome));
      renameSync(`${file}.new`, file);
    });
  return async () => {
    await releasing;
    registry.stop();
  };
}

async function release({ url, storage }: Registry): Promise<Release> {
  const maintainer = await newMaintainer(url);
  const repository = await copyRepository(maintainer);
  // What was built here need not be built again.
  const env = { TURBO_CACHE_DIR: join(root, ".turbo/cache") };
  await maintainer.run("npm", ["run", "release"], { cwd: repository, env, timeoutMs: releaseMs });
  return { registry: url, storage, repository, pnpm: pnpmDirectory() };
}

function pnpmDirectory(): string {
  const script = ["run", "--silent", "pnpm", "--", "exec", "sh", "-c", "command -v pnpm"];
  return dirname(execFileSync("npm", script, { cwd: root, encoding: "utf8" }).trim());
}
