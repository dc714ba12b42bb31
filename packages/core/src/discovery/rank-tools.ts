import { basename, dirname } from "node:path";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Stamps } from "../registry/stamps.ts";
import type { Candidate } from "./list-candidates.ts";
import type { KnownSchema } from "./parse-schema.ts";

/** A tool that has told what it is. */
export type Described = Candidate & KnownSchema;

/**
 * Decides which tool a name stands for: the nearest of those that work. One that fails does not hide the ones it would have
 * overridden.
 *
 * @param described farthest first.
 */
export function rankTools(described: readonly Described[], projectFiles: Stamps): readonly RegisteredTool[] {
  const byName = new Map<string, Described[]>();
  for (const tool of described) byName.set(tool.name, [tool, ...(byName.get(tool.name) ?? [])]);
  const names = [...byName.keys()].sort();
  return names.flatMap((name) => {
    const [nearest, ...others] = byName.get(name) ?? [];
    if (nearest === undefined) return [];
    const { path, scope, schema, identity, warnings } = nearest;
    const shadows = others.map((other) => ({ path: other.path, scope: other.scope }));
    const odd = [...warnings, ...twins(nearest, others), ...lookalikes(name, names)];
    const trusted = scope === "project" ? { trusted: projectFiles } : {};
    return [{ name, path, scope, schema, identity, shadows, warnings: odd, ...trusted }];
  });
}

function twins({ path, name }: Described, others: readonly Described[]): string[] {
  return others
    .filter((other) => dirname(other.path) === dirname(path))
    .map((other) => `${basename(other.path)} beside it is called ${name} too, and is not used.`);
}

function lookalikes(name: string, names: readonly string[]): string[] {
  return names
    .filter((other) => other !== name && other.toLowerCase() === name.toLowerCase())
    .map((other) => `There is also ${other}, which differs only in case.`);
}
