// Adds, updates, checks and removes servers. What the user sees, and is asked, is up to the caller. Below: a server is fetched if
// necessary, started once, and written as a package into a stage, with a wrapper for each tool.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { JsonObject, ToolNeeds } from "@ikigai/protocol";
import { beforeExit, temporaryPath } from "@ikigai/system";
import {
  fetchProgram,
  type InstalledPackage,
  install,
  Refusal,
  type Stage,
  type ToolRoot,
  uninstall,
  withStage,
} from "@ikigai/tool-packages";
import type { Inspection } from "../bridge/inspect.ts";
import { type Definitions, defineTools, maxTools } from "../definitions/define-tools.ts";
import { changeCounts, type ToolChanges } from "../definitions/listed-tool.ts";
import { type NameFilter, toolPrefix } from "../definitions/server-names.ts";
import { packageFiles, toolsFileOf, wrapperFileName } from "../server/package-files.ts";
import { readSecrets, withSecrets } from "../server/secrets-file.ts";
import { hideSecrets, inPackage, isStdio, type ServerEntry, variablesOf, withOwnHost } from "../server/server-entry.ts";
import {
  changesFileName,
  changesSince,
  packageName,
  recordChanges,
  type ServerFacts,
  type ServerFile,
  type ServerPackage,
  serverTarget,
} from "../server/server-file.ts";
import type { AddedServer } from "./added-servers.ts";
import { type BridgeContext, inspectServer, keyOption, tryCommand } from "./run-bridge.ts";

/** What a server has, before its tools are added. */
export interface ServerOffer extends Definitions {
  readonly name: string;
  /** The beginning of the names of its tools. */
  readonly prefix: string;
  readonly facts: ServerFacts;
  /** What the tools need in the sandbox. */
  readonly needs: ToolNeeds;
  /** How to start it faster. */
  readonly advice: string | undefined;
}

/** What an update of a server changes. */
export interface ServerUpdate extends Pick<ServerOffer, "name" | "facts" | "tools" | "leftOut"> {
  readonly version: string;
  readonly before: {
    readonly version: string;
    readonly instructions: string | undefined;
    /** The schemas of the tools as the model sees them, by name. */
    readonly lines: ReadonlyMap<string, string>;
  };
}

interface AddOptions extends StageContext {
  readonly root: ToolRoot;
  /** Where the command was written for. */
  readonly directory: string;
  /** Shows what it has, and asks. */
  readonly confirm: (offer: ServerOffer) => Promise<boolean>;
}

/**
 * Starts a server once, offers what it has, and writes a package with a wrapper for each tool.
 *
 * @returns the offer to which the user agreed; `undefined` if the user did not agree.
 * @throws Refusal if it cannot be used; the system's error. Nothing has been written then.
 */
export async function addServer(
  wanted: WantedServer,
  { root, directory, confirm, ...context }: AddOptions,
): Promise<ServerOffer | undefined> {
  const { places } = context;
  const owner = packageName(wanted.name);
  for (const text of advices(wanted, directory)) context.warn(text);
  return withStage(places.home, async (stage) => {
    const staged = await stageServer(wanted, { ...context, stage, root });
    const { record, facts, definitions, secrets, needs } = staged;
    root.refuseConflicts(owner, record);
    const offer = {
      name: wanted.name,
      prefix: toolPrefix(wanted.name),
      facts,
      ...definitions,
      needs,
      advice: npxAdvice(wanted),
    };
    if (!(await confirm(offer))) return undefined;
    await withSecrets(root.dataOf(owner, places), secrets, async () => {
      await install(owner, record, { stage, root, places, needsOf: () => needs });
    });
    return offer;
  });
}

/** What the user should know about a server before it is started. */
function advices(wanted: WantedServer, directory: string): string[] {
  return [...pathAdvice(wanted, directory), ...keyAdvice(wanted), ...plainAdvice(wanted)];
}

/** Warns about arguments that are paths of existing files: the server runs in another directory, where they lead nowhere. */
function pathAdvice({ entry }: WantedServer, directory: string): string[] {
  if (!isStdio(entry) || entry.cwd !== undefined) return [];
  return entry.args
    .filter((word) => word !== "" && !isAbsolute(word) && existsSync(resolve(directory, word)))
    .map((word) => {
      const advice = `Use the absolute path: ${resolve(directory, word)}`;
      return `${word} is a relative path, but the server runs in its own data directory. ${advice}`;
    });
}

/** Warns about a key among the arguments of a command, which everyone on the machine can read. */
function keyAdvice({ entry }: WantedServer): string[] {
  const option = isStdio(entry) && keyOption(entry.args);
  if (!option) return [];
  const seen = `Everyone on this machine can see ${option.split("=", 1)[0]} and its value`;
  return [`${seen}. If the server reads a variable instead: --env, or "env" in a file.`];
}

/** Warns about a URL on the network without encryption. */
function plainAdvice({ entry }: WantedServer): string[] {
  const isLocal = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)/i;
  if (isStdio(entry) || !/^http:/i.test(entry.url) || isLocal.test(entry.url)) return [];
  return [`${serverTarget({ entry })} is not encrypted: others on the network can read your calls.`];
}

/** Says how to avoid npx, which queries the registry at every start. */
function npxAdvice({ name, entry }: WantedServer): string | undefined {
  if (!isStdio(entry) || basename(entry.command) !== "npx") return undefined;
  const spec = entry.args.find((word) => !word.startsWith("-"));
  return spec === undefined
    ? undefined
    : `npx queries the registry at every start. To fetch the package once: ikigai mcp add ${name} npm:${spec}`;
}

interface UpdateOptions extends StageContext {
  /** Shows the changes, and asks. */
  readonly confirm: (update: ServerUpdate) => Promise<boolean>;
}

/**
 * Lists the tools of a server again, and replaces its package if anything has changed.
 *
 * @throws Refusal if its files are damaged, or it cannot be used; the system's error. Nothing has been changed then.
 */
export async function updateServer(
  before: AddedServer,
  { confirm, ...context }: UpdateOptions,
): Promise<"updated" | "up to date" | "declined"> {
  const { name, root, dataDir } = before;
  const { places } = context;
  const pack = before.package();
  return withStage(places.home, async (stage) => {
    const staged = await stageServer(wantedAgain(pack.server), { ...context, stage, root, before });
    const { record, facts, definitions, needs } = staged;
    const forget = () => rmSync(join(dataDir, changesFileName), { force: true });
    if (record.directory === before.record.directory && before.isAsAdded) {
      forget();
      return "up to date";
    }
    root.refuseConflicts(packageName(name), record);
    const { version } = before.record;
    const old = { version, instructions: pack.server.instructions, lines: before.lines() };
    if (!(await confirm({ name, facts, ...definitions, version: record.version, before: old }))) return "declined";
    await install(packageName(name), record, { stage, root, places, needsOf: () => needs });
    forget();
    return "updated";
  });
}

/** The request that added the server, to repeat it. */
function wantedAgain({ name, entry, npm, filter, needs }: ServerFile): WantedServer {
  if (npm === undefined || !isStdio(entry)) return { name, entry, filter, needs };
  // The first argument is the program of the last version.
  return { name, entry: { ...entry, args: entry.args.slice(1) }, npm, filter, needs };
}

/** What a check has found. */
export interface ServerCheck extends Pick<Inspection, "times" | "call"> {
  /** How its tools differ from those that were added. */
  readonly changes: ToolChanges;
  /** `+2 -1 ~3`; empty if nothing differs. */
  readonly counts: string;
}

/**
 * Starts a server, compares its tools with the added ones, and calls one of them if wanted.
 *
 * @param call the tool as the model calls it, also without `mcp__SERVER__`, or as the server does.
 * @throws Refusal if its files are damaged, it cannot be used, or it has no such tool.
 */
export async function checkServer(
  added: AddedServer,
  call: { readonly tool: string; readonly arguments: JsonObject } | undefined,
  context: BridgeContext,
): Promise<ServerCheck> {
  const { name, dataDir } = added;
  const pack = added.package();
  const { entry, npm } = pack.server;
  const request = { name, entry, packageDir: pack.path, dataDir, tryCommand: tryCommand(entry, npm) };
  const known = call && { call: { ...call, tool: addedTool(call.tool, pack) } };
  const found = await inspectServer({ ...request, ...known }, context);
  if (!isStdio(entry) && found.transport !== entry.type)
    throw new Refusal(`${name} now uses another transport (${found.transport}). Remove it and add it again.`);
  const changes = changesSince(pack.server, pack.tools, found.tools);
  recordChanges(dataDir, changes);
  return { times: found.times, changes, counts: changeCounts(changes), ...(found.call && { call: found.call }) };
}

function addedTool(name: string, { server, tools: { tools } }: ServerPackage): string {
  const found =
    tools.find(({ tool }) => tool === name) ??
    tools.find(({ definition, isResource }) => !isResource && definition.name === name) ??
    tools.find(({ tool }) => tool.replace(/^mcp__.*?__/, "") === name);
  if (found) return found.tool;
  const known = tools.map(({ tool }) => tool).join(", ");
  throw new Refusal(`${server.name} has no tool ${JSON.stringify(name)}. Known: ${known}.`);
}

/** Removes a server: its tools, its package, its secrets and other data. @throws the system's error. */
export async function removeServer(
  { name, record, root, dataDir }: AddedServer,
  places: BridgeContext["places"],
): Promise<void> {
  await uninstall(packageName(name), record, { root, places });
  rmSync(dataDir, { recursive: true, force: true });
  root.tidy(dataDir);
}

// Fetches a server if necessary, starts it once, and writes its package into a stage, with a wrapper for each tool.

/** A server that the user wants to use. */
export interface WantedServer {
  readonly name: string;
  /** With the values that the user gave, or as it was added. The arguments of an npm package's program do not name it yet. */
  readonly entry: ServerEntry;
  /** The npm package that has its program. */
  readonly npm?: string | undefined;
  readonly filter: NameFilter;
  /** What it needs in the sandbox, besides the variables of its entry and its own host. */
  readonly needs?: ToolNeeds | undefined;
}

/** A server that was added before. */
interface EarlierServer {
  readonly record: InstalledPackage;
  readonly dataDir: string;
}

/** A server's package in a stage, and what the user has to see of it before it is installed. */
interface StagedServer {
  readonly record: InstalledPackage;
  readonly facts: ServerFacts;
  readonly definitions: Definitions;
  /** What the tools need in the sandbox. */
  readonly needs: ToolNeeds;
  readonly secrets: Readonly<Record<string, string>>;
}

interface StageContext extends BridgeContext {
  /** Something that the user should know: a line. */
  readonly warn: (text: string) => void;
  /** What is done now: a line. */
  readonly step: (text: string) => void;
}

interface StageOptions extends StageContext {
  readonly stage: Stage;
  readonly root: ToolRoot;
  /** Its last version: keeps its dependencies and runs where its data is. */
  readonly before?: EarlierServer;
}

/**
 * Fetches a server if necessary, starts it once, lists its tools, and writes its package into an empty stage.
 *
 * @throws Refusal if it cannot be fetched or started, or has no usable tools.
 */
async function stageServer(wanted: WantedServer, options: StageOptions): Promise<StagedServer> {
  const { name, npm, filter } = wanted;
  const { stage, before, env, step } = options;
  if (npm !== undefined) options.warn(`Fetching ${npm} …`);
  const fetched = npm === undefined ? undefined : await fetchProgram(npm, stage, { env, lock: before?.record.lock });
  const given = fetched ? withProgram(wanted.entry, fetched.program) : wanted.entry;
  const what = isStdio(given) ? "Starting it, with your rights (no sandbox)" : "Connecting";
  step(`${what}, to list its tools:  ${serverTarget({ entry: given, npm })}`);
  const { facts, tools, transport } = await inspected(name, given, options, tryCommand(given, npm));
  const isSse = !isStdio(given) && transport === "sse";
  if (isSse) options.warn(`${name} supports only HTTP with SSE, which MCP has deprecated.`);
  const found: ServerEntry = isSse ? { ...given, type: "sse" } : given;
  const { entry, secrets } = before ? { entry: found, secrets: readSecrets(before.dataDir) } : hideSecrets(found);
  const variables = variablesOf(entry, secrets);
  const needs = before ? wanted.needs : withOwnHost(wanted.needs, given);
  const definitions = defineTools(tools, {
    ...{ server: name, variables, needs, filter, hasResources: facts.hasResources },
    hasHeaders: transport === "http" && facts.era === "modern",
  });
  refuseUnusable(definitions, name, tools.length);
  const server: ServerFile = {
    ...{ name, entry, ...facts, filter, listedAt: new Date().toISOString() },
    ...(npm !== undefined && { npm }),
    ...(needs && { needs }),
  };
  const version = fetched?.version ?? facts.serverInfo?.version ?? "";
  const record = writeServerPackage(server, definitions, { ...options, version });
  const all = { ...needs, ...(variables.length > 0 && { env: variables }) };
  return { record: { ...record, ...fetched?.facts }, facts, definitions, secrets, needs: all };
}

/** The entry that runs a file of the package. */
function withProgram(entry: ServerEntry, program: string): ServerEntry {
  return isStdio(entry) ? { ...entry, args: [inPackage + program, ...entry.args] } : entry;
}

/**
 * Asks the server. A new program runs in an empty directory, so that it writes nothing before the user has agreed. The data
 * directory of a remote server may have a login.
 */
async function inspected(
  name: string,
  entry: ServerEntry,
  { stage, root, before, ...context }: StageOptions,
  command: string | undefined,
): Promise<Inspection> {
  const empty = mkdtempSync(temporaryPath("mcp-"));
  const remove = () => rmSync(empty, { recursive: true, force: true });
  const leave = beforeExit(remove, { isLast: true });
  try {
    const dataDir = isStdio(entry) ? empty : root.dataOf(packageName(name), context.places);
    const request = { name, entry, packageDir: stage.content, dataDir: before?.dataDir ?? dataDir };
    const words = [name, ...(before ? [] : [serverTarget({ entry }), ...(root.isHere ? ["--here"] : [])])];
    const loginCommand = `ikigai mcp login ${words.join(" ")}`;
    return await inspectServer({ ...request, loginCommand, tryCommand: command }, context);
  } finally {
    leave();
    remove();
  }
}

function refuseUnusable({ tools, leftOut }: Definitions, name: string, listed: number): void {
  if (tools.length > maxTools)
    throw new Refusal(
      `${name} has ${tools.length} tools, but at most ${maxTools} can be added. Choose some: --include 'get_*', or --exclude`,
    );
  if (tools.length > 0) return;
  const [first] = leftOut;
  throw new Refusal(
    first === undefined
      ? `${name} has ${listed === 0 ? "no tools" : "no tools left after --include and --exclude"}. Nothing was added.`
      : `None of the tools of ${name} can be used: ${first.name}: ${first.reason}. Nothing was added.`,
  );
}

/**
 * Writes the package of a server into a stage. A wrapper names the folder that it will be in, so that folder is named after
 * what the package is made of.
 *
 * @returns its entry in the record.
 */
function writeServerPackage(
  server: ServerFile,
  definitions: Definitions,
  { stage, root, bridge, version }: Pick<StageOptions, "stage" | "root" | "bridge"> & { readonly version: string },
): InstalledPackage {
  const { name, listedAt: _, ...facts } = server;
  const { tools } = definitions;
  const node = process.execPath;
  // Without the time: an update that finds nothing new gives the same folder.
  const made = JSON.stringify([
    ...[stage.hash(), facts, toolsFileOf(definitions), tools.map(({ line }) => line)],
    ...[node, bridge.path, bridge.version],
  ]);
  const directory = stage.folder(packageName(name), createHash("sha256").update(made).digest("hex"));
  const packageDir = join(root.packages, directory);
  const places = { node, bridge: bridge.path, packageDir, version: bridge.version };
  const manifest = { name: packageName(name), version, private: true };
  writeFileSync(join(stage.content, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o644 });
  for (const { name: file, text, isExecutable } of packageFiles(server, definitions, places))
    writeFileSync(join(stage.content, file), text, { mode: isExecutable ? 0o755 : 0o644 });
  const wrappers = tools.map(({ name: tool }) => ({ fileName: wrapperFileName(tool), path: wrapperFileName(tool) }));
  return stage.entry({ server: name, version, directory }, wrappers);
}
