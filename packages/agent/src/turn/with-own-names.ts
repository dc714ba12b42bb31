import { findTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import { argumentsRead, declaredAccess, withMeantPath } from "@ikigai/permission";
import { coerceArguments, type JsonObject } from "@ikigai/protocol";

/**
 * Returns the arguments of a call as its tool reads them, so that the rules, the question, the checkpoint and the tool all use the same
 * text. A system tool's have the parameters' own names. A tool that overrides a system tool gets its path as an absolute one, too.
 */
export function withOwnNames(called: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, called);
  if (!tool) return args;
  const declared = declaredAccess(tool);
  const isSystem = declared.by === "system" && tool.scope === "system";
  const value = isSystem
    ? argumentsRead(args.value, declared)
    : withMeantPath(coerceArguments(args.value, tool.schema.parameters), declared);
  return value === args.value ? args : (printed(value) ?? args);
}

/** Prints arguments; `undefined` if they are nested too deeply. */
export function printed(value: JsonObject): CallArguments | undefined {
  try {
    return { text: JSON.stringify(value), value };
  } catch {
    return undefined;
  }
}
