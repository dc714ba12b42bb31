import { basename, dirname } from "node:path";
import type { KnownSchema } from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Stamps } from "../registry/stamps.ts";
import type { Candidate } from "./list-candidates.ts";

/** What is known beside the tools that work. */
export interface RankOptions {
  /** The files of the project's tools, as the user trusted them. */
  readonly projectFiles: Stamps;
  /** The names of the system's tools that did not give a schema. */
  readonly failedSystemNames: ReadonlySet<string>;
}

/** A tool that has told what it is. */
export type Described = Candidate & KnownSchema;

/**
 * Decides which tool a name stands for: the nearest of those that work. One that fails does not hide the ones it would have
 * overridden.
 *
 * @param described farthest first.
 */
export function rankTools(described: readonly Described[], options: RankOptions): readonly RegisteredTool[] {
  const byName = new Map<string, RegisteredTool>();
  const spellings = new Map<string, Set<string>>();
  for (const tool of described) {
    byName.set(tool.name, register(tool, byName.get(tool.name), options));
    const plain = tool.name.toLowerCase();
    spellings.set(plain, (spellings.get(plain) ?? new Set()).add(tool.name));
  }
  const names = [...byName.keys()].sort();
  return names.flatMap((name) => {
    const tool = byName.get(name);
    return tool ? [warnOfLookalikes(tool, spellings.get(name.toLowerCase()))] : [];
  });
}

/** Puts a tool in the place of the one that was the nearest so far. */
function register(
  { name, path, scope, schema, identity, warnings, launcher }: Described,
  farther: RegisteredTool | undefined,
  { projectFiles, failedSystemNames }: RankOptions,
): RegisteredTool {
  const shadows = farther ? [{ path: farther.path, scope: farther.scope }, ...farther.shadows] : [];
  const shadowed = farther && !launcher ? otherFile(farther, identity.realPath) : undefined;
  const system =
    scope === "system" ? schema : (farther?.system ?? (failedSystemNames.has(name) ? "unknown" : undefined));
  const optional = {
    ...(system !== undefined && { system }),
    ...(shadowed !== undefined && { shadowed }),
    ...(scope === "project" && { trusted: projectFiles }),
    ...(launcher && { launcher }),
  };
  if (farther && !launcher && dirname(farther.path) === dirname(path)) {
    const twin = `${basename(farther.path)} beside it is called ${name} too, and is not used.`;
    return { name, path, scope, schema, identity, shadows, warnings: [...warnings, twin], ...optional };
  }
  return { name, path, scope, schema, identity, shadows, warnings, ...optional };
}

/** A link to the very tool it overrides must not be told to call itself. */
function otherFile({ identity, shadowed }: RegisteredTool, realPath: string): string | undefined {
  return identity.realPath === realPath ? shadowed : identity.realPath;
}

function warnOfLookalikes(tool: RegisteredTool, spellings: ReadonlySet<string> = new Set()): RegisteredTool {
  if (spellings.size <= 1) return tool;
  const others = [...spellings].filter((name) => name !== tool.name);
  const odd = others.map((name) => `There is also ${name}, which differs only in case.`);
  return { ...tool, warnings: [...tool.warnings, ...odd] };
}
