import { AgentError } from "@ikigai/session";
import { nearestWord } from "@ikigai/system";
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
  const known = namesIn(shape);
  const above = path.slice(0, index);
  const corrected = [...above, ...nearestPath(shape, path.slice(index))];
  // A user who omits or mistakes the section probably means the last part of a key.
  const endsWith = (end: string) => settingKeys().find((full) => full.endsWith(`.${end}`));
  const nearest = corrected.length > index ? corrected.join(".") : undefined;
  const meant = endsWith(key) ?? nearest ?? endsWith(path.at(-1) ?? "");
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const here =
    known.length === 0 ? "" : ` Known settings here: ${known.filter((one) => one !== "$schema").join(", ")}.`;
  return new AgentError("invalid_setting", `Unknown setting ${JSON.stringify(key)}.${advice}${here}`);
}

function namesIn(shape: Shape): string[] {
  return shape.type === "object" ? Object.keys(shape.keys) : [];
}

/** The names of settings that these are or misspell, as far down as there are any. */
function nearestPath(shape: Shape, [name, ...rest]: SettingPath): SettingPath {
  if (name === undefined) return [];
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  const found = shapeIn(shape, name) ? name : (other ?? nearestWord(name, namesIn(shape)));
  const inner = found === undefined ? undefined : shapeIn(shape, found);
  return found === undefined || inner === undefined ? [] : [found, ...nearestPath(inner, rest)];
}
