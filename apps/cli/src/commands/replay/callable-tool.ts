import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { type MadeCall, notRepeatable } from "./made-call.ts";

/**
 * Finds the tool of a recorded call among those that a model could call now, or that such a tool overrides. Its scope, its
 * trust and what it overrides are those of now: the record is asked for nothing but the path.
 *
 * @param registry of the directory the call was made in.
 * @throws IkigaiError `call_not_repeatable` when there is no such tool.
 */
export function callableTool({ name, path }: MadeCall, registry: Registry): RegisteredTool {
  const known = registry.tools.filter((tool) => tool.name === name);
  const tool = known.find((candidate) => candidate.path === path) ?? known.find((candidate) => isSame(candidate, path));
  if (tool) return tool;
  if (isAbsolute(path) && !existsSync(path))
    throw notRepeatable(`The tool no longer exists: ${path}.${successor(name, registry)}`);
  const [overridden] = known.flatMap((candidate) => shadowedTool(candidate, path));
  if (overridden) return overridden;
  throw notRepeatable(
    `ikigai does not use ${path} as ${name} there: it is in no tool directory, is not trusted, or does not work. See: ikigai tool list`,
  );
}

/** The same file by another spelling or link. What runs elsewhere has no file here. */
function isSame({ path, launcher }: Pick<RegisteredTool, "path" | "launcher">, recorded: string): boolean {
  const real = realPath(recorded);
  return !launcher && real !== undefined && realPath(path) === real;
}

function realPath(path: string): string | undefined {
  try {
    return isAbsolute(path) ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}

/** One of the user's or the system's tools that another overrides. Of a project's, nobody has looked at its trust. */
function shadowedTool({ name, shadows, system }: RegisteredTool, recorded: string): RegisteredTool[] {
  const index = shadows.findIndex((shadow) => isSame(shadow, recorded));
  const found = shadows[index];
  if (!found || found.scope === "project") return [];
  const { path, scope } = found;
  const [next] = shadows.slice(index + 1);
  const shadowed = next && realPath(next.path);
  const schema = { name, description: "", parameters: { type: "object" } };
  const identity = { realPath: realPath(path) ?? path, stamp: "" };
  return [
    {
      name,
      path,
      scope,
      schema,
      identity,
      shadows: [],
      warnings: [],
      ...(system && { system }),
      ...(shadowed && { shadowed }),
    },
  ];
}

function successor(name: string, registry: Registry): string {
  const now = findTool(registry, name);
  return now ? ` ${name} is ${now.path} now: ikigai tool call ${name} JSON` : "";
}
