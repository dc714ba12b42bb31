// From the tools that a server lists to those that the model gets: which, under which names, and the line that each prints as its
// schema, within the limits of the protocol.

import { createHash } from "node:crypto";
import {
  isJsonObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  maxSchemaBytes,
  readToolSchema,
  type ToolNeeds,
} from "@ikigai/protocol";
import { hasInvisible, withoutInvisible } from "@ikigai/system";
import type { ListedTool } from "./listed-tool.ts";
import { isWanted, type NameFilter, toolPrefix } from "./server-names.ts";

/** A tool of a server, ready to become a wrapper. */
export interface DefinedTool {
  /** As the model calls it. */
  readonly name: string;
  /** As the server lists it; the tool for resources is not the server's. */
  readonly listed: ListedTool;
  readonly isResource: boolean;
  /** What its wrapper prints for `--schema`. */
  readonly line: string;
  /** Whether the definition had to be shortened. */
  readonly isShortened: boolean;
  /** Whether its name ends in a hash. */
  readonly isHashed: boolean;
}

/** A tool that cannot be used. */
interface LeftOutTool {
  readonly name: string;
  /** The end of a sentence. */
  readonly reason: string;
}

export interface Definitions {
  readonly tools: readonly DefinedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

interface DefineOptions extends Omit<SchemaTarget, "name"> {
  readonly filter: NameFilter;
  readonly hasResources: boolean;
}

/** The most tools of a server. */
export const maxTools = 200;

/** The id of the tool for resources: no tool of a server has its method's name. */
const resourceId = "resources/read";

/** Names the tools that a server lists, and writes their schemas. Names do not depend on the filter. */
export function defineTools(listed: readonly ListedTool[], options: DefineOptions): Definitions {
  const { server, filter, hasResources } = options;
  const all = [
    ...listed.map((tool) => ({ tool, id: tool.name, wanted: tool.name, isResource: false })),
    ...(hasResources ? [{ tool: resourceTool, id: resourceId, wanted: resourceTool.name, isResource: true }] : []),
  ];
  const names = nameTools(server, all);
  const tools: DefinedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  for (const [index, { tool, isResource }] of all.entries()) {
    if (!isWanted(tool.name, filter)) continue;
    const { name, isHashed = false } = names[index] ?? {};
    const schema = name === undefined ? twice : toolSchemaLine(tool, { ...options, name });
    if (name === undefined || "problem" in schema) {
      leftOut.push({ name: tool.name, reason: "problem" in schema ? schema.problem : "" });
    } else tools.push({ name, listed: tool, isResource, isHashed, ...schema });
  }
  return { tools, leftOut };
}

const twice = { problem: "the server lists two tools with this name" };

/** What needs a name. */
interface Nameless {
  /** Its real name, of which the hash is made. */
  readonly id: string;
  /** The name that it should get. */
  readonly wanted: string;
}

/** The name of a tool. */
interface ToolName {
  readonly id: string;
  /** `undefined` if no name is left for it: the server lists it twice. */
  readonly name: string | undefined;
  /** Whether a hash had to be added. */
  readonly isHashed: boolean;
}

/** The longest name that every model provider accepts. */
const maxNameLength = 64;
const hashDigits = 6;

/**
 * Names the tools of a server: `mcp__SERVER__TOOL`, with `_` for everything that a name must not have. A name that would be too long,
 * or that several tools would get, ends in the hash of the real name, whatever their order: a server must not be able to move
 * a name from one of its tools to another by listing them differently. Names differ by more than case, because file names do.
 */
export function nameTools(server: string, tools: readonly Nameless[]): readonly ToolName[] {
  const plain = tools.map(({ wanted }) => toolPrefix(server) + wanted.replace(/[^A-Za-z0-9_]/g, "_"));
  const isShared = repeated(plain);
  const named = tools.map(({ id }, index) => {
    const name = plain[index] ?? "";
    const isHashed = name.length > maxNameLength || isShared(name);
    return { id, name: isHashed ? hashed(name, id) : name, isHashed };
  });
  const isTaken = repeated(named.map(({ name }) => name));
  return named.map((tool) => (isTaken(tool.name) ? { ...tool, name: undefined } : tool));
}

function hashed(name: string, id: string): string {
  const hash = createHash("sha256").update(id).digest("hex").slice(0, hashDigits);
  return `${name.slice(0, maxNameLength - hashDigits - 1)}_${hash}`;
}

/** Returns whether a name occurs more than once, regardless of case. */
function repeated(names: readonly string[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  return (name) => (counts.get(name.toLowerCase()) ?? 0) > 1;
}

/** What a wrapper prints for `--schema`, or why the tool is left out: the end of a sentence. */
type SchemaLine = { readonly line: string; readonly isShortened: boolean } | { readonly problem: string };

/** A server may have to fetch something. The user's configuration can set another time. */
const timeoutMs = 120_000;

/** A larger schema is not worth shortening, in bytes. */
const maxGivenBytes = 262_144;

/** Keywords that hold text for readers. */
const texts = ["title", "description", "$comment"];

/** Keywords that do not change what a call may contain. */
const dispensable = ["$schema", "title", "examples", "description", "$comment"];

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** What the schema of a tool depends on besides the tool. */
interface SchemaTarget {
  /** As the model calls it. */
  readonly name: string;
  readonly server: string;
  /** The environment variables that the server's entry names. */
  readonly variables: readonly string[];
  /** What the server needs besides them in the sandbox. */
  readonly needs?: ToolNeeds | undefined;
  /** Whether calls repeat parameters in headers. */
  readonly hasHeaders: boolean;
}

/**
 * Returns what the wrapper of a tool prints for `--schema`: one line within the protocol's limit. What does not fit is shortened: first
 * the schema of the answer goes, then what a call does not need.
 */
export function toolSchemaLine(
  { name: _, description = "", inputSchema, outputSchema, title, annotations = {} }: ListedTool,
  { name, server, variables, needs: others, hasHeaders }: SchemaTarget,
): SchemaLine {
  if ([inputSchema, outputSchema ?? {}].some(isTooDeep)) return { problem: "its schema is nested too deeply" };
  const size = sizeOf(JSON.stringify(inputSchema));
  if (size > maxGivenBytes) return { problem: tooLarge(size) };
  const invalid = hasHeaders ? headerProblem(inputSchema) : undefined;
  if (invalid !== undefined) return { problem: invalid };
  const parameters = readable(inputSchema);
  if (hasInvisibleText(parameters)) return { problem: "its parameters contain invisible characters" };
  const needs = { ...others, ...(variables.length > 0 && { env: [...variables] }) };
  const whole = {
    name,
    ...(title !== undefined && { title: withoutInvisible(title).text }),
    description: seenText(description),
    parameters,
    annotations: knownHints(annotations),
    ikigai: { service: server, timeoutMs, ...(Object.keys(needs).length > 0 && { needs: asJson(needs) }) },
  };
  const reading = readToolSchema(whole, name);
  if ("problem" in reading) return { problem: reading.problem };
  const answer = answerSchema(outputSchema);
  const bare = { ...whole, title: undefined, parameters: walkSchema(parameters, withoutDispensable) };
  const lines = [...(answer ? [{ ...whole, outputSchema: answer }] : []), whole, bare].map((one) =>
    JSON.stringify(one),
  );
  const line = lines.find((one) => sizeOf(one) <= maxSchemaBytes);
  if (line !== undefined) return { line, isShortened: line !== lines[0] };
  return { problem: tooLarge(sizeOf(lines.at(-1) ?? "")) };
}

function asJson(needs: ToolNeeds): JsonObject {
  return Object.fromEntries(Object.entries(needs).map(([list, entries]) => [list, [...entries]]));
}

function tooLarge(bytes: number): string {
  return `its definition has ${bytes} bytes, and the limit is ${maxSchemaBytes}`;
}

/** With its line break. */
function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** Removes hidden characters from the texts for readers; anything else has to stay as it is. */
function readable(schema: JsonObject): JsonObject {
  return walkSchema(schema, (keywords) => {
    const entries = Object.entries(keywords).map(([key, value]): [string, JsonValue] => [
      key,
      texts.includes(key) && typeof value === "string" ? withoutInvisible(value).text : value,
    ]);
    return Object.fromEntries(entries);
  });
}

function withoutDispensable(keywords: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(keywords).filter(([key]) => !dispensable.includes(key)));
}

/** The schema of the answer that the bridge makes of a result; `undefined` without one, or if it may refer to itself. */
function answerSchema(structured: JsonObject | undefined): JsonObject | undefined {
  if (structured === undefined || hasInvisibleText(structured) || JSON.stringify(structured).includes('"$ref"'))
    return undefined;
  return { type: "object", properties: { output: { type: "string" }, structured: readable(structured) } };
}

function knownHints(annotations: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) => hints.includes(key) && typeof value === "boolean"),
  );
}

/** The tool that lists a server's resources and reads them, as the server would have listed it. */
const resourceTool: ListedTool = {
  name: "resource",
  description: "Read a resource of this server; without a URI, list the resources.",
  inputSchema: { type: "object", properties: { uri: { type: "string", description: "URI of the resource" } } },
  annotations: { readOnlyHint: true },
};

/** The keyword by which a parameter is repeated in a header of the call, since the protocol of 2026. */
const keyword = "x-mcp-header";

/** What a header can hold: of numbers only integers have one notation. */
const types: readonly unknown[] = ["string", "integer", "boolean"];

/** A name of a header (RFC 9110). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Says why the headers that a tool wants for its parameters are invalid, as the end of a sentence; `undefined` if they are not. The
 * specification demands that clients with HTTP reject such a tool.
 */
function headerProblem(inputSchema: JsonObject): string | undefined {
  const names = new Set<string>();
  // A parameter may be inside another one, but not inside an alternative or a list.
  const problemIn = (schema: JsonObject, isParameter: boolean): string | undefined => {
    if (Object.hasOwn(schema, keyword)) {
      const { type, [keyword]: name } = schema;
      if (!isParameter) return `its schema has ${keyword} elsewhere than at a parameter`;
      if (typeof name !== "string" || !token.test(name))
        return `${JSON.stringify(name)}, an ${keyword} of its schema, is not the name of a header`;
      if (!types.includes(type)) return `its parameter with the ${keyword} ${name} is not a string, integer or boolean`;
      if (names.has(name.toLowerCase())) return `several of its parameters have the ${keyword} ${name}`;
      names.add(name.toLowerCase());
    }
    for (const below of subschemas(schema)) {
      const problem = problemIn(
        below.schema,
        below.keyword === "properties" && (isParameter || schema === inputSchema),
      );
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return problemIn(inputSchema, false);
}

/** Keywords whose values map names to schemas: a parameter may be called `description`. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose values are data, not schemas. */
const data = new Set(["const", "default", "enum", "examples", "required", "dependentRequired"]);

/** Returns a copy of a JSON Schema in which `change` has replaced the keywords of each schema in it, from the outside in. */
function walkSchema(schema: JsonObject, change: (keywords: JsonObject) => JsonObject): JsonObject {
  const entries = Object.entries(change(schema)).map(([key, value]): [string, JsonValue] => {
    if (data.has(key)) return [key, value];
    if (maps.has(key) && isJsonObject(value)) return [key, mapped(value, (one) => below(one, change))];
    return [key, below(value, change)];
  });
  return Object.fromEntries(entries);
}

function below(value: JsonValue, change: (keywords: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one) => below(one, change));
  return isJsonObject(value) ? walkSchema(value, change) : value;
}

function mapped(map: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** A schema directly inside another one. */
interface Subschema {
  /** The keyword that it is in. */
  readonly keyword: string;
  readonly schema: JsonObject;
}

/** The schemas directly inside a JSON Schema; the value of an unknown keyword may be one. */
function* subschemas(schema: JsonObject): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (data.has(keyword)) continue;
    const found = maps.has(keyword) && isJsonObject(value) ? Object.values(value) : [value].flat();
    for (const one of found) if (isJsonObject(one)) yield { keyword, schema: one };
  }
}

/** The longest text for the model, in bytes: it is sent with every request. */
const maxTextBytes = 2_048;

const ellipsis = "…";

/** Returns a server's text as both the user and the model see it: without invisible characters, cut between two characters. */
export function seenText(given: string): string {
  const { text } = withoutInvisible(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const room = maxTextBytes - Buffer.byteLength(ellipsis);
  // The decoder leaves out a character that is cut in two.
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + ellipsis;
}

/** Whether a name or a text in a JSON value has invisible characters. */
function hasInvisibleText(root: JsonValue): boolean {
  const values = [root];
  for (const value of values) {
    if (typeof value === "string" && hasInvisible(value)) return true;
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) values.push(...Object.keys(value));
    for (const child of Object.values(value)) values.push(child);
  }
  return false;
}
