import { findTool, type Registry } from "@ikigai/core";
import { aliasesOf, type JsonObject, renameAliases } from "@ikigai/protocol";

/**
 * The arguments of a call to one of the system's tools, with the parameters' own names: what the user is asked about, what is
 * kept for a rewind and what the tool reads is then the same text. Other tools get what the model wrote.
 */
export function withOwnNames(name: string, json: string, registry: Registry): string {
  const tool = findTool(registry, name);
  if (tool?.scope !== "system") return json;
  const args = JSON.parse(json) as JsonObject;
  const renamed = renameAliases(args, aliasesOf(tool.schema));
  return Object.keys(args).join() === Object.keys(renamed).join() ? json : (print(renamed) ?? json);
}

/** Nothing when the value is nested deeper than can be printed. */
function print(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
