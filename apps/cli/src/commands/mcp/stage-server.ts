// Prepares a server to be added or updated: starts it, reads what it has, and puts it where the tools of servers are.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { describeNeeds } from "@ikigai/core/internal";
import {
  type Definitions,
  defineTools,
  hideSecrets,
  type Inspection,
  inPackage,
  isStdio,
  maxTools,
  type NameFilter,
  packageFiles,
  packageName,
  readSecrets,
  type ServerEntry,
  type ServerFacts,
  type ServerFile,
  serverTarget,
  toolPrefix,
  toolsFileOf,
  variablesOf,
  withOwnHost,
  withSecrets,
  wrapperFileName,
} from "@ikigai/mcp";
import type { ToolNeeds } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { beforeExit, temporaryPath } from "@ikigai/system";
import {
  fetchProgram,
  type InstalledPackage,
  install,
  Refusal,
  type Stage,
  type ToolRoot,
  withStage,
} from "@ikigai/tool-packages";
import { confirm } from "../../host/confirm.ts";
import { bridgePath, version as ownVersion } from "../../host/own-paths.ts";
import { printError, printOut } from "../../host/stdout.ts";
import type { CommandContext } from "../command.ts";
import { renderDefinitions, renderOffer } from "./added-servers.ts";
import { type InspectRequest, inspectServer, keyOption, tryCommand } from "./inspect-server.ts";

export interface AddOptions extends CommandContext {
  readonly root: ToolRoot;
  /** Whether the user has agreed before. */
  readonly isAllowed: boolean;
  /** Where the command was written for. */
  readonly directory: string;
}

/**
 * Starts a server once, shows what it has, asks, and writes a package with a wrapper for each tool.
 *
 * @returns whether the user agreed.
 * @throws Refusal if it cannot be used; the system's error. Nothing has been written then.
 */
export async function addServer(wanted: WantedServer, options: AddOptions): Promise<boolean> {
  const { root, isAllowed, directory, ...context } = options;
  const { name } = wanted;
  printError(pathAdvice(wanted, directory));
  printError(keyAdvice(wanted));
  printError(plainAdvice(wanted));
  return withStage(context.places.home, async (stage) => {
    const { record, facts, definitions, secrets, needs } = await stageServer(wanted, { ...context, stage, root });
    root.refuseConflicts(packageName(name), record);
    const { columns } = process.stdout;
    printOut(renderOffer(facts, definitions, name, { isWhole: isAllowed, columns }));
    printOut(
      describeNeeds(needs, context.places)
        .map((need) => `In the sandbox it ${sanitiseLine(need)}\n`)
        .join(""),
    );
    printOut(npxAdvice(wanted));
    const view = {
      what: "everything that the model sees",
      print: () => printOut(renderDefinitions(definitions.tools)),
    };
    if (!isAllowed && !(await confirm("Add them?", view))) return false;
    const { places } = context;
    await withSecrets(root.dataOf(packageName(name), places), secrets, () =>
      install(packageName(name), record, { stage, root, places, needsOf: () => needs }),
    );
    const where = root.isHere ? " for this directory" : "";
    printOut(`Added${where}. Each call asks; to allow some: --allow '${toolPrefix(name)}*'\n`);
    return true;
  });
}

/**
 * Warns about arguments that are paths of existing files: the server runs in another directory, where they lead nowhere.
 *
 * @param directory the directory that the command was written for
 */
function pathAdvice({ entry }: WantedServer, directory: string): string {
  if (!isStdio(entry) || entry.cwd !== undefined) return "";
  return entry.args
    .filter((word) => word !== "" && !isAbsolute(word) && existsSync(resolve(directory, word)))
    .map((word) =>
      sanitiseLine(
        `${word} is a relative path, but the server runs in its own data directory. Use the absolute path: ${resolve(directory, word)}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Warns about a key among the arguments of a command, which everyone on the machine can read. */
function keyAdvice({ entry }: WantedServer): string {
  const option = isStdio(entry) && keyOption(entry.args);
  if (!option) return "";
  const name = sanitiseLine(option.split("=", 1)[0] ?? "");
  return `Everyone on this machine can see ${name} and its value. If the server reads a variable instead: --env, or "env" in a file.\n`;
}

/** Warns about a URL on the network without encryption. */
function plainAdvice({ entry }: WantedServer): string {
  const isLocal = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)/i;
  if (isStdio(entry) || !/^http:/i.test(entry.url) || isLocal.test(entry.url)) return "";
  return `${sanitiseLine(serverTarget({ entry }))} is not encrypted: others on the network can read your calls.\n`;
}

/** Says how to avoid npx, which queries the registry at every start. */
function npxAdvice({ name, entry }: WantedServer): string {
  if (!isStdio(entry) || basename(entry.command) !== "npx") return "";
  const spec = entry.args.find((word) => !word.startsWith("-"));
  return spec === undefined
    ? ""
    : `npx queries the registry at every start. To fetch the package once: ikigai mcp add ${name} npm:${sanitiseLine(spec)}\n`;
}

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
export interface EarlierServer {
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

export interface StageOptions extends CommandContext {
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
  const { stage, root, before } = options;
  const fetched = npm === undefined ? undefined : await fetchServer(npm, options);
  const given = fetched ? withProgram(wanted.entry, fetched.program) : wanted.entry;
  const what = isStdio(given) ? "Starting it, with your rights (no sandbox)" : "Connecting";
  printOut(`${what}, to list its tools:  ${sanitiseLine(serverTarget({ entry: given, npm }))}\n`);
  const { facts, tools, transport } = await inspected(name, given, {
    ...options,
    tryCommand: tryCommand(given, npm),
  });
  const found = withTransport(name, given, transport);
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
  const record = writeServerPackage(server, definitions, { stage, root, version });
  const all = { ...needs, ...(variables.length > 0 && { env: variables }) };
  return { record: { ...record, ...fetched?.facts }, facts, definitions, secrets, needs: all };
}

function fetchServer(spec: string, { stage, env, before }: StageOptions): ReturnType<typeof fetchProgram> {
  printError(`Fetching ${sanitiseLine(spec)} …\n`);
  return fetchProgram(spec, stage, { env, lock: before?.record.lock });
}

/** The entry that runs a file of the package. */
function withProgram(entry: ServerEntry, program: string): ServerEntry {
  return isStdio(entry) ? { ...entry, args: [inPackage + program, ...entry.args] } : entry;
}

/** The entry with the transport that the server has. */
function withTransport(name: string, entry: ServerEntry, transport: Inspection["transport"]): ServerEntry {
  if (isStdio(entry) || transport !== "sse") return entry;
  printError(`${name} supports only HTTP with SSE, which MCP has deprecated.\n`);
  return { ...entry, type: "sse" };
}

/**
 * Asks the server. A new program runs in an empty directory, so that it writes nothing before the user has agreed. The data
 * directory of a remote server may have a login.
 */
async function inspected(
  name: string,
  entry: ServerEntry,
  { places, env, stage, root, before, tryCommand: command }: StageOptions & Pick<InspectRequest, "tryCommand">,
): Promise<Inspection> {
  const empty = mkdtempSync(temporaryPath("mcp-"));
  const remove = () => rmSync(empty, { recursive: true, force: true });
  const leave = beforeExit(remove, { isLast: true });
  const { projectDir } = places;
  try {
    const dataDir = isStdio(entry) ? empty : root.dataOf(packageName(name), places);
    const request = { name, entry, packageDir: stage.content, dataDir: before?.dataDir ?? dataDir, projectDir };
    const words = [
      name,
      ...(before ? [] : [sanitiseLine(serverTarget({ entry })), ...(root.isHere ? ["--here"] : [])]),
    ];
    const loginCommand = `ikigai mcp login ${words.join(" ")}`;
    return await inspectServer({ ...request, loginCommand, tryCommand: command }, env, (text) =>
      printError(sanitise(text)),
    );
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

export interface PackagePlace {
  /** Empty, or with the npm package that has the server's program. */
  readonly stage: Stage;
  readonly root: ToolRoot;
  /** The version of the server's program. */
  readonly version: string;
}

/**
 * Writes the package of a server into a stage. A wrapper names the folder that it will be in, so that folder is named after
 * what the package is made of.
 *
 * @returns its entry in the record.
 */
export function writeServerPackage(
  server: ServerFile,
  definitions: Definitions,
  { stage, root, version }: PackagePlace,
): InstalledPackage {
  const { name, listedAt: _, ...facts } = server;
  const { tools } = definitions;
  const node = process.execPath;
  // Without the time: an update that finds nothing new gives the same folder.
  const made = JSON.stringify([
    ...[stage.hash(), facts, toolsFileOf(definitions), tools.map(({ line }) => line)],
    ...[node, bridgePath, ownVersion],
  ]);
  const directory = stage.folder(packageName(name), createHash("sha256").update(made).digest("hex"));
  const places = { node, bridge: bridgePath, packageDir: join(root.packages, directory), version: ownVersion };
  const manifest = { name: packageName(name), version, private: true };
  writeFileSync(join(stage.content, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o644 });
  for (const { name: file, text, isExecutable } of packageFiles(server, definitions, places))
    writeFileSync(join(stage.content, file), text, { mode: isExecutable ? 0o755 : 0o644 });
  const wrappers = tools.map(({ name: tool }) => ({ fileName: wrapperFileName(tool), path: wrapperFileName(tool) }));
  return stage.entry({ server: name, version, directory }, wrappers);
}
