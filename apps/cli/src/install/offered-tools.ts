import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolRules } from "@ikigai/agent";
import { discover, type RegisteredTool, type Registry, type ShadowedTool } from "@ikigai/core";
import type { Places } from "../places.ts";
import type { StagedPackage } from "./fetch-package.ts";
import { toolNameOf } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import type { Stage } from "./stage.ts";
import type { ToolRoot } from "./tool-root.ts";

/** A tool that would be added: what it says of itself, and what it would do to the others. */
export interface OfferedTool extends Pick<RegisteredTool, "name" | "schema" | "warnings"> {
  readonly fileName: string;
  /** Those of its name that it would take the place of, nearest first. */
  readonly overrides: readonly ShadowedTool[];
  /** The one that would stay in its place. */
  readonly overriddenBy?: ShadowedTool;
}

/**
 * Asks the tools of a staged package for their schemas. This runs them.
 *
 * @throws Refusal when one has none that can be used.
 */
export async function offeredTools(
  { tools }: StagedPackage,
  { stage, root, places, rules, registry, env }: OfferContext,
): Promise<readonly OfferedTool[]> {
  const directory = join(stage.home, "tools");
  mkdirSync(directory, { recursive: true });
  for (const { fileName, path } of tools) symlinkSync(join(stage.content, path), join(directory, fileName));
  const found = await discover({
    directories: [{ path: directory, scope: "user" }],
    home: stage.home,
    projectDir: stage.home,
    env,
    sandboxFor: (name) => rules.settingsFor(name).sandbox,
  });
  const [failure] = found.failed;
  if (failure)
    throw new Refusal(
      `Expected ${failure.name} to print its schema for --schema, but: ${failure.reason}: ${failure.detail}. Nothing was added.`,
    );
  return tools.map(({ fileName }) => {
    const name = toolNameOf(fileName);
    const tool = found.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Refusal(`Expected ${fileName} to be an executable file. Nothing was added.`);
    const { schema, warnings } = tool;
    return { name, fileName, schema, warnings, ...neighbours(registry, { name, fileName }, root, places) };
  });
}

export interface OfferContext {
  readonly stage: Stage;
  readonly root: ToolRoot;
  readonly places: Places;
  readonly rules: ToolRules;
  /** The tools there are now. */
  readonly registry: Registry;
  readonly env: NodeJS.ProcessEnv;
}

function neighbours(
  { tools }: Registry,
  { name, fileName }: { readonly name: string; readonly fileName: string },
  root: ToolRoot,
  { directories }: Places,
): Pick<OfferedTool, "overrides" | "overriddenBy"> {
  const current = tools.find((tool) => tool.name === name);
  if (!current) return { overrides: [] };
  const rankOf = (directory: string) => directories.findIndex(({ path }) => path === directory);
  const own = rankOf(root.tools);
  // What is there under its own file name is what it replaces, not what it overrides.
  const all = [{ path: current.path, scope: current.scope }, ...current.shadows].filter(
    ({ path }) => path !== join(root.tools, fileName),
  );
  const overriddenBy = all.find(({ path }) => rankOf(dirname(path)) > own);
  return {
    overrides: all.filter(({ path }) => rankOf(dirname(path)) < own),
    ...(overriddenBy && { overriddenBy }),
  };
}
