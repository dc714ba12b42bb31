import { basename, dirname } from "node:path";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Stamps } from "../registry/stamps.ts";
import type { Candidate } from "./list-candidates.ts";
import type { KnownFile } from "./schema-cache.ts";

/** Facts about tools other than those being ranked. */
export interface RankOptions {
  /** The project's files as the user trusted them. */
  readonly projectFiles: Stamps;
  /** Names of the system's tools that gave no schema. */
  readonly failedSystemNames: ReadonlySet<string>;
}

/** A tool with its schema. */
export type Described = Candidate & KnownFile;

/**
 * Picks the tool for each name: the nearest one that works. A tool that fails does not hide the ones it would override.
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

/** Registers a tool over the nearest one so far. */
function register(
  { name, path, scope, schema, plain, identity, warnings, launcher, home, skill }: Described,
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
    ...(home !== undefined && { home }),
    ...(skill !== undefined && { skill }),
    ...(plain && { plain }),
  };
  if (farther && !launcher && dirname(farther.path) === dirname(path)) {
    const twin = `${basename(farther.path)} in the same directory is also named ${name} and is not used.`;
    return { name, path, scope, schema, identity, shadows, warnings: [...warnings, twin], ...optional };
  }
  return { name, path, scope, schema, identity, shadows, warnings, ...optional };
}

/** Skips links to the same file: the tool would be told to call itself. */
function otherFile({ identity, shadowed }: RegisteredTool, realPath: string): string | undefined {
  return identity.realPath === realPath ? shadowed : identity.realPath;
}

function warnOfLookalikes(tool: RegisteredTool, spellings: ReadonlySet<string> = new Set()): RegisteredTool {
  if (spellings.size <= 1) return tool;
  const others = [...spellings].filter((name) => name !== tool.name);
  const odd = others.map((name) => `There is also ${name}, which differs only in case.`);
  return { ...tool, warnings: [...tool.warnings, ...odd] };
}
