import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@ikigai/protocol";
import { AgentError } from "@ikigai/session";
import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import { applyEdits, findNodeAtLocation, getNodeValue, modify } from "jsonc-parser/lib/esm/main.js";
import { changeConfigFile, formattingOf } from "./change-config-file.ts";
import { insertProperty, removeItem } from "./change-items.ts";
import { checkConfig } from "./check-config.ts";
import { renderConfigProblem } from "./config-error.ts";
import { placeOf } from "./config-place.ts";
import { parseSettingKey, type SettingPath } from "./setting-key.ts";

/** A setting by its dotted key, and its new value as JSON; without a value it is removed. */
export interface SettingChange {
  readonly key: string;
  readonly value?: unknown;
}

/**
 * Changes settings in the user's `config.json`, all or none, and keeps the file's comments and formatting. Concurrent
 * changes by other processes are kept too. Any key of the file can be removed, known or not; problems elsewhere in the file
 * stay.
 *
 * An object that a removal leaves empty is removed too, unless it holds a comment.
 *
 * @returns the previous values as in the file, in the order of the changes; `undefined` for what was not set.
 * @throws AgentError `invalid_setting` if there is no such setting or its value is wrong (the message says what was
 * expected); `config` if the file cannot be parsed; `config_not_saved` if it cannot be changed; the system's error. The
 * file is then unchanged.
 */
export function changeSettings(home: string, changes: readonly SettingChange[]): readonly unknown[] {
  for (const { key, value } of changes) if (value !== undefined) parseSettingKey(key);
  let previous: readonly unknown[] = [];
  changeConfigFile(home, "config_not_saved", (text, path) => {
    const config = valueIn(text, path);
    const wanted = changes.map(({ key, value }) => ({ path: pathIn(config, key) ?? parseSettingKey(key), value }));
    previous = wanted.map((change) => objectAbove(config, change.path, path)?.[change.path.at(-1) ?? ""]);
    const changed = wanted.reduce((before, change) => withChange(before, change, path), text);
    for (const { key, value } of changes) if (value !== undefined) checkValue(changed, key);
    return changed;
  });
  return previous;
}

/** The path of a dotted key that is in the file, where a name may contain dots; `undefined` if it is not. */
function pathIn(config: unknown, key: string): SettingPath | undefined {
  if (!isJsonObject(config)) return undefined;
  for (const name of Object.keys(config)) {
    const rest = key.startsWith(`${name}.`) ? pathIn(config[name], key.slice(name.length + 1)) : undefined;
    if (rest) return [name, ...rest];
  }
  return Object.hasOwn(config, key) ? [key] : undefined;
}

interface Change {
  readonly path: SettingPath;
  readonly value: unknown;
}

function withChange(text: string, { path, value }: Change, file: string): string {
  const config = valueIn(text, file);
  const keys = [...path];
  const above = objectAbove(config, path, file);
  const name = keys.at(-1) ?? "";
  if (value === undefined && (above === undefined || !Object.hasOwn(above, name))) return text;
  const changed = value === undefined ? removeItem(text, keys) : withProperty(text, keys, value);
  // A comment in an odd place or a duplicate key must not change another setting.
  if (isDeepStrictEqual(valueIn(changed, file), withValue(config, path, value)))
    return value === undefined ? withoutEmpty(changed, keys.slice(0, -1), file) : changed;
  throw new AgentError(
    "config_not_saved",
    `${file} cannot be changed without a loss. Change ${keys.join(".")} by hand.`,
  );
}

function withProperty(text: string, keys: string[], value: unknown): string {
  const formattingOptions = formattingOf(text);
  const { insertSpaces, tabSize = 0 } = formattingOptions;
  const unit = insertSpaces ? " ".repeat(tabSize) : "\t";
  // The first missing object is new, with all that is in it.
  for (let depth = 1; depth <= keys.length; depth += 1) {
    const inner = keys.slice(depth).reduceRight<unknown>((content, key) => ({ [key]: content }), value);
    const changed = insertProperty(text, keys.slice(0, depth), inner, unit);
    if (changed !== undefined) return changed;
  }
  return applyEdits(text, modify(text, keys, value, { formattingOptions }));
}

/** Removes an object that has become empty, and then those above it. */
function withoutEmpty(text: string, path: string[], file: string): string {
  const parsed = parseJsonWithComments(text);
  const node = "root" in parsed && parsed.root && path.length > 0 ? findNodeAtLocation(parsed.root, path) : undefined;
  if (!node || !/^\{\s*\}$/.test(text.slice(node.offset, node.offset + node.length))) return text;
  return withChange(text, { path, value: undefined }, file);
}

/** @throws AgentError `config` if the text holds no object. */
function valueIn(text: string, file: string): Readonly<Record<string, unknown>> {
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) {
    const problem = { path: file, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    throw new AgentError("config", `${renderConfigProblem(problem)}\n${fixFirst}`);
  }
  // The parser's objects have no prototype, which matters when comparing them.
  const config: unknown = structuredClone(parsed.root && getNodeValue(parsed.root));
  if (isJsonObject(config)) return config;
  throw new AgentError("config", `${file} is not a JSON object. ${fixFirst}`);
}

const fixFirst = "Nothing was changed. Fix this file first, in any editor; ikigai doctor checks it.";

/** The object that holds the setting; `undefined` if it does not exist yet. */
function objectAbove(config: Readonly<Record<string, unknown>>, path: SettingPath, file: string) {
  let current: Readonly<Record<string, unknown>> = config;
  for (const [index, name] of path.slice(0, -1).entries()) {
    const inner = Object.hasOwn(current, name) ? current[name] : undefined;
    if (inner === undefined) return undefined;
    if (!isJsonObject(inner)) {
      const key = path.slice(0, index + 1).join(".");
      throw new AgentError("config", `In ${file}, "${key}" is not an object. ${fixFirst}`);
    }
    current = inner;
  }
  return current;
}

function withValue(config: unknown, [name = "", ...rest]: SettingPath, value: unknown): unknown {
  const { [name]: inner, ...others } = isJsonObject(config) ? config : {};
  if (rest.length > 0) return { ...others, [name]: withValue(inner, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
}

/** @throws AgentError `invalid_setting` with the checker's message about the setting. */
function checkValue(text: string, key: string): void {
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) return;
  const found: string[] = [];
  checkConfig(parsed.root, ({ key: at, message }) => {
    const isBelow = at.startsWith(`${key}.`) || at.startsWith(`${key}[`);
    if (at === key || isBelow || key.startsWith(`${at}.`)) found.push(message);
  });
  if (found.length > 0) throw new AgentError("invalid_setting", `${found.join("\n")}\nNothing was changed.`);
}
