// The arguments of a tool as the words of a command line, in the form of httpie: `name=text`, `n:=3`, `tags[]=a`, `body=@file`. In
// reading order: words become arguments, arguments become words, the help on a tool's words, and the answer as a shell gets it.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import { aliasesOf, coerceArguments, isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { sanitise, sanitiseLine, wrapWords } from "@ikigai/screen";
import { replaceMember, shellWord, systemReason } from "@ikigai/system";
import { UsageError } from "../args/usage-error.ts";
import { fold, narrowColumns, type Row } from "./columns.ts";

/** What the words of a call are read with. */
export interface CallWords {
  /** The tool's name. */
  readonly name: string;
  /** What calls it in a shell. Default: `ikigai tool call NAME`. */
  readonly command?: string | undefined;
  /** Its schema; without one, every name is passed on, and every value is a text. */
  readonly schema?: { readonly parameters: JsonObject } | undefined;
  /** Where the paths after `@` begin. */
  readonly cwd: string;
  /** What `@-` stands for. */
  readonly stdin: () => Promise<Buffer>;
}

/** A word: the parameter, the keys inside its value (`""` adds to a list), and the value as it is written. */
interface Pair {
  readonly word: string;
  readonly parameter: string;
  readonly keys: readonly string[];
  readonly isJson: boolean;
  readonly text: string;
}

const pairPattern = /^([^\s={}"'[\]][^={}"'[\]]*?)((?:\[[^=[\]]*\])*)(:?)=(.*)$/s;

/** Whether a word is an argument, and not the JSON of all of them. */
export function isPair(word: string): boolean {
  return pairPattern.test(word);
}

/**
 * Reads the arguments of a call. A value after `=` is a text unless the parameter takes none; one after `:=` is JSON.
 *
 * @throws UsageError for a word that is no argument, a parameter that the tool does not have, or a value that cannot be read.
 */
export async function readCallWords(words: readonly string[], call: CallWords): Promise<JsonObject> {
  const pairs = words.map((word) => pairOf(word, call));
  const args: JsonObject = Object.create(null);
  const spelled: JsonObject = Object.create(null);
  for (const pair of pairs) {
    const isText = pairs.every((other) => other.parameter !== pair.parameter || !other.isJson);
    put(isText ? spelled : args, pair, await readValue(pair, call));
  }
  const { parameters } = call.schema ?? { parameters: {} };
  const coerced = coerceArguments(spelled, parameters);
  for (const [name, value] of Object.entries(coerced)) refuseWrongType(name, value, propertiesOf(parameters)[name]);
  return { ...args, ...coerced };
}

/**
 * Writes the options of a command line, as other programs have them, as arguments: `--name Ada`, `--name=Ada`, `--loud`, `--no-loud`. Other
 * words stay.
 *
 * @throws UsageError for a parameter that the tool does not have, or an option without its value.
 */
export function withoutOptions(
  words: readonly string[],
  { name, schema }: { readonly name: string; readonly schema: { readonly parameters: JsonObject } },
): string[] {
  const properties = propertiesOf(schema.parameters);
  const rest = [...words];
  const pairs: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, option, given] = /^--([A-Za-z][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (option === undefined) {
      pairs.push(word);
      continue;
    }
    const negated = ownParameter(option, properties) ?? ownParameter(option.replace(/^no-/, ""), properties);
    const isNegation = ownParameter(option, properties) === undefined && isFlag(properties[negated ?? ""]);
    const key = isNegation && negated !== undefined ? negated : parameterOf(option, name, schema);
    const property = properties[key];
    const value = given ?? (isFlag(property) ? String(!isNegation) : rest.shift());
    if (value === undefined)
      throw new UsageError(`Missing value: --${sanitiseLine(option)} ${placeholderOf(property)}`);
    pairs.push(`${key}=${literal(value)}`);
  }
  return pairs;
}

function isFlag(property: JsonValue | undefined): boolean {
  return isJsonObject(property) && typeNames(property).includes("boolean");
}

/** A value that is no file, even if it begins with `@`. */
function literal(text: string): string {
  return text.replace(/^(?=\\*@)/, "\\");
}

function pairOf(word: string, { name, schema, command = callCommand(name) }: CallWords): Pair {
  const [, key = "", path = "", json, text = ""] = pairPattern.exec(word) ?? [];
  if (key === "") {
    const known = Object.keys(propertiesOf(schema?.parameters ?? {}));
    const example = `${known.find((one) => one === word) ?? known[0] ?? "name"}=…`;
    throw new UsageError(
      /^[{-]/.test(word)
        ? `Expected either JSON or KEY=VALUE, got both: ${short(word)}.`
        : `Expected KEY=VALUE, got ${short(word)}: ${command} ${example}`,
    );
  }
  const parameter = parameterOf(key, name, schema);
  const property = propertiesOf(schema?.parameters ?? {})[parameter];
  const types = isJsonObject(property) ? typeNames(property) : [];
  // A list may be given item by item, without the brackets.
  const isItem = path === "" && json === "" && types.includes("array") && !types.includes("string");
  const keys = isItem ? [""] : [...path.matchAll(/\[([^\]]*)\]/g)].map(([, inner = ""]) => inner);
  return { word, parameter, keys, isJson: json === ":", text };
}

/** What calls a tool, without its arguments. */
export function callCommand(name: string): string {
  return `ikigai tool call ${sanitiseLine(name)}`;
}

function ownParameter(key: string, properties: JsonObject): string | undefined {
  const plain = (one: string) => one.replaceAll("-", "_");
  return Object.hasOwn(properties, key) ? key : Object.keys(properties).find((one) => plain(one) === plain(key));
}

/** The parameter with this name, which may be written with hyphens, or an alias that the tool accepts. */
function parameterOf(key: string, name: string, schema: CallWords["schema"]): string {
  if (schema === undefined) return key;
  const { parameters } = schema;
  const known = Object.keys(propertiesOf(parameters));
  const own = ownParameter(key, propertiesOf(parameters));
  const { additionalProperties: others = known.length === 0 } = parameters;
  const isOpen = others !== false || Object.hasOwn(aliasesOf(schema), key);
  if (own !== undefined || isOpen) return own ?? key;
  const all =
    known.length === 0
      ? "It takes no arguments."
      : `Its parameters: ${known.map((one) => sanitiseLine(one)).join(", ")}.`;
  throw new UsageError(`${sanitiseLine(name)} has no parameter ${short(key)}. ${all}`, { got: key, known });
}

async function readValue({ word, isJson, text }: Pair, { cwd, stdin }: CallWords): Promise<JsonValue> {
  const given = text.startsWith("@") ? await contentOf(text.slice(1), cwd, stdin) : text.replace(/^\\(?=\\*@)/, "");
  if (!isJson) return given;
  try {
    return JSON.parse(given) as JsonValue;
  } catch {
    throw new UsageError(`Expected JSON after := in ${short(word)}. A text goes after = alone.`);
  }
}

/** The text of a file, or of stdin. */
async function contentOf(path: string, cwd: string, stdin: () => Promise<Buffer>): Promise<string> {
  const bytes = path === "-" ? await stdin() : readBytes(path, cwd);
  if (!isUtf8(bytes)) throw new UsageError(`Expected UTF-8 in ${short(path)}, got other bytes.`);
  return bytes.toString("utf8");
}

function readBytes(path: string, cwd: string): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException);
    throw new UsageError(`Cannot read ${short(path)}: ${reason}. A text that begins with @: KEY=\\@…`);
  }
}

/** Puts a value where the keys of its word say. */
function put(args: JsonObject, { word, parameter, keys }: Pair, value: JsonValue): void {
  const path = [parameter, ...keys];
  let place: JsonValue = args;
  for (const [index, key] of path.entries()) {
    const isItem = index > 0 && key === "";
    const next: JsonValue = index === path.length - 1 ? value : path[index + 1] === "" ? [] : Object.create(null);
    if (isItem && Array.isArray(place)) {
      place.push(next);
      place = next;
      continue;
    }
    if (isItem || !isJsonObject(place))
      throw new UsageError(
        `${short(word)} does not fit the words before it: a value is either a text, a list or an object.`,
      );
    const found: JsonValue | undefined = Object.hasOwn(place, key) ? place[key] : undefined;
    if (found !== undefined && index === path.length - 1)
      throw new UsageError(`${sanitiseLine(parameter)} is given twice.`);
    place[key] = found ?? next;
    place = place[key] ?? null;
  }
}

/** The types that a value of a parameter may have; empty if any. */
function typeNames({ type, anyOf, oneOf }: JsonObject): string[] {
  if (type !== undefined) return [type].flat().map(String);
  const parts = [anyOf ?? oneOf ?? []].flat().filter(isJsonObject);
  return parts.every((part) => part.type !== undefined) ? parts.flatMap(typeNames) : [];
}

/** @throws UsageError if a text spells no value of the parameter's type: `n=abc` for a number. */
function refuseWrongType(name: string, value: JsonValue, property: JsonValue | undefined): void {
  const types = isJsonObject(property) ? typeNames(property) : [];
  if (typeof value !== "string" || types.length === 0 || types.includes("string")) return;
  const [type = ""] = types.filter((one) => one !== "null");
  const json = type === "object" || type === "array" ? `. As JSON: ${sanitiseLine(name)}:=…` : "";
  throw new UsageError(`Expected ${sanitiseLine(name)} to be ${typeWords[type] ?? type}, got ${short(value)}${json}.`);
}

/** The types of JSON, for people. */
const typeWords: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function short(text: string): string {
  const line = sanitiseLine(text);
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

/** Writes arguments as the words of a command line that `readCallWords` reads back, quoted for a shell. */
export function callWordsOf(args: JsonObject): string[] {
  return Object.entries(args).map(([name, value]) =>
    shellWord(typeof value === "string" ? `${name}=${literal(value)}` : `${name}:=${JSON.stringify(value)}`),
  );
}

/**
 * The help on the words of a tool: what it does, its parameters, and a call.
 *
 * @param command what calls it.
 * @param isProgram whether its parameters may be written as options, too.
 */
export function explainCall(
  command: string,
  schema: { readonly description: string; readonly parameters: JsonObject },
  { isProgram = false }: { readonly isProgram?: boolean } = {},
): string {
  const { parameters, description } = schema;
  const sorted = shownParameters(parameters);
  const parts = sorted.map(({ key, property, isRequired }) => {
    const word = `${key}${formOf(property)}`;
    return isRequired ? word : `[${word}]`;
  });
  const rows = sorted.map(
    ({ key, property, isRequired }): Row => [
      isProgram ? `${key}, ${optionOf(key, property)}` : key,
      meaningOf(property, isRequired),
    ],
  );
  const example = callWordsOf(exampleOf(parameters, sorted)).join(" ");
  return [
    `${fold([`Usage: ${command}`, ...parts])}\n`,
    `${wrapWords(sanitise(description.trim()), 79)}\n`,
    ...(rows.length === 0 ? [] : [`Parameters:\n${narrowColumns(rows)}`]),
    `Example:\n  ${command}${example === "" ? "" : ` ${sanitiseLine(example)}`}\n`,
  ].join("\n");
}

/** The parameters of a schema, those that are required first. */
function shownParameters(parameters: JsonObject): Shown[] {
  const required = [parameters.required ?? []].flat().map(String);
  const all = Object.entries(propertiesOf(parameters)).map(([key, property]) => ({
    key: sanitiseLine(key),
    property: isJsonObject(property) ? property : {},
    isRequired: required.includes(key),
  }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** Arguments that a tool with these parameters may be called with. */
export function exampleArguments(parameters: JsonObject): JsonObject {
  return exampleOf(parameters, shownParameters(parameters));
}

/** The longest choices that the usage lists, in characters. */
const maxChoices = 40;

/** How the value of a parameter is written after its name. */
function formOf(property: JsonObject): string {
  const [type] = typeNames(property).filter((one) => one !== "null");
  const { enum: choices, items } = property;
  if (Array.isArray(choices) && choices.join("|").length <= maxChoices) return `=${sanitiseLine(choices.join("|"))}`;
  if (type === "array") return `[]${formOf(isJsonObject(items) ? items : {}).replace(/^\[\]/, ":")}`;
  if (type === "boolean") return "=true|false";
  if (type === "integer" || type === "number") return "=NUMBER";
  return type === "object" ? ":=JSON" : "=TEXT";
}

/** How a parameter is written as an option. */
function optionOf(key: string, property: JsonObject): string {
  const option = key.replaceAll("_", "-");
  return isFlag(property) ? `--[no-]${option}` : `--${option} ${placeholderOf(property)}`;
}

function placeholderOf(property: JsonValue | undefined): string {
  return isJsonObject(property) ? formOf(property).replace(/^(?:\[\])?:?=/, "") : "TEXT";
}

function meaningOf({ description, default: preset, enum: choices }: JsonObject, isRequired: boolean): string {
  const notes = [
    ...(isRequired ? ["required"] : []),
    ...(Array.isArray(choices) && choices.join("|").length > maxChoices ? [`one of ${choices.join(", ")}`] : []),
    ...(preset === undefined ? [] : [`default: ${typeof preset === "string" ? preset : JSON.stringify(preset)}`]),
  ];
  const text = sanitiseLine(typeof description === "string" ? description.replace(/\s+/g, " ") : "");
  return [text, notes.length === 0 ? "" : sanitiseLine(`(${notes.join("; ")})`)]
    .filter((part) => part !== "")
    .join(" ");
}

interface Shown {
  readonly key: string;
  readonly property: JsonObject;
  readonly isRequired: boolean;
}

/** The arguments of an example: that of the schema, or the required parameters, or the first one. */
function exampleOf({ examples }: JsonObject, parameters: readonly Shown[]): JsonObject {
  const [own] = [examples ?? []].flat();
  if (isJsonObject(own)) return own;
  const shown = parameters.some(({ isRequired }) => isRequired)
    ? parameters.filter(({ isRequired }) => isRequired)
    : parameters.slice(0, 1);
  return Object.fromEntries(shown.map(({ key, property }) => [key, sampleOf(property)]));
}

function sampleOf(property: JsonObject): JsonValue {
  const [found] = [property.examples, property.enum].flatMap((list) => (Array.isArray(list) ? list : []));
  if (found !== undefined || property.default !== undefined) return found ?? property.default ?? null;
  const [type] = typeNames(property).filter((one) => one !== "null");
  if (type === "integer" || type === "number") return typeof property.minimum === "number" ? property.minimum : 1;
  if (type === "array") return [sampleOf(isJsonObject(property.items) ? property.items : {})];
  if (type === "boolean") return true;
  return type === "object" ? {} : "text";
}

/** What to type for a call without the arguments that the tool requires. */
export function requiredWords(parameters: JsonObject): string | undefined {
  const required = [parameters.required ?? []].flat().map(String);
  if (required.length === 0) return undefined;
  return required.map((key) => `${key}${formOf(propertiesOf(parameters)[key] as JsonObject)}`).join(" ");
}

// A tool in a shell: reads its arguments from the words of a command line, and prints its answer for a person or a pipe.

/** A command line that calls a tool. */
interface CallLine {
  readonly name: string;
  /** `undefined` if there is no such tool: its words are then passed on. */
  readonly tool: Pick<RegisteredTool, "schema"> | undefined;
  /** The words after the tool's name. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** What calls it, if that is a command that also takes options. Default: `ikigai tool call NAME`. */
  readonly command?: string | undefined;
}

/**
 * The arguments as JSON; `undefined` if they are not UTF-8.
 *
 * @throws UsageError if they cannot be read, or are missing although the tool requires some.
 */
export async function readArguments({ name, tool, cwd, command, ...line }: CallLine): Promise<string | undefined> {
  const schema = tool?.schema;
  const words = command === undefined || !schema ? line.words : withoutOptions(line.words, { name, schema });
  const [given] = words;
  if (given === undefined) {
    const required = schema && requiredWords(schema.parameters);
    if (required === undefined) return "{}";
    throw new UsageError(`${name} needs arguments: ${command ?? callCommand(name)} ${sanitiseLine(required)}`);
  }
  const isMistaken = schema !== undefined && (command !== undefined || /^[A-Za-z_]/.test(given)) && !isJson(given);
  if (words.length === 1 && !isPair(given) && !isMistaken)
    return given === "-" ? decode(await buffer(process.stdin)) : given;
  return JSON.stringify(await readCallWords(words, { name, schema, cwd, command, stdin: () => buffer(process.stdin) }));
}

function isJson(word: string): boolean {
  return word === "-" || word.trimStart().startsWith("{");
}

/** Decodes UTF-8; `undefined` if invalid, since replacement characters would change a path or content. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8").replace(/^\ufeff/, "") : undefined;
}

/** What a command prints, and its exit code. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const plainMembers = ["output", "exit_code", "error", "ignored"];

/** What a call prints as a command: a plain tool what its program has printed, with its exit code; another one its answer as JSON. */
export function printedInShell(name: string, { envelope, json }: Outcome, isPlain: boolean): Printed {
  if (!envelope.tool_success) return { stdout: "", stderr: `${name}: ${envelope.error}\n`, exitCode: 1 };
  const { output, error, exit_code: code } = envelope.result;
  const isText = typeof output === "string" && Object.keys(envelope.result).every((key) => plainMembers.includes(key));
  if (isPlain && isText)
    return {
      stdout: output === "" ? "" : `${output}\n`,
      stderr: typeof error === "string" ? `${error}\n` : "",
      exitCode: typeof code === "number" ? code : 0,
    };
  const answers: string[] = [];
  // As the tool has printed it: a parsed number has lost digits.
  replaceMember(json, "result", (text) => {
    answers.push(text);
    return text;
  });
  return { stdout: `${answers[0]}\n`, stderr: "", exitCode: (error ?? null) === null ? 0 : 1 };
}
