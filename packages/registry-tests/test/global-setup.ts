import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { newMaintainer, npmSetting } from "./maintainer.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { copyRepository, root } from "./repository.ts";

/** What the tests are given. */
export interface Release {
  readonly registry: string;
  /** Where the published tarballs are. */
  readonly storage: string;
  /** The clone that everything was published from. */
  readonly repository: string;
  /** The directory that has the command `pnpm`, in the version that the repository uses. */
  readonly pnpm: string;
}

declare module "vitest" {
  interface ProvidedContext {
    release: Release;
  }
}

/** Releases everything once, as CONTRIBUTING.md says; the tests are about what comes out. */
export async function setup(project: TestProject): Promise<() => void> {
  const registry = await startRegistry(npmSetting("registry"));
  try {
    project.provide("release", await release(registry));
  } catch (error) {
    registry.stop();
    throw error;
  }
  return registry.stop;
}

async function release({ url, storage }: Registry): Promise<Release> {
  const maintainer = await newMaintainer(url);
  const repository = await copyRepository(maintainer);
  await maintainer.run("npm", ["run", "release"], { cwd: repository });
  return { registry: url, storage, repository, pnpm: pnpmDirectory() };
}

function pnpmDirectory(): string {
  const script = ["run", "--silent", "pnpm", "--", "exec", "sh", "-c", "command -v pnpm"];
  return dirname(execFileSync("npm", script, { cwd: root, encoding: "utf8" }).trim());
}
