// Fetches a server if necessary, starts it once, and writes its package into a stage, with a wrapper for each tool.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolNeeds } from "@ikigai/protocol";
import { beforeExit, temporaryPath } from "@ikigai/system";
import { fetchProgram, type InstalledPackage, Refusal, type Stage, type ToolRoot } from "@ikigai/tool-packages";
import type { Inspection } from "../bridge/inspect.ts";
import { type Definitions, defineTools, maxTools } from "../definitions/define-tools.ts";
import type { NameFilter } from "../definitions/server-names.ts";
import { wrapperFileName } from "../definitions/wrapper.ts";
import { packageFiles, toolsFileOf } from "../server/package-files.ts";
import { readSecrets } from "../server/secrets-file.ts";
import { hideSecrets, inPackage, isStdio, type ServerEntry, variablesOf, withOwnHost } from "../server/server-entry.ts";
import { packageName, type ServerFacts, type ServerFile, serverTarget } from "../server/server-file.ts";
import { type BridgeContext, inspectServer, tryCommand } from "./run-bridge.ts";

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
export interface StagedServer {
  readonly record: InstalledPackage;
  readonly facts: ServerFacts;
  readonly definitions: Definitions;
  /** What the tools need in the sandbox. */
  readonly needs: ToolNeeds;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface StageContext extends BridgeContext {
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
export async function stageServer(wanted: WantedServer, options: StageOptions): Promise<StagedServer> {
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
