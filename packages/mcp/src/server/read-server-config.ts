// The servers in a configuration file of ikigai or of another program (`.mcp.json`, Claude's, Cursor's, VS Code's).

import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isJsonObject, isTooDeep, type JsonObject, type JsonValue, kindOf } from "@ikigai/protocol";
import { openRegularFile, shellWord, systemReason, withoutPassword } from "@ikigai/system";
import { readJsonWithComments } from "@ikigai/system/json-with-comments";
import { nearServerName } from "../definitions/server-names.ts";
import {
  expandEntry,
  isStdio,
  type PortedEntry,
  readPortableEntry,
  type ServerEntry,
  variablesOf,
} from "./server-entry.ts";
import { serverTarget } from "./server-file.ts";

/** A server of another program's configuration file, or why it cannot be used. */
export type ConfiguredServer = {
  /** As ikigai calls it; the name in the file, if none can be made of it. */
  readonly name: string;
  /** The name in the file. */
  readonly given: string;
  /** Whether `~/.claude.json` has it for the current project only. */
  readonly isOfProject: boolean;
  /** Whether the file has `"disabled": true` for it: the user does not want it started. */
  readonly isDisabled?: true;
} & PortedEntry;

/** Why a configuration file cannot be read: a sentence, and its place if it is not valid JSON. Quotes no value, which may be secret. */
export interface ConfigFault {
  readonly problem: string;
  /** The system could not read it; the problem is the reason. */
  readonly isUnreadable?: true;
  readonly place?: { readonly line: number; readonly column: number };
}

/** What the paths of a configuration file refer to. */
export interface ConfigPlaces {
  /** The directory of the project that the file belongs to. */
  readonly directory: string;
  /** The current project: `~/.claude.json` has servers for each. */
  readonly projectDir: string;
}

/** Far above any real file: a person has to read all of them. */
const maxServers = 100;

/** How much of a name in the file is kept, in characters. */
const maxShownName = 60;

/**
 * Reads the servers of a configuration file: `mcpServers` of `.mcp.json`, Cursor and `~/.claude.json`, there also those of the current
 * project; `servers` of VS Code, also below `mcp` of its settings. Starts nothing, expands no variable and reads no file.
 */
export function readServerConfig(
  text: string,
  places: ConfigPlaces,
): { readonly servers: readonly ConfiguredServer[] } | ConfigFault {
  const given = text.replace(/^\ufeff/, "");
  const read = readJsonWithComments(given);
  if ("expected" in read) return { problem: read.expected, place: placeOf(given, read.offset) };
  if (!isJsonObject(read.value)) return { problem: `Expected an object, got ${kindOf(read.value)}.` };
  const found = serversIn(read.value, places);
  if ("problem" in found) return found;
  if (found.length > maxServers)
    return { problem: `It has ${found.length} servers, at most ${maxServers} can be read.` };
  return { servers: withoutTwins(found.map(readOne)) };
}

/** A server as the file has it. */
interface GivenServer {
  readonly given: string;
  readonly value: JsonValue;
  readonly directory: string;
  readonly isOfProject: boolean;
}

/** The servers of all lists of a file. If two have the same name, that of the project counts, as in Claude Code. */
function serversIn(root: JsonObject, { directory, projectDir }: ConfigPlaces): readonly GivenServer[] | ConfigFault {
  const project = objectAt(objectAt(root, "projects"), projectDir);
  const lists = [
    { path: "mcpServers", value: root.mcpServers },
    { path: `projects[${JSON.stringify(projectDir)}].mcpServers`, value: project?.mcpServers, isOfProject: true },
    { path: "servers", value: root.servers },
    { path: "mcp.servers", value: objectAt(root, "mcp")?.servers },
  ].filter(({ value }) => value !== undefined);
  const wrong = lists.find(({ value }) => !isJsonObject(value));
  if (wrong) return { problem: `Expected ${JSON.stringify(wrong.path)} to be an object, got ${kindOf(wrong.value)}.` };
  if (lists.length === 0 && !isJsonObject(root.projects))
    return { problem: 'It has neither "mcpServers" nor "servers", so it is not an MCP configuration file.' };
  const byName = new Map<string, GivenServer>();
  for (const { value: list, isOfProject = false } of lists)
    for (const [given, value] of Object.entries(list as JsonObject))
      byName.set(given, { given, value, directory: isOfProject ? projectDir : directory, isOfProject });
  return [...byName.values()];
}

/** An own property that is an object. */
function objectAt(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const found = value && Object.hasOwn(value, key) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

function readOne({ given: key, value, directory, isOfProject }: GivenServer): ConfiguredServer {
  const given = key.length > maxShownName ? `${key.slice(0, maxShownName)}…` : key;
  const name = nearServerName(key);
  if (name === undefined)
    return { name: given, given, isOfProject, problem: "Its name has neither a letter nor a digit." };
  if (isTooDeep(value)) return { name, given, isOfProject, problem: "It is nested too deeply." };
  const isDisabled = isJsonObject(value) && value.disabled === true;
  return { name, given, isOfProject, ...(isDisabled && { isDisabled }), ...readPortableEntry(value, directory) };
}

/** Two servers that would get the same name cannot be told apart, so neither is used. */
function withoutTwins(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  return servers.map((server): ConfiguredServer => {
    const twin = servers.find((other) => other !== server && other.name === server.name);
    if (twin === undefined) return server;
    const { name, given, isOfProject } = server;
    return {
      name,
      given,
      isOfProject,
      problem: `ikigai would call it ${name}, like ${JSON.stringify(twin.given)}. Rename one.`,
    };
  });
}

/** Counted from 1. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return { line: text.slice(0, start).split("\n").length, column: offset - start + 1 };
}

/** The servers of a file, and the state in which it was read. */
export interface ServerConfigFile {
  readonly servers: readonly ConfiguredServer[];
  /** The directory of the project that it belongs to. */
  readonly directory: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The longest file, in bytes: `~/.claude.json` also has a history, of several MB. */
const maxFileBytes = 16_777_216;

/** The directories of a project in which editors keep their files. */
const editorDirectories = [".cursor", ".vscode"];

/**
 * Reads a configuration file with MCP servers. Never throws and never blocks: anything but a file with servers is a fault.
 *
 * @param path absolute, or relative to the working directory.
 * @param projectDir the current project.
 */
export function readServerConfigFile(path: string, projectDir: string): ServerConfigFile | ConfigFault {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return { problem: "It is not a regular file." };
    const { size, mtimeMs } = fstatSync(fd);
    if (size > maxFileBytes) return { problem: `It has ${size} bytes, at most ${maxFileBytes} can be read.` };
    const bytes = readFileSync(fd);
    if (!isUtf8(bytes)) return { problem: "It is not UTF-8. Save it as UTF-8." };
    const directory = directoryOf(path);
    const read = readServerConfig(bytes.toString("utf8"), { directory, projectDir });
    return "problem" in read ? read : { ...read, directory, size, mtimeMs };
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code === undefined) throw error;
    return { problem: `${systemReason(failure)}.`, isUnreadable: true };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The directory of the project that a file belongs to. */
function directoryOf(path: string): string {
  const own = dirname(resolve(path));
  return editorDirectories.includes(basename(own)) ? dirname(own) : own;
}

/** A fault in words: `FILE:LINE:COLUMN: what is wrong`, or `Cannot read FILE: why`. */
export function renderConfigFault(path: string, { problem, place, isUnreadable }: ConfigFault): string {
  if (isUnreadable) return `Cannot read ${path}: ${problem}`;
  return `${path}${place === undefined ? "" : `:${place.line}:${place.column}`}: ${problem}`;
}

/** Variables that make a program run something else: their values are shown. */
const decidesWhatRuns =
  /^(?:PATH|HOME|(?:LD|DYLD)_\w+|NODE_(?:OPTIONS|PATH)|PYTHON\w+|PERL5?(?:LIB|OPT)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|JAVA_TOOL_OPTIONS)$/i;

/** Variables with the URL that programs are fetched from, which may have a password. */
const decidesWhence = /(?:REGISTRY|INDEX_URL)$/i;

/**
 * Says what a server would start or reach, and what it would get, a phrase each. The values that the file sets may be secrets, so only
 * names are shown.
 */
export function describeServer(
  entry: ServerEntry,
  env: NodeJS.ProcessEnv,
): { readonly target: string; readonly facts: readonly string[] } {
  const facts = isStdio(entry)
    ? [
        ...(entry.cwd === undefined ? [] : [`runs in ${entry.cwd}`]),
        ...named("gets", Object.entries(entry.env).filter(isOwn).map(variable)),
      ]
    : named("gets the headers", Object.keys(entry.headers));
  const needed = named("takes from your environment:", variablesWithState(entry, env));
  return { target: serverTarget({ entry }), facts: [...facts, ...needed] };
}

function variable([name, value]: readonly [string, string]): string {
  if (decidesWhatRuns.test(name)) return `${name}=${shellWord(value)}`;
  return decidesWhence.test(name) ? `${name}=${shellWord(withoutPassword(value))}` : name;
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(", ")}`];
}

/** Whether a variable is more than the one with the same name in the environment, which is listed as such. */
function isOwn([name, value]: readonly [string, string]): boolean {
  const [, source] = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/.exec(value) ?? [];
  return source !== name || decidesWhatRuns.test(name) || decidesWhence.test(name);
}

/** The variables that an entry refers to, and what becomes of those that are not set. */
function variablesWithState(entry: ServerEntry, env: NodeJS.ProcessEnv): string[] {
  const withoutDefault = expandEntry(entry, {}, {}).missing;
  return variablesOf(entry, {}).map((name) => {
    if (env[name]) return name;
    return withoutDefault.includes(name) ? `${name} (not set)` : `${name} (not set: the file has a default)`;
  });
}
