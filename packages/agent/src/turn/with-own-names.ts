import { findTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import { type JsonObject, renameAliases } from "@ikigai/protocol";
import { pathAsMeant } from "@ikigai/system";
import { declaredAccess } from "../permission/declared-access.ts";

/**
 * Returns the arguments of a system tool's call under the parameters' own names, so that the question, the checkpoint and
 * the tool all use the same text. A path that begins with `~/` or `file:///` becomes an absolute one, also for a tool that
 * overrides a system tool. Other tools get what the model wrote.
 */
export function withOwnNames(called: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, called);
  if (!tool) return args;
  const { access, aliases, by } = declaredAccess(tool);
  if (by !== "system") return args;
  const value = tool.scope === "system" ? renameAliases(args.value, aliases) : { ...args.value };
  const name = access !== undefined && "path" in access ? access.path : "";
  const path = value[name];
  if (typeof path === "string") value[name] = pathAsMeant(path);
  const isSame = value[name] === path && Object.keys(args.value).join() === Object.keys(value).join();
  return isSame ? args : (printed(value) ?? args);
}

/** Prints arguments; `undefined` if they are nested too deeply. */
export function printed(value: JsonObject): CallArguments | undefined {
  try {
    return { text: JSON.stringify(value), value };
  } catch {
    return undefined;
  }
}
