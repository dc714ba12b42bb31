// Changes the user's configuration and keeps its comments and layout. In order: the keys of settings, the file as a whole, edits of
// its text, settings by their keys, and rules.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type PermissionRule, placeOfRule, type RulePlace, realTarget, type Verdict } from "@ikigai/permission";
import { isJsonObject } from "@ikigai/protocol";
import { AgentError, type AgentErrorCode, fromSystem } from "@ikigai/session";
import { Lock, makePrivateDirectory, nearestWord, writePrivateFile } from "@ikigai/system";
import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from "jsonc-parser/lib/esm/main.js";
import { checkConfig } from "./check-config.ts";
import { placeOf, renderConfigProblem } from "./config.ts";
import { configShape, type Shape } from "./config-shape.ts";
import { configPath, directoryProblem, readConfigFile } from "./read-config.ts";

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
  const known = namesBelow(shape);
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

function namesBelow(shape: Shape): string[] {
  return shape.type === "object" ? Object.keys(shape.keys) : [];
}

/** The names of settings that these are or misspell, as far down as there are any. */
function nearestPath(shape: Shape, [name, ...rest]: SettingPath): SettingPath {
  if (name === undefined) return [];
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  const found = shapeIn(shape, name) ? name : (other ?? nearestWord(name, namesBelow(shape)));
  const inner = found === undefined ? undefined : shapeIn(shape, found);
  return found === undefined || inner === undefined ? [] : [found, ...nearestPath(inner, rest)];
}

/** How long to wait for another process to finish writing the configuration, in milliseconds. */
const patienceMs = 5_000;

/**
 * Replaces the text of the user's `config.json` under a lock; a missing or empty file reads as `{}`. If the file is a
 * symlink, its target is written. Unchanged text is not written.
 *
 * @param change gets the text, and the path for its errors.
 * @throws AgentError `code` if the file cannot be read as configuration or another process holds the lock; the system's
 * error if it cannot be written; what `change` throws. The file is then unchanged.
 */
function changeConfigFile(home: string, code: AgentErrorCode, change: (text: string, path: string) => string): void {
  const path = realTarget(configPath(home), home) ?? configPath(home);
  if (!existsSync(dirname(path))) {
    // A wrong change is reported before anything is created.
    const text = configText(home, code);
    if (change(text, path) === text) return;
  }
  makePrivateDirectory(dirname(path));
  const problem = directoryProblem(dirname(path));
  if (problem !== undefined) throw new AgentError(code, `${path}: This file ${problem}`);
  const lock = new Lock(`${path}.lock`);
  try {
    lock.takeSync(patienceMs);
    const text = configText(home, code);
    const changed = change(text, path);
    if (changed !== text) writePrivateFile(path, changed);
  } catch (error) {
    throw fromSystem(error, code);
  } finally {
    lock.release();
  }
}

/**
 * Returns the text of the user's `config.json`, whether or not it parses; `{}` if it does not exist or is empty.
 *
 * @throws AgentError `code` if it cannot be read or others can write it.
 */
export function configText(home: string, code: AgentErrorCode = "config"): string {
  const path = configPath(home);
  const reading = readConfigFile(path);
  if ("problem" in reading) throw new AgentError(code, `${path}: This file ${reading.problem}`);
  return reading.text.trim() === "" ? "{}\n" : reading.text;
}

/**
 * Replaces the whole text of `config.json`, unless it has changed since `before` was read.
 *
 * @throws AgentError `config_not_saved`; the system's error if it cannot be written. The file is then unchanged.
 */
export function replaceConfigText(home: string, before: string, after: string): void {
  changeConfigFile(home, "config_not_saved", (text, path) => {
    if (text === before) return after;
    throw new AgentError("config_not_saved", `${path} has changed since you opened it.`);
  });
}

/** Formats new lines like those in a text. */
function formattingOf(text: string): FormattingOptions {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/**
 * Inserts an item into a list in a text, at an index that is not 0: below the item before it and the comment at the end of
 * that line, which the parser's `modify` would move to the new item.
 */
function insertItem(text: string, path: JSONPath, item: Readonly<Record<string, string>>): string {
  const list = nodeAt(text, path.slice(0, -1));
  const before = list?.children?.[Number(path.at(-1)) - 1] ?? failed(path);
  const content = `{ ${Object.entries(item).map((member) => member.map((part) => JSON.stringify(part)).join(": "))} }`;
  return insertAfter(text, before, () => content);
}

/**
 * Inserts a property as the last one of an object in a text that has others, like `insertItem`; `undefined` if there is no such object,
 * or it is empty or has the property.
 *
 * @param unit the white space of one level of indentation.
 */
function insertProperty(text: string, path: JSONPath, value: unknown, unit: string): string | undefined {
  const object = nodeAt(text, path.slice(0, -1));
  const before = object?.type === "object" ? object.children?.at(-1) : undefined;
  if (before === undefined || nodeAt(text, path) !== undefined) return undefined;
  const name = `${JSON.stringify(path.at(-1))}: `;
  return insertAfter(text, before, (lineStart) =>
    lineStart === undefined
      ? `${name}${JSON.stringify(value)}`
      : `${name}${JSON.stringify(value, undefined, unit).replaceAll("\n", lineStart)}`,
  );
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, path);
}

/** @param contentFor gets the line break and indentation of the new line; `undefined` if the content stays on the line of the item before. */
function insertAfter(text: string, before: Node, contentFor: (lineStart: string | undefined) => string): string {
  const end = before.offset + before.length;
  const comma = commaAfter(text, end);
  const after = comma === undefined ? end : comma + 1;
  const lineStart = text.lastIndexOf("\n", before.offset) + 1;
  const [indent = ""] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  const isAtLineStart = lineStart + indent.length === before.offset;
  const [comment, lineEnd] = /^(?:[ \t]|\/\*[^\n]*?\*\/)*(?:\/\/[^\r\n]*)?(\r?\n)/.exec(text.slice(after)) ?? [];
  const isOwnLine = isAtLineStart && comment !== undefined && lineEnd !== undefined;
  const at = isOwnLine ? after + comment.length - lineEnd.length : after;
  const start = isOwnLine ? `${lineEnd}${indent}` : undefined;
  const inserted = `${start ?? " "}${contentFor(start)}${comma === undefined ? "" : ","}`;
  const withItem = text.slice(0, at) + inserted + text.slice(at);
  return comma === undefined ? `${withItem.slice(0, end)},${withItem.slice(end)}` : withItem;
}

function failed(path: JSONPath): never {
  throw new Error(`The list has no item before ${path.join(".")}.`);
}

/**
 * Removes one member of a list or object from a text, with the comma that is no longer needed. Keeps all comments: the
 * parser's `modify` loses some and cuts others in half.
 */
function removeItem(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value = root && findNodeAtLocation(root, path);
  // A property consists of its name and value.
  const node = value?.parent?.type === "property" ? value.parent : value;
  if (!node) return text;
  const list = node.parent?.children ?? [];
  const before = list[list.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma = commaAfter(text, end) ?? (before && commaAfter(text, before.offset + before.length));
  const cuts = [{ from: node.offset, to: end }, ...(comma === undefined ? [] : [{ from: comma, to: comma + 1 }])];
  return cuts.sort((one, other) => other.from - one.from).reduce(cut, text);
}

/** The offset of the next token if it is a comma. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** Also removes the rest of a line that becomes empty. */
function cut(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  const left = text.slice(0, from) + text.slice(to);
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = left.indexOf("\n", from);
  const isEmpty = start > 0 && next !== -1 && left.slice(start, next).trim() === "";
  return isEmpty ? left.slice(0, start) + left.slice(next + 1) : left;
}

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

/**
 * Sets a member in a text of JSON, which may have comments: they stay where they are, and new lines are indented like the others.
 *
 * @param keys its path, from the outermost object.
 */
export function withProperty(text: string, keys: string[], value: unknown): string {
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

/**
 * Adds a rule to the `config.json` in a directory of `rulesDirectory`: a deny rule first, any other directly below the last deny rule, so that it never
 * cancels one; with `isLast` below all, so that the user's own count first. Everything else stays unchanged, including comments and
 * whitespace. Concurrent changes by other processes are kept.
 *
 * @throws Error if the file cannot be read as configuration or cannot be written; it is then unchanged.
 */
export function saveRule(directory: string, { verdict, rule }: PermissionRule, { isLast = false } = {}): void {
  const added = { [verdict]: rule };
  const indexIn = (rules: readonly unknown[]) => (isLast ? rules.length : placeIn(rules, verdict));
  changeRules(directory, {
    rules: (rules = []) => rules.toSpliced(indexIn(rules), 0, added),
    text: (text, rules) => {
      const index = indexIn(rules ?? []);
      if (index > 0) return insertItem(text, ["permission", "rules", index], added);
      const isArrayInsertion = rules !== undefined;
      const path = ["permission", "rules", ...(isArrayInsertion ? [0] : [])];
      const formattingOptions = formattingOf(text);
      return applyEdits(text, modify(text, path, rules ? added : [added], { formattingOptions, isArrayInsertion }));
    },
  });
}

function placeIn(rules: readonly unknown[], verdict: Verdict): number {
  const isDeny = rules.map((rule) => isJsonObject(rule) && Object.hasOwn(rule, "deny"));
  return placeOfRule(verdict, isDeny);
}

/** Tells the user which rule was saved, and for what; /permissions shows and removes it. */
export function savedRuleText({ verdict, rule }: PermissionRule, where: RulePlace): string {
  return `Saved for ${where === "project" ? "this project" : "all projects"}: ${verdict} ${rule}`;
}

/**
 * Removes a rule from where it was saved, if it is there.
 *
 * @throws as `saveRule` does.
 */
export function removeRule(directory: string, { verdict, rule }: PermissionRule): void {
  const isMeant = (kept: unknown) => (kept as Record<string, unknown> | null)?.[verdict] === rule;
  changeRules(directory, {
    rules: (rules) => rules?.filter((kept) => !isMeant(kept)),
    text: (text, rules = []) => {
      const meant = rules.flatMap((kept, index) => (isMeant(kept) ? [index] : []));
      // Starting with the last, so that the other indexes stay valid.
      return meant.reduceRight((left, index) => removeItem(left, ["permission", "rules", index]), text);
    },
  });
}

/** The rules in the file; `undefined` if it has no list of them. */
type Rules = readonly unknown[] | undefined;

/** A change of the rules, and the same change of their text. */
interface RuleChange {
  rules(rules: Rules): Rules;
  text(text: string, rules: Rules): string;
}

function changeRules(home: string, change: RuleChange): void {
  changeConfigFile(home, "rule_not_saved", (text, path) => {
    const rules = rulesIn(text, path);
    const wanted = change.rules(rules);
    if (isSame(wanted, rules)) return text;
    const changed = change.text(text, rules);
    // A comment in an odd place must not remove a rule.
    if (isSame(rulesIn(changed, path), wanted)) return changed;
    throw new AgentError(
      "rule_not_saved",
      `${path} cannot be changed without losing content. Edit "permission.rules" by hand.`,
    );
  });
}

/** @throws AgentError `rule_not_saved` if rules cannot be added to the file. */
function rulesIn(text: string, path: string): Rules {
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) {
    const problem = { path, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    throw new AgentError("rule_not_saved", `${renderConfigProblem(problem)}\nFix it first.`);
  }
  const config: unknown = parsed.root && getNodeValue(parsed.root);
  if (!isJsonObject(config)) throw new AgentError("rule_not_saved", `${path} is not a JSON object. Fix it first.`);
  if (config.permission === undefined) return undefined;
  if (!isJsonObject(config.permission))
    throw new AgentError("rule_not_saved", `In ${path}, "permission" is not an object. Fix it first.`);
  const { rules } = config.permission;
  if (rules !== undefined && !Array.isArray(rules))
    throw new AgentError("rule_not_saved", `In ${path}, "permission.rules" is not a list. Fix it first.`);
  return rules;
}

function isSame(one: Rules, other: Rules): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
