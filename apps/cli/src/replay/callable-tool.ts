import { existsSync } from "node:fs";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import type { MadeCall } from "./made-call.ts";

/** The executable of a recorded call as something that can be called, or one sentence on why it is not called. */
export type CallableTool = { readonly tool: RegisteredTool } | { readonly problem: string };

/** @param registry of the project the call was made in. */
export function callableTool(call: MadeCall, registry: Registry): CallableTool {
  const { name, path, scope, projectDir, env } = call;
  if (!existsSync(path)) return { problem: `The tool is gone: ${path}.${successor(name, registry)}` };
  const known = registry.tools.find((tool) => tool.path === path);
  const { shadowed: _, ...found } = known ?? unregistered(call);
  // Nothing of a project is run that the user has not said yes to as it is.
  if (!known && (scope === "project" || registry.failed.some((failure) => failure.path === path))) {
    return {
      problem: `${path} is not used in ${projectDir} now: it is not trusted, or does not work. See: ikigai tool list`,
    };
  }
  const { IKIGAI_SHADOWED_TOOL: shadowed } = env;
  return { tool: { ...found, name, scope, ...(shadowed !== undefined && { shadowed }) } };
}

/** One that another overrides, or that was found through a variable which is not set any more. */
function unregistered({ name, path, scope }: MadeCall): RegisteredTool {
  const schema = { name, description: "", parameters: { type: "object" } };
  return { name, path, scope, schema, identity: { realPath: path, stamp: "" }, shadows: [], warnings: [] };
}

function successor(name: string, registry: Registry): string {
  const now = findTool(registry, name);
  return now ? ` ${name} is ${now.path} now: ikigai tool call ${name} JSON` : "";
}
