import { findTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import { aliasesOf, type JsonObject, renameAliases } from "@ikigai/protocol";

/**
 * Returns the arguments of a system tool's call under the parameters' own names, so that the question, the checkpoint and
 * the tool all use the same text. Other tools get what the model wrote.
 */
export function withOwnNames(name: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, name);
  if (tool?.scope !== "system") return args;
  const value = renameAliases(args.value, aliasesOf(tool.schema));
  if (Object.keys(args.value).join() === Object.keys(value).join()) return args;
  return printed(value) ?? args;
}

/** Prints arguments; `undefined` if they are nested too deeply. */
export function printed(value: JsonObject): CallArguments | undefined {
  try {
    return { text: JSON.stringify(value), value };
  } catch {
    return undefined;
  }
}
