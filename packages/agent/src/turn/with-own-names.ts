import { findTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import { aliasesOf, type JsonObject, renameAliases } from "@ikigai/protocol";

/**
 * The arguments of a call to one of the system's tools, with the parameters' own names: what the user is asked about, what is
 * kept for a rewind and what the tool reads is then the same text. Other tools get what the model wrote.
 */
export function withOwnNames(name: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, name);
  if (tool?.scope !== "system") return args;
  const value = renameAliases(args.value, aliasesOf(tool.schema));
  if (Object.keys(args.value).join() === Object.keys(value).join()) return args;
  const text = print(value);
  return text === undefined ? args : { text, value };
}

/** Nothing when the value is nested deeper than can be printed. */
function print(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
