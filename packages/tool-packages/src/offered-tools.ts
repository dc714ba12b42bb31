// The tools of a staged package as they would be added: which others they override, then their schemas, which runs them.

import { symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import {
  type DiscoverOptions,
  discover,
  type RegisteredTool,
  type Registry,
  type ShadowedTool,
  type ToolDirectory,
} from "@ikigai/core";
import { toolNameOf } from "@ikigai/protocol";
import { makeDirectories, privateDirectoryMode, shellWord } from "@ikigai/system";
import type { StagedPackage } from "./fetch-package.ts";
import type { Source } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import type { Stage } from "./stage.ts";
import type { ToolRoot } from "./tool-root.ts";

/** A tool to be added, and how it relates to the existing ones. Known without running it. */
export interface StagedTool {
  readonly name: string;
  readonly fileName: string;
  /** The tools of the same name that it would override, nearest first. */
  readonly overrides: readonly ShadowedTool[];
  /** The tool that would override it. */
  readonly overriddenBy?: ShadowedTool;
}

/** The same, with its schema. */
export interface OfferedTool extends StagedTool, Pick<RegisteredTool, "schema" | "warnings"> {}

/** Returns the tools of a staged package, and which others they would override, without running them. */
export function stagedTools(
  { tools }: StagedPackage,
  { registry, root, directories }: Pick<OfferContext, "registry" | "root" | "directories">,
): readonly StagedTool[] {
  return tools.map(({ fileName }) => {
    const name = toolNameOf(fileName);
    return { name, fileName, ...neighbours(registry, { name, fileName }, root, directories) };
  });
}

/**
 * Reads the schemas of a staged package's tools. This runs them, so the user must have confirmed.
 *
 * @throws Refusal if one has no valid schema.
 */
export async function offeredTools(
  staged: StagedPackage,
  { source, stage, root, directories, sandboxFor, registry, env }: OfferContext,
): Promise<readonly OfferedTool[]> {
  const directory = join(stage.home, "tools");
  makeDirectories(directory, privateDirectoryMode);
  for (const { fileName, path } of staged.tools) symlinkSync(join(stage.content, path), join(directory, fileName));
  const found = await discover({
    directories: [{ path: directory, scope: "user" }],
    home: stage.home,
    projectDir: stage.home,
    env,
    sandboxFor,
  });
  const [failure] = found.failed;
  if (failure)
    throw new Refusal(
      `The --schema of ${failure.name} fails: ${failure.reason}: ${failure.detail}. Nothing was added. ${howToCheck(failure.path, staged, source)}`,
    );
  return stagedTools(staged, { registry, root, directories }).map((stagedTool) => {
    const { name, fileName } = stagedTool;
    const tool = found.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Refusal(`${fileName} is not an executable file. Nothing was added.`);
    const { schema, warnings } = tool;
    return { ...stagedTool, schema, warnings };
  });
}

/** The tools that there are. */
export interface KnownTools {
  readonly registry: Registry;
  /** The sandbox in which a tool is asked for its schema. */
  readonly sandboxFor: DiscoverOptions["sandboxFor"];
}

export interface OfferContext extends KnownTools {
  /** Where the package came from. */
  readonly source: Source;
  readonly stage: Stage;
  readonly root: ToolRoot;
  /** All tool directories, farthest first. */
  readonly directories: readonly ToolDirectory[];
  readonly env: NodeJS.ProcessEnv;
}

/** How to test a tool that failed. The fetched copy is removed, so only a source on this machine can be tested. */
function howToCheck(linked: string, { packageDir, tools }: StagedPackage, source: Source): string {
  const { path = "" } = tools.find(({ fileName }) => fileName === basename(linked)) ?? {};
  if (source.kind === "file") return `To find out more: ikigai tool check ${shellWord(source.path)}`;
  if (source.kind === "folder") return `To find out more: ikigai tool check ${shellWord(join(source.path, path))}`;
  return `The package was not kept. Its author can find out more in its folder: ikigai tool check ${shellWord(`./${relative(packageDir, path)}`)}`;
}

function neighbours(
  { tools }: Registry,
  { name, fileName }: { readonly name: string; readonly fileName: string },
  root: ToolRoot,
  directories: readonly ToolDirectory[],
): Pick<StagedTool, "overrides" | "overriddenBy"> {
  const current = tools.find((tool) => tool.name === name);
  if (!current) return { overrides: [] };
  const rankOf = (directory: string) => directories.findIndex(({ path }) => path === directory);
  const own = rankOf(root.tools);
  // A file of the same name is replaced, not overridden.
  const all = [{ path: current.path, scope: current.scope }, ...current.shadows].filter(
    ({ path }) => path !== join(root.tools, fileName),
  );
  const overriddenBy = all.find(({ path }) => rankOf(dirname(path)) > own);
  return {
    overrides: all.filter(({ path }) => rankOf(dirname(path)) < own),
    ...(overriddenBy && { overriddenBy }),
  };
}
