import { accessParameterKeys, isJsonObject, type JsonObject, optionalParameterKeys } from "@ikigai/protocol";
import { parameterCalled } from "./parameters-of.ts";

/** Describes what is wrong with `ikigai.access` of a schema, one sentence each. */
export function accessProblems(schema: JsonObject): string[] {
  const { ikigai } = schema;
  if (!isJsonObject(ikigai) || !isJsonObject(ikigai.access)) return [];
  const { kind, ...names } = ikigai.access;
  const known = Object.entries(accessParameterKeys).find(([one]) => one === kind);
  const optional = Object.entries(optionalParameterKeys).find(([one]) => one === kind)?.[1];
  if (known === undefined) {
    const kinds = Object.keys(accessParameterKeys).join(", ");
    return [`Expected "ikigai.access.kind" to be one of ${kinds}, got ${JSON.stringify(kind) ?? "nothing"}.`];
  }
  return known[1].flatMap((key) => {
    const name = names[key];
    if (name === undefined && optional?.includes(key)) return [];
    if (name === undefined)
      return [`"ikigai.access" lacks "${key}": kind "${known[0]}" needs the name of the parameter with the ${key}.`];
    if (isJsonObject(parameterCalled(name, schema))) return [];
    return [`Expected "ikigai.access.${key}" to be the name of a parameter, got ${JSON.stringify(name)}.`];
  });
}
