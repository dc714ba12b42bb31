// The description of a server in its package, what it listed when it was added, and what has changed since.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, type ToolNeeds } from "@ikigai/protocol";
import { readRegularFile, shellWord, withoutPassword, writePrivateFile } from "@ikigai/system";
import {
  compareTools,
  isUnchanged,
  type ListedTool,
  readListedTool,
  type ToolChanges,
} from "../definitions/listed-tool.ts";
import { isWanted, type NameFilter } from "../definitions/server-names.ts";
import { readServerEntry, type ServerEntry } from "./server-entry.ts";

/** The protocol that a server speaks: `legacy` up to 2025-11-25, `modern` since 2026-07-28. */
export type Era = "legacy" | "modern";

/** What a server said about itself when it was added. */
export interface ServerFacts {
  readonly era: Era;
  /** The version of MCP. */
  readonly protocolVersion: string;
  /** The answer of a modern server to `server/discover`, which need not be asked for again. */
  readonly discover?: JsonObject;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /** Whether it asks for the project's directory after the start, and has to have it before a call. */
  readonly asksForRoots: boolean;
  readonly hasResources: boolean;
}

/** A server that was added: `server.json` of its package. */
export interface ServerFile extends ServerFacts {
  readonly name: string;
  /** Without secrets. */
  readonly entry: ServerEntry;
  readonly filter: NameFilter;
  /** What the server needs in the sandbox besides the variables of its entry. */
  readonly needs?: ToolNeeds;
  /** The npm package that its program came from, as the user named it; the first of the entry's arguments is in the package. */
  readonly npm?: string;
  /** Set for a server of one conversation. */
  readonly isTemporary?: true;
  /** Set if `${VAR}` in the values of the entry is text like any other: an editor has filled them in. */
  readonly isLiteral?: true;
  /** When its tools were listed, in ISO 8601. */
  readonly listedAt: string;
}

/** A tool of an added server: an element of `tools.json` of its package. */
export interface AddedTool {
  /** As the model calls it. */
  readonly tool: string;
  readonly isResource: boolean;
  readonly definition: ListedTool;
}

export interface ToolsFile {
  readonly tools: readonly AddedTool[];
  /** By the server's names: why they are not tools. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** The size of the definitions. */
  readonly bytes: number;
}

/** A server's package. */
export interface ServerPackage {
  readonly path: string;
  readonly server: ServerFile;
  readonly tools: ToolsFile;
}

export const toolsFileName = "tools.json";

/** The name of a server's package, and of its data directory. */
export function packageName(server: string): string {
  return `mcp-${server}`;
}

/**
 * Reads a server's package.
 *
 * @throws the system's error, or a SyntaxError or TypeError, if a file is missing or damaged.
 */
export function readServerPackage(path: string): ServerPackage {
  const { tools = [], leftOut = {}, bytes = 0 } = readObject(join(path, toolsFileName));
  const { entry, ...facts } = readObject(join(path, serverFileName));
  const read = readServerEntry(entry, { allowsSecrets: true });
  if ("problem" in read) throw new TypeError(read.problem);
  return {
    path,
    // ikigai has written the file, and its hash is recorded.
    server: { ...(facts as unknown as Omit<ServerFile, "entry">), entry: read },
    tools: {
      tools: Array.isArray(tools) ? tools.flatMap(readAddedTool) : [],
      leftOut: textsIn(leftOut),
      bytes: Number(bytes),
    },
  };
}

function readAddedTool(value: JsonValue): AddedTool[] {
  if (!isJsonObject(value) || typeof value.tool !== "string") return [];
  const definition = readListedTool(value.definition);
  return definition ? [{ tool: value.tool, isResource: value.isResource === true, definition }] : [];
}

function textsIn(value: JsonValue): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

function readObject(path: string): JsonObject {
  const value: unknown = JSON.parse(readRegularFile(path).toString("utf8"));
  if (isJsonObject(value)) return value;
  throw new TypeError(`Expected ${path} to hold a JSON object.`);
}

// Every conversation loads this module, so it imports no other of this package.

export const serverFileName = "server.json";

/** The file in a server's data directory that says how its tools differ from those that were added. */
export const changesFileName = "changed.json";

/** What a conversation needs to know about a server. */
export interface ServerLabel {
  readonly name: string;
  readonly entry: ServerEntry;
  /** The npm package that its program came from. */
  readonly npm?: string | undefined;
  readonly instructions?: string;
  /** Set for a server of one conversation. */
  readonly isTemporary?: true;
}

/**
 * Reads what the package of a server says about it, as it was written: its hash is recorded.
 *
 * @throws the system's error, or a SyntaxError or TypeError, if it is missing or damaged.
 */
export function readServerLabel(path: string): ServerLabel {
  const label = JSON.parse(readRegularFile(join(path, serverFileName)).toString("utf8"));
  if (typeof label?.name === "string") return label;
  throw new TypeError(`Expected ${join(path, serverFileName)} to describe a server.`);
}

/** The data directory of a package, `packages/mcp-NAME/HASH` below the user's directory, if the host does not name it. */
export function dataOfPackage(path: string): string {
  const own = dirname(path);
  return join(dirname(dirname(own)), "data", basename(own));
}

/**
 * What answers the calls of a server: a command, an npm package with arguments, or a URL. Without values of the environment, and without
 * the parts of a URL that may be secret.
 */
export function serverTarget({ entry, npm }: Pick<ServerLabel, "entry" | "npm">): string {
  if ("url" in entry) return withoutPassword(entry.url).replace(/[?#].*$/s, "?…");
  return wordsOf(entry, npm).map(shellWord).join(" ");
}

function wordsOf({ command, args }: Extract<ServerEntry, { command: string }>, npm: string | undefined): string[] {
  // The first argument is the file of the package.
  return npm === undefined ? [command, ...args] : [`npm:${npm}`, ...args.slice(1)];
}

const failureFileName = "failed";

/** Compares what a server lists now with the added tools; tools that were left out, or not wanted, do not count. */
export function changesSince(
  { filter }: Pick<ServerFile, "filter">,
  { tools, leftOut }: ToolsFile,
  listed: readonly ListedTool[],
): ToolChanges {
  const counts = ({ name }: ListedTool) => isWanted(name, filter) && !Object.hasOwn(leftOut, name);
  const before = tools.filter(({ isResource }) => !isResource).map(({ definition }) => definition);
  return compareTools(before, listed.filter(counts));
}

/** Records that the server of one conversation could not be started: what is known about it may no longer be true. */
export function recordFailure(dataDir: string): void {
  writePrivateFile(join(dataDir, failureFileName), "");
}

/** Whether a server is another than it was when its tools were listed, as far as its calls have shown. */
export function hasChanged(dataDir: string): boolean {
  return [changesFileName, failureFileName].some((name) => existsSync(join(dataDir, name)));
}

/** Records how a server's tools differ from the added tools, for the next message; or that they do not. */
export function recordChanges(dataDir: string, changes: ToolChanges): void {
  if (isUnchanged(changes)) rmSync(join(dataDir, changesFileName), { force: true });
  else writePrivateFile(join(dataDir, changesFileName), `${JSON.stringify(changes)}\n`);
}

/**
 * Removes the oldest files of a directory until at most `most` are left.
 *
 * @param pattern only files with such a name count.
 * @throws the system's error.
 */
export function removeOldest(directory: string, most: number, pattern = /^/): void {
  const names = readdirSync(directory).filter((name) => pattern.test(name));
  if (names.length <= most) return;
  const ages = names.map((name) => ({
    name,
    ms: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  ages.sort((a, b) => a.ms - b.ms || (a.name < b.name ? -1 : 1));
  for (const { name } of ages.slice(0, -most)) rmSync(join(directory, name), { force: true });
}
