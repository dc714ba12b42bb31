// Adds, updates, checks and removes servers. What the user sees, and is asked, is up to the caller.
import { existsSync, rmSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { JsonObject, ToolNeeds } from "@ikigai/protocol";
import { install, Refusal, type ToolRoot, uninstall, withStage } from "@ikigai/tool-packages";
import type { Inspection } from "../bridge/inspect.ts";
import { changeCounts, type ToolChanges } from "../definitions/compare-tools.ts";
import type { Definitions } from "../definitions/define-tools.ts";
import { toolPrefix } from "../definitions/server-names.ts";
import { withSecrets } from "../server/secrets-file.ts";
import { isStdio } from "../server/server-entry.ts";
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
import { type StageContext, stageServer, type WantedServer } from "./stage-server.ts";

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
    await withSecrets(root.dataOf(owner, places), secrets, () =>
      install(owner, record, { stage, root, places, needsOf: () => needs }),
    );
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
