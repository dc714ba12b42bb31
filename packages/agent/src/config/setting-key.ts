import { nearestWord } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";
import { configShape, type Shape } from "./config-shape.ts";

/** The path of a setting: the names from the root down. */
export type SettingPath = readonly string[];

/**
 * Parses a dotted key, for instance `tools.bash.timeoutMs`.
 *
 * @throws AgentError `invalid_setting` if there is no such setting; the message names the nearest one.
 */
export function parseSettingKey(key: string): SettingPath {
  const path = key.split(".");
  let shape: Shape = configShape;
  for (const [index, name] of path.entries()) {
    const inner = shapeIn(shape, name);
    if (inner === undefined) throw unknownSetting(path, index, shape);
    shape = inner;
  }
  return path;
}

/** The shape of a setting; `undefined` if there is no such setting. */
function shapeAt(path: SettingPath): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape && shapeIn(shape, name), configShape);
}

function shapeIn(shape: Shape, name: string): Shape | undefined {
  if (shape.type === "map") return name === "" ? undefined : shape.values;
  return shape.type === "object" && Object.hasOwn(shape.keys, name) ? shape.keys[name] : undefined;
}

/** Lists every setting as a dotted key; for maps, the key of the map. */
export function settingKeys(shape: Shape = configShape, prefix = ""): string[] {
  if (shape.type !== "object") return prefix === "" ? [] : [prefix];
  return Object.entries(shape.keys).flatMap(([name, inner]) =>
    settingKeys(inner, prefix === "" ? name : `${prefix}.${name}`),
  );
}

/** What settings are called elsewhere: as an option, or by other agents. */
const otherNames: Readonly<Record<string, string>> = { maxTurns: "maxSteps", "max-turns": "maxSteps" };

/** @param shape the one in which the name at this index is unknown. */
function unknownSetting(path: SettingPath, index: number, shape: Shape): AgentError {
  const key = path.join(".");
  const known = shape.type === "object" ? Object.keys(shape.keys) : [];
  const name = path[index] ?? "";
  const above = path.slice(0, index);
  // A user who omits the section probably means the last part of a key.
  const elsewhere = settingKeys().find((full) => full.endsWith(`.${key}`));
  const nearest = (Object.hasOwn(otherNames, name) ? otherNames[name] : undefined) ?? nearestWord(name, known);
  const meant = elsewhere ?? (nearest && withRest([...above, nearest], path.slice(index + 1)).join("."));
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const here =
    known.length === 0 ? "" : ` Known settings here: ${known.filter((one) => one !== "$schema").join(", ")}.`;
  return new AgentError("invalid_setting", `Unknown setting ${JSON.stringify(key)}.${advice}${here}`);
}

/** The path with the rest of the key, as far as there is such a setting. */
function withRest(path: SettingPath, rest: SettingPath): SettingPath {
  const whole = [...path, ...rest];
  return shapeAt(whole) ? whole : path;
}
