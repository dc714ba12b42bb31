import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { TestProject } from "vitest/node";
import { newMaintainer } from "./maintainer.ts";
import { type NpmSettings, npmSettings } from "./npm-settings.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { type Release, releaseMs } from "./released.ts";
import { copyRepository, root, turboCache } from "./repository.ts";

/**
 * Releases everything once, following CONTRIBUTING.md, for all tests. Does not wait for the release, so that the tests of other
 * packages can start: see `released`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const npm = npmSettings();
  const registry = await startRegistry(npm.registry);
  const file = join(await tempDir(), "release.json");
  project.provide("releaseFile", file);
  const releasing = release(registry, npm)
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

async function release({ url, storage }: Registry, npm: NpmSettings): Promise<Release> {
  const maintainer = await newMaintainer(url, npm);
  const repository = await copyRepository(maintainer);
  await maintainer.run("npm", ["run", "release"], { cwd: repository, env: turboCache, timeoutMs: releaseMs });
  return { registry: url, storage, repository, pnpm: pnpmDirectory(), npm };
}

function pnpmDirectory(): string {
  const script = ["run", "--silent", "pnpm", "--", "exec", "sh", "-c", "command -v pnpm"];
  return dirname(execFileSync("npm", script, { cwd: root, encoding: "utf8" }).trim());
}
