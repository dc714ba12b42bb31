import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { CallOptions } from "../src/call/options.ts";
import { findTool, type RegisteredTool } from "../src/index.ts";
import { type ServingStage, servingStage } from "./serving-tool.ts";
import { fixtures, world } from "./world.ts";

const fixture = join(import.meta.dirname, "fixtures/counting-tool");
const found = findTool(await fixtures(), "counting");

/** A pool, and calls of `fixtures/counting-tool`, whose service counts its calls. */
export interface ServiceStage extends ServingStage {
  readonly home: string;
  /** What the log has. */
  log(): string;
}

/** @param tool another tool than the fixture. @param more options of all calls. */
export async function serviceStage(
  env: NodeJS.ProcessEnv = {},
  tool: RegisteredTool | undefined = found,
  more: Partial<CallOptions> = {},
): Promise<ServiceStage> {
  const home = await tempDir();
  const stage = await servingStage(env, tool);
  const path = join(home, "logs/service-counting.log");
  return {
    ...stage,
    home,
    call: (args, different) => stage.call(args, { home, ...more, ...different }),
    answer: (args, different) => stage.answer(args, { home, ...more, ...different }),
    log: () => (existsSync(path) ? readFileSync(path, "utf8") : ""),
  };
}

/** Copies of the fixture, whose service they share, in the user's tools, with these names. */
export async function copies(...names: readonly string[]): Promise<readonly RegisteredTool[]> {
  const { root, discover } = await world({ "home/tools/": "" });
  for (const name of names) {
    const path = join(root, `home/tools/${name}-tool`);
    copyFileSync(fixture, path);
    chmodSync(path, 0o755);
  }
  const registry = await discover();
  return names.map((name) => {
    const tool = findTool(registry, name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool;
  });
}
