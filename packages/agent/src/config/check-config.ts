// Checks a parsed `config.json` against its shape and drops what does not fit. In order: values by their shapes, rules with their
// examples, and what no shape can express: paths that are the whole disk, and settings of tools that would have no effect.

import { join } from "node:path";
import {
  isVerdict,
  matchesCommand,
  nameProblem,
  type PermissionRule,
  parseRule,
  ruleProblem,
} from "@ikigai/permission";
import { textStart, toolNamePattern } from "@ikigai/protocol";
import { nearestWord, realPathOf, userHome } from "@ikigai/system";
import { getNodeValue } from "jsonc-parser/lib/esm/impl/parser.js";
import type { Node } from "jsonc-parser/lib/esm/main.js";
import { configShape, pathPattern, type Shape } from "./config-shape.ts";

type Report = (problem: KeyProblem) => void;

/** Marks a value that is dropped from its object or list. */
const dropped = Symbol("dropped");

/** Sections that set limits. */
const guarded: readonly string[] = ["sandbox", "permission", "tools", "agents", "limits"];

/** Returns the configuration without the parts that do not match the shape; reports each of those. */
export function checkConfig(root: Node | undefined, report: Report): unknown {
  if (root === undefined) return {};
  const checked = checkShape(root, configShape, report);
  for (const problem of [...sandboxProblems(root), ...toolProblems(root)]) report(problem);
  return checked;
}

/** Returns the value without the parts that do not match the shape, an empty object if none does; reports each of those. */
export function checkShape(root: Node | undefined, shape: Shape, report: Report): unknown {
  const checked = root === undefined ? dropped : check(root, shape, "", report);
  return checked === dropped ? {} : checked;
}

function check(node: Node, shape: Shape, key: string, report: Report): unknown {
  const value: unknown = node.type === "object" || node.type === "array" ? undefined : node.value;
  switch (shape.type) {
    case "string":
      if (isStringOf(shape, value)) return value;
      return wrong(node, key, expectedString(shape), report);
    case "integer":
      if (isIntegerOf(shape, value)) return value;
      return wrong(node, key, expectedInteger(shape), report);
    case "amount":
      if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
      return wrong(node, key, "a number above 0", report);
    case "boolean":
      return typeof value === "boolean" ? value : wrong(node, key, "true or false", report);
    case "object":
      return checkObject(node, key, report, shape);
    case "map":
      return checkObject(node, key, report, shape);
    case "rules":
      if (node.type !== "array") return wrong(node, key, 'a list like [{ "allow": "bash(npm test)" }]', report);
      return (node.children ?? [])
        .map((rule, index) => checkRule(rule, `${key}[${index}]`, report))
        .filter((rule) => rule !== dropped);
    case "texts":
      if (!isTexts(node, shape.min)) return wrong(node, key, `a list like ${shape.example}`, report);
      return checkTexts(node, key, shape, report);
    case "paths":
      if (!isTexts(node)) return wrong(node, key, 'a list like ["~/builds"]', report);
      return checkTexts(node, key, { pattern: pathPattern, form: pathForm }, report);
    default:
      return shape satisfies never;
  }
}

type StringShape = Extract<Shape, { type: "string" }>;

function isStringOf({ oneOf, pattern }: StringShape, value: unknown): value is string {
  if (typeof value !== "string" || value === "") return false;
  return (oneOf?.includes(value) ?? true) && (pattern?.test(value) ?? true);
}

const pathForm = "a path that begins with / or ~/ and has no $, * or ? (they are not expanded)";

/** Texts that match the pattern. */
function checkTexts(
  node: Node,
  key: string,
  { pattern, form = "" }: { readonly pattern?: RegExp; readonly form?: string },
  report: Report,
): unknown {
  return (node.children ?? [])
    .map((text, index) =>
      pattern?.test(text.value) === false ? wrong(text, `${key}[${index}]`, form, report) : text.value,
    )
    .filter((text) => text !== dropped);
}

function isTexts({ type, children = [] }: Node, min = 0): boolean {
  return (
    type === "array" && children.length >= min && children.every((one) => one.type === "string" && one.value !== "")
  );
}

type MapShape = Extract<Shape, { type: "map" }>;
type ObjectShape = Extract<Shape, { type: "object" }>;

/** Each member has the shape for its name; those of a map share one or two shapes. */
function checkObject(node: Node, key: string, report: Report, shapes: MapShape | ObjectShape): unknown {
  if (node.type !== "object") return wrong(node, key, "an object", report);
  const members = new Map<string, unknown>();
  const seen = new Set<string>();
  for (const { children: [nameNode, valueNode] = [] } of node.children ?? []) {
    if (!nameNode || !valueNode) continue;
    const name = String(nameNode.value);
    const path = key ? `${key}.${name}` : name;
    const isTwice = seen.has(name);
    const problem = isTwice ? `"${path}" is set twice. Remove one.` : unknownKey(name, path, shapes);
    seen.add(name);
    if (problem !== undefined) {
      const isFatal = isGuarded(path);
      report({ key: path, message: problem, offset: nameNode.offset, isFatal, ...(!isTwice && { isDropped: true }) });
      continue;
    }
    const checked = check(valueNode, shapeOf(shapes, name) ?? configShape, path, report);
    if (checked !== dropped) members.set(name, checked);
  }
  return Object.fromEntries(members);
}

function shapeOf(shapes: MapShape | ObjectShape, name: string): Shape | undefined {
  if (shapes.type === "map") return (name.endsWith("*") ? shapes.patterns : undefined) ?? shapes.values;
  return Object.hasOwn(shapes.keys, name) ? shapes.keys[name] : undefined;
}

function unknownKey(name: string, path: string, shapes: MapShape | ObjectShape): string | undefined {
  if (shapes.type === "map") {
    const { patterns, names } = shapes;
    if (names && !names.pattern.test(name)) return `"${path}" is not a valid name: use ${names.form}.`;
    return patterns && patternProblem(name, path);
  }
  const { keys, noun = "setting", refused } = shapes;
  if (Object.hasOwn(keys, name)) return undefined;
  if (refused?.names.includes(name)) return `"${path}" ${refused.message}`;
  const known = Object.keys(keys);
  const nearest = nearestWord(name, known);
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return `Unknown ${noun} "${path}".${meant} Known ${noun}s here: ${known.filter((one) => one !== "$schema").join(", ")}.`;
}

/** A pattern that matches nothing would leave its tools without the settings. */
function patternProblem(name: string, path: string): string | undefined {
  const problem = name.includes("*") ? nameProblem(name) : undefined;
  return problem && `"${path}" is not a tool name: ${problem.message}`;
}

/** Whether a key is under one of the sections that set limits, or probably meant to be. */
function isGuarded(key: string): boolean {
  const [top = ""] = key.split(/[.[]/);
  return key === "" || guarded.includes(top) || guarded.includes(nearestWord(top, Object.keys(configShape.keys)) ?? "");
}

/** The examples that a rule may have: what it must match, and what it must not. */
const exampleNames = ["matches", "not"] as const;

function checkRule(node: Node, key: string, report: Report): unknown {
  const members = new Map(
    (node.type === "object" ? (node.children ?? []) : []).map(({ children: [name, value] = [] }) => [
      name?.value,
      value,
    ]),
  );
  const given = [...members].filter(([name]) => !exampleNames.some((one) => one === name));
  const [[verdict, valueNode] = [], second] = given;
  if (!isVerdict(verdict) || second || members.size !== node.children?.length || valueNode?.type !== "string")
    return wrong(node, key, '{ "allow" | "ask" | "deny": "tool" or "tool(pattern)" }', report);
  const rule = String(valueNode.value);
  const problem = ruleProblem(rule, verdict);
  if (problem !== undefined) {
    const { index, message } = problem;
    // If the text has escapes, a character's offset in the file is unknown.
    const inText = valueNode.length === rule.length + 2 ? 1 + index : 0;
    const offset = valueNode.offset + inText;
    report({ key, message: `${JSON.stringify(rule)} is not a rule: ${message}`, offset, isFatal: true });
    return dropped;
  }
  for (const name of exampleNames) {
    const examples = members.get(name);
    if (examples === undefined) continue;
    if (!isTexts(examples)) return wrong(examples, `${key}.${name}`, 'a list like ["git push --force"]', report);
    for (const example of examples.children ?? []) {
      const message = exampleProblem({ verdict, rule }, name, String(example.value));
      if (message !== undefined) report({ key, message, offset: example.offset, isFatal: true });
    }
  }
  return { verdict, rule };
}

/** Why a rule does not do what its example says. */
function exampleProblem(
  rule: PermissionRule,
  name: (typeof exampleNames)[number],
  example: string,
): string | undefined {
  const parts = parseRule(rule.rule);
  if (parts?.tool !== "bash") return `"${name}" has commands, so it is only for rules about bash, not ${rule.rule}.`;
  const isMatch = matchesCommand(rule.verdict, parts.pattern, example);
  if (isMatch === (name === "matches")) return undefined;
  const does = isMatch ? "matches" : "does not match";
  return `${rule.rule} ${does} ${JSON.stringify(example)}, an example in "${name}". Change the rule or the example.`;
}

type IntegerShape = Extract<Shape, { type: "integer" }>;

function isIntegerOf({ min, max = Number.MAX_SAFE_INTEGER }: IntegerShape, value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;
}

function expectedInteger({ min, max }: IntegerShape): string {
  return max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
}

function expectedString({ oneOf, example }: StringShape): string {
  if (oneOf) return oneOf.map((one) => `"${one}"`).join(" or ");
  return example ? `a string like "${example}"` : "a string";
}

function wrong(node: Node, key: string, expected: string, report: Report): typeof dropped {
  const got = isSecret(key) ? "something else" : textStart(JSON.stringify(getNodeValue(node)) ?? "nothing", 60);
  const message = `Expected ${key ? `"${key}"` : "the file"} to be ${expected}, got ${got}.`;
  report({ key, message, offset: node.offset, isFatal: isGuarded(key), isDropped: true });
  return dropped;
}

/** Any value under `providers` may be a key. */
function isSecret(key: string): boolean {
  return key.startsWith("providers");
}

/** Why the whole disk cannot be in a list. */
const reasons: Readonly<Record<string, string>> = {
  writable: "the sandbox cannot make the whole disk writable",
  readable: "the sandbox shows the disk anyway, so name what it hides",
  hidden: "no tool can start without its files",
};

/** Returns the paths that are the whole disk, however they are written: they would have no effect, or stop every tool. */
function sandboxProblems(root: Node): KeyProblem[] {
  const sandboxes = membersOf(root).filter(({ name }) => name === "sandbox");
  const lists = sandboxes.flatMap(({ value }) => membersOf(value).filter(({ name }) => Object.hasOwn(reasons, name)));
  return lists.flatMap(({ name, value: { children = [] } }) =>
    children.flatMap(({ value, offset }, index) => {
      if (typeof value !== "string" || !isWholeDisk(value)) return [];
      const key = `sandbox.${name}[${index}]`;
      const path = value === "/" ? "" : ", which is /";
      const message = `Expected "${key}" to be a path below /, got ${JSON.stringify(value)}${path}: ${reasons[name]}.`;
      return [{ key, message, offset, isFatal: true }];
    }),
  );
}

function isWholeDisk(path: string): boolean {
  const home = userHome();
  if (path.startsWith("/")) return realPathOf(path) === "/";
  // Another form is refused by its pattern.
  return /^~(?:\/|$)/.test(path) && home !== undefined && realPathOf(join(home, path.slice(1))) === "/";
}

/** Settings that only a launcher uses. */
const needLauncher: readonly string[] = ["path", "directory", "remoteShell"];

/** A shell's absolute path. */
const shellPath = /^\/(?:.*\/)?(?:bash|sh|dash|zsh|fish)$/;

/**
 * Returns the tools' settings that must not be ignored: those that say where a tool runs and have no effect, since a tool that is
 * meant to run elsewhere would run here, and shells that no tool knows.
 */
export function toolProblems(root: Node): KeyProblem[] {
  const tools = membersOf(root).filter(({ name }) => name === "tools");
  return tools.flatMap(({ value }) =>
    membersOf(value).flatMap(({ name, value: settings }) => {
      const set = membersOf(settings);
      return [...launcherProblems(name, set), ...shellProblems(name, set)];
    }),
  );
}

function shellProblems(tool: string, settings: readonly Member[]): KeyProblem[] {
  return settings.flatMap(({ name, offset, value: { type, value } }) => {
    if (name !== "shell" || type !== "string" || shellPath.test(value)) return [];
    const key = `tools.${tool}.shell`;
    const message = `Expected "${key}" to be the absolute path of bash, sh, dash, zsh or fish, got ${JSON.stringify(value)}.`;
    return [{ key, message, offset, isFatal: true }];
  });
}

function launcherProblems(tool: string, settings: readonly Member[]): KeyProblem[] {
  // A pattern cannot have these settings.
  if (tool.endsWith("*")) return [];
  const launcher = settings.find(({ name }) => name === "launcher");
  if (!launcher) {
    return settings
      .filter(({ name }) => needLauncher.includes(name))
      .map(({ name, offset }) => {
        const key = `tools.${tool}.${name}`;
        const message = `"${key}" has no effect without "tools.${tool}.launcher". Set the launcher, or remove it.`;
        return { key, message, offset, isFatal: true };
      });
  }
  if (toolNamePattern.test(tool)) return [];
  const key = `tools.${tool}.launcher`;
  const message = `${JSON.stringify(tool)} is not a tool name, so no tool would use this launcher. A name begins with a letter and has letters, digits and _.`;
  return [{ key, message, offset: launcher.offset, isFatal: true }];
}

/** A problem with one key. */
export interface KeyProblem {
  readonly key: string;
  readonly message: string;
  readonly offset: number;
  /** Whether it concerns a limit: dropping it would lift that limit. */
  readonly isFatal: boolean;
  /** The setting is unknown or its value has the wrong shape: it is dropped. */
  readonly isDropped?: true;
}

/** A name of an object and its value. */
export interface Member {
  readonly name: string;
  /** Where the name is in the text. */
  readonly offset: number;
  readonly value: Node;
}

/** The members of an object, also those with a name twice; none of anything else. */
export function membersOf({ type, children = [] }: Node): Member[] {
  if (type !== "object") return [];
  return children.flatMap(({ children: [name, value] = [] }) => {
    return name && value ? [{ name: String(name.value), offset: name.offset, value }] : [];
  });
}
