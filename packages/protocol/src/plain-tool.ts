// Plain tools: scripts whose comments describe them, in the tags of argc (https://github.com/sigoden/argc). The description is read,
// never run. In reading order: comment lines become tags, the tags of a command its parameters, and those its schema.
// `plain-call.ts` turns the arguments of a call into what the program gets.

import type { JsonObject, JsonValue } from "./json.ts";
import type { ToolNeeds } from "./needs.ts";
import { type KnownSchema, readToolSchema } from "./read-tool-schema.ts";
import { toolNamePattern } from "./tool-schema.ts";

/** How much of a file is searched for tags, in bytes. */
export const plainHeaderBytes = 16_384;

/** What a parameter of a plain tool takes: a text, a number, nothing (`flag`), or nothing several times (`count`). */
export type PlainType = "string" | "integer" | "number" | "flag" | "count";

/** A parameter of a plain tool, and how the program gets it. */
export interface PlainParameter {
  /** As the model writes it: `dry_run`. */
  readonly name: string;
  /** As the program gets it: `--dry-run`. Absent for an operand. */
  readonly word?: string;
  /** What it takes. */
  readonly type: PlainType;
  /** Whether it takes several values. */
  readonly isList?: true;
  /** Whether a call must have it. */
  readonly isRequired?: true;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** The value if none is given. */
  readonly fallback?: string;
  /** The script's function that prints that value. */
  readonly computed?: string;
  /** What it is for. */
  readonly description?: string;
}

/** How a host calls a plain tool. */
export interface PlainCall {
  /** The first word: one of several commands of a file. */
  readonly command?: string;
  /** In the order in which the file declares them. */
  readonly parameters: readonly PlainParameter[];
  /** Variables without which a call fails. */
  readonly requiredEnv?: readonly string[];
  /** Whether the file does not name its interpreter: bash runs it. */
  readonly isBare?: true;
}

/** A plain tool with its schema; `schema.name` is its name. */
export interface PlainTool extends KnownSchema {
  /** How a host calls it. */
  readonly plain: PlainCall;
}

/** What is wrong with a tag, and where. Lines and columns start at 1; columns count UTF-16 units. */
export interface PlainProblem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** The whole line. */
  readonly text: string;
  /** What was expected there, and what to write: a clause. */
  readonly expected: string;
}

/**
 * Reads what the comments of a file say: the tools that it is, one unless it has `@cmd`s; `undefined` if it has no `@describe` and no
 * `@cmd` in a comment, or is a binary. Never throws.
 *
 * @param header the first `plainHeaderBytes` of the file, or of a file beside it that describes it.
 * @param name the tool's name from its file.
 *
 * @example
 * const reading = readPlainTools("# @describe Greet a person\n# @option --name! Whom to greet\n", "hello");
 * // { tools: [{ schema: { name: "hello", parameters: { … } }, plain: { parameters: [{ name: "name", word: "--name", … }] } }] }
 */
export function readPlainTools(
  header: string,
  name: string,
): { readonly tools: readonly PlainTool[] } | { readonly problem: PlainProblem } | undefined {
  if (header.includes("\0") || !/@(?:describe|cmd|option|flag)\b/.test(header)) return undefined;
  const lines = header.split(/\r?\n/);
  try {
    const tags = tagsIn(lines);
    if (!tags.some(isOfPlainTool)) return undefined;
    const commands = tags.some((tag) => tag.name === "cmd") ? commandsOf(tags, lines, name) : [{ name, tags }];
    const isBare = !header.startsWith("#!");
    return { tools: commands.map((command) => toolOf(command, isBare)) };
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error;
    const { line, column, expected: clause } = error;
    return { problem: { line, column, expected: clause, text: lines[line - 1] ?? "" } };
  }
}

/** Other documentation in comments has tags, too, but none of these forms. */
function isOfPlainTool({ name, text }: Tag): boolean {
  return name === "describe" || name === "cmd" || ((name === "option" || name === "flag") && text.startsWith("-"));
}

/** A tag with what follows it. */
interface Tag {
  readonly name: string;
  /** The rest of its line. */
  readonly text: string;
  /** The comment lines below it. */
  readonly more: string;
  /** Where the text begins, from 0. */
  readonly line: number;
  readonly column: number;
}

/** Ends the reading of a file; caught by `readPlainTools` alone. */
class Misplaced extends Error {
  readonly line: number;
  readonly column: number;
  readonly expected: string;

  constructor({ line, column }: Pick<Tag, "line" | "column"> = { line: 0, column: 0 }, at: number, clause: string) {
    super(clause);
    this.line = line + 1;
    this.column = column + at + 1;
    this.expected = clause;
  }
}

/** The sign of a comment, in the languages that scripts are written in. */
const comment = /^[ \t]*(?:#+|\/\/+|\/\*+|--|;+|%+|\*(?!\/)|"""|REM\b|::)/;
const tagLine = new RegExp(`${comment.source}[ \\t]*@([a-z][a-z-]*)(?=[ \\t]|$)[ \\t]*`);

const tagNames = ["describe", "option", "flag", "arg", "env", "meta", "cmd", "alias", "version", "author"];

/** The tags of a file. Comment lines below a tag, up to an empty one, continue its text. */
function tagsIn(lines: readonly string[]): Tag[] {
  const tags: Tag[] = [];
  let isOpen = false;
  for (const [line, content] of lines.entries()) {
    const found = tagLine.exec(content);
    const last = tags.at(-1);
    if (found) {
      const [before, name = ""] = found;
      const text = content.slice(before.length).replace(/\s*(?:\*\/)?\s*$/, "");
      isOpen = tagNames.includes(name);
      if (isOpen) tags.push({ name, text, more: "", line, column: before.length });
      continue;
    }
    const more = isOpen && comment.test(content) ? content.replace(comment, "").replace("*/", "").trim() : "";
    isOpen = more !== "";
    if (isOpen && last) tags[tags.length - 1] = { ...last, more: `${last.more}\n${more}` };
  }
  return tags;
}

/** What becomes one tool. */
interface Command {
  readonly name: string;
  /** The program's first word. */
  readonly word?: string;
  readonly tags: readonly Tag[];
}

/** A shell function, by its name. */
const functionLine = /^\s*(?:function\s+)?([A-Za-z_][\w:.-]*)\s*\(\)/;

/** The commands of a file: each has the tags from its `@cmd` on, and the name of the function below, or the first word of its text. */
function commandsOf(tags: readonly Tag[], lines: readonly string[], file: string): Command[] {
  const starts = tags.flatMap((tag, index) => (tag.name === "cmd" ? [index] : []));
  const names = new Set<string>();
  return starts.flatMap((start, index): Command[] => {
    const own = tags.slice(start, starts[index + 1]);
    const [first] = own;
    if (!first) return [];
    const below = lines.slice(first.line, tags[starts[index + 1] ?? tags.length]?.line);
    const word = below.map((line) => functionLine.exec(line)?.[1]).find((name) => name !== undefined);
    const [named = "", text = ""] = /^(\S+)\s*(.*)$/.exec(first.text)?.slice(1) ?? [];
    if (word?.startsWith("_")) return [];
    const command = word ?? named;
    const name = `${file}_${command.replace(/[^A-Za-z0-9]+/g, "_")}`;
    if (command === "" || !toolNamePattern.test(name))
      throw new Misplaced(first, 0, `expected the command's name, of letters and digits, "@cmd NAME what it does"`);
    if (names.has(name))
      throw new Misplaced(first, 0, `expected another name than ${command}, which the file has already`);
    names.add(name);
    const described = word === undefined ? { ...first, text } : first;
    return [{ name, word: command, tags: [described, ...own.slice(1)] }];
  });
}

function toolOf({ name, word, tags }: Command, isBare: boolean): PlainTool {
  const about = tags.find((tag) => tag.name === "describe" || tag.name === "cmd");
  const { text, more } = about ?? { text: "", more: "" };
  if (text === "")
    throw new Misplaced(about ?? tags[0], 0, 'expected what the tool does, for the model: "@describe TEXT"');
  const parameters = parametersIn(tags);
  const { needs, requiredEnv } = variablesIn(tags);
  const meta = metaIn(tags, needs);
  const declared = {
    name,
    description: text + more,
    parameters: schemaOf(parameters),
    ...(meta.title !== undefined && { title: meta.title }),
    ...(meta.isReadOnly && { annotations: { readOnlyHint: true } }),
    ikigai: { ...meta.extensions },
  };
  const reading = readToolSchema(declared as unknown as JsonObject, name);
  if ("problem" in reading) throw new Misplaced(about, 0, `expected a usable schema, but ${reading.problem}`);
  const plain = {
    parameters,
    ...(word !== undefined && { command: word }),
    ...(requiredEnv.length > 0 && { requiredEnv }),
    ...(isBare && { isBare }),
  } as const;
  return { ...reading, plain };
}

/** `-s`, `--long` or both; then `!`, `*` or `+` and a list's separator; then a default or choices. */
const words = /^(?:-[A-Za-z0-9]\s+(?=-))?(--?[A-Za-z0-9][A-Za-z0-9_.:-]*)/;
const operand = /^([A-Za-z_][A-Za-z0-9_-]*)/;
const modifiers = /^([!*+~]?)([,:@|/]?)/;
const values = /^(?:=`([^`]+)`|="([^"]*)"|='([^']*)'|=([^\s`"'[\]]+)|\[\??`[^`]+`\]|\[(=?)([^\]`]+)\])/;
/** `$$` or `$NAME`, where argc also takes a variable; then `<NAME>`s; then the text. */
const notations = /^(?:\s+\$(?:\$|[A-Z_][A-Z0-9_]*))?((?:\s+<[^<>]+>[*+?]?)*)(?:\s+(.*))?$/;

/** The parameters that the tags of a command declare, in their order. */
function parametersIn(tags: readonly Tag[]): PlainParameter[] {
  const parameters: PlainParameter[] = [];
  for (const tag of tags) {
    if (tag.name !== "option" && tag.name !== "flag" && tag.name !== "arg") continue;
    const parameter = parameterOf(tag);
    if (parameters.some(({ name }) => name === parameter.name))
      throw new Misplaced(tag, 0, `expected another name than ${parameter.name}, which the tool has already`);
    parameters.push(parameter);
  }
  return parameters;
}

function parameterOf(tag: Tag): PlainParameter {
  const { text } = tag;
  const isOperand = tag.name === "arg";
  const found = (isOperand ? operand : words).exec(text);
  const [spelled = "", word] = found ?? [];
  if (word === undefined)
    throw new Misplaced(tag, 0, isOperand ? 'expected a name, "@arg file"' : `expected a name, "@${tag.name} --name"`);
  const name = word.replace(/^-+/, "").replace(/[^A-Za-z0-9]+/g, "_");
  if (name.startsWith("ikigai_")) throw new Misplaced(tag, 0, "expected another name; those with ikigai are reserved");
  let at = spelled.length;
  const [, mark = "", separator = ""] = take(modifiers);
  const given = take(values);
  const [, called, double, single, bare, isFirst, list] = given;
  const rest = notations.exec(text.slice(at));
  if (!rest)
    throw new Misplaced(tag, at, `expected a space, "!" (required), "*" or "+" (several), "=DEFAULT" or "[a|b]"`);
  const [, marks = "", description = ""] = rest;
  const choices = list?.split("|").map((choice) => choice.trim());
  const fallback = double ?? single ?? bare ?? (isFirst === "=" ? choices?.[0] : undefined);
  const type = tag.name === "flag" ? (mark === "*" ? "count" : "flag") : typeOf(marks, tag, at);
  if (separator !== "" && mark !== "*" && mark !== "+")
    throw new Misplaced(tag, spelled.length, 'expected "*" or "+" before the separator');
  const wrong = [fallback, ...(choices ?? [])].find((value) => value !== undefined && !isOf(type, value));
  if (wrong !== undefined)
    throw new Misplaced(tag, at - (given[0]?.length ?? 0), `expected ${type}s, as <INT> and <NUM> say, not ${wrong}`);
  return {
    name,
    ...(!isOperand && { word }),
    type,
    ...(mark !== "" && mark !== "!" && type !== "count" && { isList: true as const }),
    ...((mark === "!" || mark === "+") && { isRequired: true as const }),
    ...(choices && { choices }),
    ...(fallback !== undefined && { fallback }),
    ...(called !== undefined && { computed: called }),
    ...(description + tag.more !== "" && { description: (description + tag.more).trim() }),
  };

  function take(pattern: RegExp): readonly (string | undefined)[] {
    const match = pattern.exec(text.slice(at)) ?? [];
    at += match[0]?.length ?? 0;
    return match;
  }
}

function typeOf(marks: string, tag: Tag, at: number): PlainType {
  const [first, second] = marks.match(/<[^<>]+>/g) ?? [];
  if (second !== undefined) throw new Misplaced(tag, at, `expected one value, not ${marks.trim()}`);
  switch (first?.slice(1, -1).toUpperCase()) {
    case "INT":
      return "integer";
    case "NUM":
      return "number";
    default:
      return "string";
  }
}

function isOf(type: PlainType, value: string): boolean {
  if (type === "integer") return /^[+-]?\d+$/.test(value);
  return type !== "number" || (value.trim() !== "" && Number.isFinite(Number(value)));
}

/** The JSON Schema of the parameters. */
function schemaOf(parameters: readonly PlainParameter[]): JsonObject {
  const properties = parameters.map((parameter): [string, JsonObject] => [parameter.name, propertyOf(parameter)]);
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

function propertyOf({ type, isList, isRequired, choices, fallback, description }: PlainParameter): JsonObject {
  const typed = (value: string): JsonValue => (type === "integer" || type === "number" ? Number(value) : value);
  const one = {
    type: type === "flag" ? "boolean" : type === "count" ? "integer" : type,
    ...(choices && { enum: choices.map(typed) }),
    ...(type === "count" && { minimum: 0 }),
  };
  return {
    ...(isList ? { type: "array", items: one, ...(isRequired && { minItems: 1 }) } : one),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: isList ? [typed(fallback)] : typed(fallback) }),
  };
}

/** The variables that the tool needs. */
function variablesIn(tags: readonly Tag[]): {
  readonly needs: readonly string[];
  readonly requiredEnv: readonly string[];
} {
  const found = tags
    .filter(({ name }) => name === "env")
    .map((tag) => {
      const [, name, mark] = /^([A-Za-z_][A-Za-z0-9_]*)(!?)(?=[\s=[]|$)/.exec(tag.text) ?? [];
      if (name === undefined) throw new Misplaced(tag, 0, 'expected the name of a variable, "@env API_KEY!"');
      return { name, isRequired: mark === "!" };
    });
  return {
    needs: found.map(({ name }) => name),
    requiredEnv: found.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

interface Meta {
  readonly title?: string | undefined;
  readonly isReadOnly: boolean;
  readonly extensions: { readonly needs?: ToolNeeds; readonly timeoutMs?: number; readonly answerBytes?: number };
}

/** What `@meta` says. Its other names are argc's. */
function metaIn(tags: readonly Tag[], env: readonly string[]): Meta {
  const metas = tags.filter(({ name }) => name === "meta").map((tag) => ({ tag, words: tag.text.split(/\s+/) }));
  const all = (wanted: string) =>
    metas
      .filter(({ words: [name] }) => name === wanted)
      .map(({ tag, words: [, ...rest] }) => {
        if (rest.length === 0) throw new Misplaced(tag, tag.text.length, `expected a value after ${wanted}`);
        return { tag, value: rest.join(" "), at: wanted.length + 1 };
      });
  const amount = (wanted: string, units: Readonly<Record<string, number>>, example: string) => {
    const last = all(wanted).at(-1);
    if (!last) return undefined;
    const [, digits = "", unit = ""] = /^(\d+)([a-z]*)$/i.exec(last.value) ?? [];
    const factor = units[unit.toLowerCase()];
    if (digits === "" || factor === undefined || Number(digits) === 0)
      throw new Misplaced(last.tag, last.at, `expected ${example}`);
    return Number(digits) * factor;
  };
  const timeoutMs = amount("timeout", { "": 1_000, ms: 1, s: 1_000, m: 60_000 }, 'a time, "120" seconds or "2m"');
  const answerBytes = amount("answer", { "": 1, k: 1_024, kb: 1_024 }, 'a size in bytes, "16k"');
  const lists = { hosts: all("host"), read: all("read"), write: all("write") };
  const needs = {
    ...Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, list.map(({ value }) => value)])),
    env: env.filter((name) => name !== ""),
  };
  const hasNeeds = Object.values(needs).some((list) => list.length > 0);
  return {
    title: all("title").at(-1)?.value,
    isReadOnly: metas.some(({ words: [name] }) => name === "readonly"),
    extensions: {
      ...(hasNeeds && { needs: Object.fromEntries(Object.entries(needs).filter(([, list]) => list.length > 0)) }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(answerBytes !== undefined && { answerBytes }),
    },
  };
}
