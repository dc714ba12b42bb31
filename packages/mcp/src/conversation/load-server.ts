// Starts one MCP server to learn what it has, or takes what it listed the last time.
import { createHash } from "node:crypto";
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { execute, type RegisteredTool, type SandboxSettings } from "@ikigai/core";
import { isJsonObject, type JsonObject, type ToolNeeds } from "@ikigai/protocol";
import {
  makePrivateDirectory,
  parseObject,
  privateDirectoryMode,
  privateFileMode,
  readRegularFile,
  tellingLine,
  writePrivateFile,
} from "@ikigai/system";
import type { Inspection } from "../bridge/inspect.ts";
import { type Definitions, defineTools, maxTools } from "../definitions/define-tools.ts";
import { toolPrefix } from "../definitions/server-names.ts";
import { inspectText, packageFiles, wrapperFileName } from "../server/package-files.ts";
import { writeSecrets } from "../server/secrets-file.ts";
import {
  expandEntry,
  hideSecrets,
  isStdio,
  type ServerEntry,
  variablesOf,
  withOwnHost,
} from "../server/server-entry.ts";
import { packageName, removeOldest, type ServerFile } from "../server/server-file.ts";

/** A server with a valid name, which no other server of the conversation has. */
export interface AcceptedServer {
  readonly name: string;
  readonly entry: ServerEntry;
  /** Set if `${VAR}` in the values of the entry is text like any other. */
  readonly isLiteral?: true;
}

/** Where the files of a server are. */
export interface ServerFiles {
  /** The package, which discovery finds once it is written. */
  readonly package: string;
  readonly data: string;
}

export interface LoadScene
  extends Pick<ListRequest, "own" | "bridge" | "places" | "env" | "sandbox" | "sessionId" | "timeoutMs" | "signal"> {
  readonly files: ServerFiles;
}

/** What became of a server. */
export interface LoadedServer {
  /** Why it cannot be used, a sentence. */
  readonly problem?: string;
  /** What the user should know about its tools, a sentence each. */
  readonly notices: readonly string[];
  /** Where its list is kept. */
  readonly list?: string;
}

/**
 * Makes the tools of a server for one conversation. Starts it only if its list is not known.
 *
 * @throws the system's error if its files cannot be written.
 */
export async function loadServer(server: AcceptedServer, scene: LoadScene): Promise<LoadedServer> {
  const { name, isLiteral = false } = server;
  const { files, places, env, sandbox, bridge } = scene;
  const { entry, secrets } = hideSecrets(server.entry);
  writeSecrets(files.data, secrets);
  const variables = isLiteral ? [] : variablesOf(entry, secrets);
  const needs = withOwnHost(undefined, server.entry);
  const list = listPath(places.home, server, {
    ...{ env, version: bridge.version },
    projectDir: places.projectDir,
    isSandboxed: sandbox !== undefined,
  });
  const known =
    readList(list) ?? (await listed({ ...scene, name, entry, isLiteral, variables, needs, dataDir: files.data }));
  if ("problem" in known) return { list, notices: [], problem: known.problem };
  writeList(list, known);
  const { facts, tools, transport, listedAt } = known;
  const filter = { include: [], exclude: [] };
  const definitions = defineTools(tools, {
    ...{ server: name, variables, needs, filter, hasResources: facts.hasResources },
    hasHeaders: transport === "http" && facts.era === "modern",
  });
  const problem = tooMany(name, definitions);
  if (problem !== undefined) return { list, notices: [], problem };
  const file = { name, entry: withTransport(entry, transport), ...facts, filter, listedAt, isTemporary: true } as const;
  writeTools(files.package, { ...file, ...(isLiteral && { isLiteral }) }, definitions, bridge);
  return { list, notices: noticesOf(name, definitions) };
}

async function listed(request: ListRequest): Promise<ServerList | { readonly problem: string }> {
  const answer = await listServer(request);
  if ("problem" in answer) return answer;
  const { facts, tools, transport } = answer;
  return { facts, tools, transport, listedAt: new Date().toISOString() };
}

function withTransport(entry: ServerEntry, transport: ServerList["transport"]): ServerEntry {
  return isStdio(entry) || transport === "stdio" ? entry : { ...entry, type: transport };
}

function tooMany(name: string, { tools }: Definitions): string | undefined {
  if (tools.length <= maxTools) return undefined;
  return `The MCP server ${name} has ${tools.length} tools, at most ${maxTools} can be used.`;
}

/** How many tools that cannot be used are named. */
const maxNamed = 3;

function noticesOf(name: string, { tools, leftOut }: Definitions): string[] {
  if (leftOut.length === 0) return tools.length === 0 ? [`The MCP server ${name} has no tools.`] : [];
  const named = leftOut.slice(0, maxNamed).map((tool) => `${tool.name} (${tool.reason})`);
  const more = leftOut.length > maxNamed ? ` and ${leftOut.length - maxNamed} more` : "";
  return [`Tools of the MCP server ${name} that cannot be used: ${named.join(", ")}${more}.`];
}

/** The program that speaks MCP, and the version of ikigai. */
export interface BridgeProgram {
  readonly path: string;
  readonly version: string;
}

/** What to ask, and how. */
interface ListRequest {
  readonly name: string;
  /** Without secrets, which are in its data directory. */
  readonly entry: ServerEntry;
  readonly isLiteral: boolean;
  /** The environment variables that its entry names. */
  readonly variables: readonly string[];
  /** What it needs besides them in the sandbox. */
  readonly needs: ToolNeeds | undefined;
  /** The directory of the conversation. */
  readonly own: string;
  readonly bridge: BridgeProgram;
  readonly dataDir: string;
  readonly places: { readonly home: string; readonly projectDir: string };
  readonly env: NodeJS.ProcessEnv;
  readonly sandbox: SandboxSettings | undefined;
  readonly sessionId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The longest list, in bytes: 200 tools take less than half of it. */
const maxListBytes = 4 * 1_048_576;

/** How long the program that speaks MCP gets to end a server that says nothing, in milliseconds. */
const reserveMs = 3_000;

/** What the server has; or why it cannot be used, a sentence. */
type Listed = Inspection | { readonly problem: string };

/**
 * Starts a server, lists its tools, and ends it. It runs as a tool's call does: in the same sandbox, with a limit, and it does not
 * outlive ikigai.
 */
async function listServer(request: ListRequest): Promise<Listed> {
  const { name, entry, isLiteral, dataDir, places, timeoutMs } = request;
  const tool = listingTool(request);
  const asked = {
    ...{ name, entry, isLiteral, dataDir, packageDir: dirname(tool.path), projectDir: places.projectDir },
    loginCommand: `ikigai mcp add ${name} URL`,
    timeoutMs: Math.max(1, timeoutMs - reserveMs),
  };
  const { env, sandbox, sessionId, signal, own } = request;
  const { envelope, overflowFile } = await execute(tool, JSON.stringify(asked), {
    ...{ cwd: places.projectDir, projectDir: places.projectDir, home: places.home, env, sandbox, sessionId, signal },
    ...{ timeoutMs, maxOutputBytes: maxListBytes, overflowDir: join(own, "outputs"), serve: false },
  });
  if (overflowFile !== undefined) return tooLong(name);
  if (envelope.tool_success) return answerOf(envelope.result);
  if (envelope.error_code === "OUTPUT_TOO_LARGE") return tooLong(name);
  if (envelope.error_code === "TOOL_TIMEOUT" || envelope.error_code === "TOOL_CANCELLED")
    return { problem: `The MCP server ${name} did not list its tools in time.` };
  const said = tellingLine(envelope.stderr);
  const printed = said === "" ? "" : ` It printed: ${said}`;
  return { problem: `Cannot list what the MCP server ${name} offers: ${envelope.error}.${printed}` };
}

/** The program that asks, as a tool of the conversation. Discovery does not find it. */
function listingTool({ name, own, bridge, variables, needs }: ListRequest): RegisteredTool {
  const path = join(own, "packages", packageName(name), "inspect");
  makePrivateDirectory(dirname(path));
  writeFileSync(path, inspectText({ node: process.execPath, bridge: bridge.path, version: bridge.version }), {
    mode: privateFileMode,
  });
  chmodSync(path, privateDirectoryMode);
  const toolName = `${toolPrefix(name)}list`;
  const schema = { name: toolName, description: "", parameters: {}, ikigai: { needs: { ...needs, env: variables } } };
  const identity = { realPath: path, stamp: "" };
  return { name: toolName, path, scope: "user", schema, identity, shadows: [], warnings: [], home: own };
}

function answerOf(answer: JsonObject): Listed {
  const { error, help } = answer;
  // The program that speaks MCP is ours.
  if (typeof error !== "string") return answer as unknown as Inspection;
  const steps = isJsonObject(help) && Array.isArray(help.steps) ? help.steps : [];
  return { problem: steps.length === 0 ? error : `${error} To fix it: ${steps.join("; ")}` };
}

function tooLong(name: string): Listed {
  return { problem: `The MCP server ${name} has a list of more than ${maxListBytes} bytes.` };
}

/**
 * Writes the package of a server at a path where nothing is yet. It appears as a whole, with what its wrappers print for `--schema`.
 *
 * @throws the system's error.
 */
function writeTools(path: string, server: ServerFile, definitions: Definitions, bridge: BridgeProgram): void {
  const unfinished = join(dirname(path), "unfinished");
  makePrivateDirectory(unfinished);
  const places = { node: process.execPath, bridge: bridge.path, packageDir: path, version: bridge.version };
  const schemas: Record<string, unknown> = {};
  const lines = new Map(definitions.tools.map(({ name, line }) => [wrapperFileName(name), line]));
  for (const { name, text, isExecutable } of packageFiles(server, definitions, places)) {
    writeFileSync(join(unfinished, name), text, { mode: isExecutable ? privateDirectoryMode : privateFileMode });
    const line = lines.get(name);
    if (line !== undefined) schemas[createHash("sha256").update(text).digest("hex")] = JSON.parse(line);
  }
  writeFileSync(join(unfinished, "schemas.json"), JSON.stringify(schemas), { mode: privateFileMode });
  renameSync(unfinished, path);
}

/** What a server listed, and when, in ISO 8601. */
interface ServerList extends Pick<Inspection, "facts" | "tools" | "transport"> {
  readonly listedAt: string;
}

/** What a list depends on. */
interface ListCircumstances {
  /** The version of ikigai. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** The server can ask for it. */
  readonly projectDir: string;
  /** Whether the server runs in the sandbox. */
  readonly isSandboxed: boolean;
}

/** A remote server changes without a trace here, and so does what `npx` fetches: lists are kept for a day, in milliseconds. */
const maxAgeMs = 24 * 3_600_000;

const maxLists = 100;

/** Where the list of a server is kept: another entry, value, file of its command, directory or version gives another path. */
function listPath(
  home: string,
  { name, entry, isLiteral }: AcceptedServer,
  { version, env, projectDir, isSandboxed }: ListCircumstances,
): string {
  const expanded = expandEntry(entry, {}, env, { isLiteral: isLiteral === true });
  const words = isStdio(entry) ? [entry.command, ...entry.args] : [];
  const files = words.filter(isAbsolute).map(stateOf);
  const text = JSON.stringify([version, name, expanded, files, projectDir, isSandboxed]);
  return join(home, "cache", "mcp-lists", `${createHash("sha256").update(text).digest("hex")}.json`);
}

/** Reads a list; `undefined` if it is missing, damaged or too old. */
export function readList(path: string): ServerList | undefined {
  try {
    const { facts, tools, listedAt, ...list } = parseObject(readRegularFile(path).toString()) ?? {};
    const ageMs = Date.now() - Date.parse(String(listedAt));
    if (!(ageMs >= 0 && ageMs < maxAgeMs) || !isJsonObject(facts) || !Array.isArray(tools)) return undefined;
    // ikigai has written the file, and only the user can.
    return { ...list, facts, tools, listedAt } as unknown as ServerList;
  } catch {
    return undefined;
  }
}

/** Keeps a list. Write errors are ignored: the next conversation asks the server again. */
export function writeList(path: string, list: ServerList): void {
  try {
    writePrivateFile(path, JSON.stringify(list));
    removeOldest(join(path, ".."), maxLists);
  } catch {
    // Full or read-only.
  }
}

/** Forgets a list that the server no longer has. */
export function forgetList(path: string): void {
  rmSync(path, { force: true });
}

function stateOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    return `${dev}.${ino}.${size}.${mtimeMs}`;
  } catch {
    return "";
  }
}
