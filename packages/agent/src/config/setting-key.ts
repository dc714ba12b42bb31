import { nearestWord } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";
import { configShape, type Shape } from "./config-shape.ts";

/** The path of a setting: the names from the top down. */
export type SettingPath = readonly string[];

/**
 * Reads a dotted key, for instance `tools.bash.timeoutMs`.
 *
 * @throws AgentError `invalid_setting` when the configuration has no such setting; it names the nearest one.
 */
export function parseSettingKey(key: string): SettingPath {
  const path = key.split(".");
  let shape: Shape = configShape;
  for (const [index, name] of path.entries()) {
    const inner = shapeIn(shape, name);
    if (inner === undefined) throw unknownSetting(key, path.slice(0, index), shape, name);
    shape = inner;
  }
  return path;
}

function shapeIn(shape: Shape, name: string): Shape | undefined {
  if (shape.type === "map") return name === "" ? undefined : shape.values;
  return shape.type === "object" && Object.hasOwn(shape.keys, name) ? shape.keys[name] : undefined;
}

/** Every setting, as a dotted key; of those with a name of their own, the part before it. */
export function settingKeys(shape: Shape = configShape, prefix = ""): string[] {
  if (shape.type !== "object") return prefix === "" ? [] : [prefix];
  return Object.entries(shape.keys).flatMap(([name, inner]) =>
    settingKeys(inner, prefix === "" ? name : `${prefix}.${name}`),
  );
}

function unknownSetting(key: string, above: SettingPath, shape: Shape, name: string): AgentError {
  const known = shape.type === "object" ? Object.keys(shape.keys) : [];
  const prefix = above.map((part) => `${part}.`).join("");
  // Somebody who leaves the section out is most likely looking for the last part of a key.
  const elsewhere = settingKeys().find((full) => full.endsWith(`.${key}`));
  const nearest = nearestWord(name, known);
  const meant = elsewhere ?? (nearest === undefined ? undefined : `${prefix}${nearest}`);
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const here = known.length === 0 ? "" : ` Known here: ${known.filter((one) => one !== "$schema").join(", ")}.`;
  return new AgentError("invalid_setting", `There is no setting ${JSON.stringify(key)}.${advice}${here}`);
}
