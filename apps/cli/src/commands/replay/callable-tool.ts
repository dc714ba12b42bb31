import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { type MadeCall, notRepeatable } from "./made-call.ts";

/**
 * Finds the tool of a recorded call among those that a model could call now, or that such a tool overrides. Only the path comes
 * from the record; scope, trust and overrides are the current ones.
 *
 * @param registry the tools of the call's directory.
 * @throws IkigaiError `call_not_repeatable` if there is no such tool.
 */
export function callableTool({ name, path, isLaunched }: MadeCall, registry: Registry): RegisteredTool {
  const known = registry.tools.filter((tool) => tool.name === name);
  const tool = known.find((candidate) => candidate.path === path) ?? known.find((candidate) => isSame(candidate, path));
  if (tool) return tool;
  refuseSubstitute(name, registry);
  if (isLaunched)
    throw notRepeatable(
      `This call of ${name} ran through a launcher that the configuration no longer has: ${path}. To repeat it, set the launcher again.`,
    );
  if (!existsSync(path)) throw notRepeatable(`The tool no longer exists: ${path}.${successor(name, registry)}`);
  const [overridden] = known.flatMap((candidate) => shadowedTool(candidate, path));
  if (overridden) return overridden;
  throw notRepeatable(
    `ikigai does not use ${path} as ${name} there: it is in no tool directory, is not trusted, or does not work. See: ikigai tool list`,
  );
}

/** A tool that the configuration runs elsewhere must not run here because an older call did. */
function refuseSubstitute(name: string, { tools, failed }: Registry): void {
  const launched = tools.find((tool) => tool.name === name && tool.launcher);
  if (launched)
    throw notRepeatable(`${name} runs elsewhere now: ${launched.path}. To call it: ikigai tool call ${name} JSON`);
  const broken = failed.find((tool) => tool.name === name && tool.isLaunched);
  if (broken) throw notRepeatable(`${name} cannot be started through "${broken.path}": ${broken.detail}.`);
}

/** Whether a path is the tool's file, by another spelling or link. A tool behind a launcher has no local file. */
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

/** The overridden tool at a path, if it is the user's or the system's. A project's tool is excluded: its trust was not checked. */
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
