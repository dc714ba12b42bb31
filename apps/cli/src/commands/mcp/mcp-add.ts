// `ikigai mcp add`: reads what to add, asks for what is missing, and adds it.

import { dirname, resolve } from "node:path";
import { describeNeeds } from "@ikigai/core/trust";
import {
  AddedServer,
  addServer,
  type ConfiguredServer,
  describeServer,
  readServerConfigFile,
  readServerEntry,
  renderConfigFault,
  type ServerEntry,
  type ServerOffer,
  serverNameProblem,
  type WantedServer,
} from "@ikigai/mcp";
import { maxNeeds, needProblem, type ToolNeeds } from "@ikigai/protocol";
import { sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { isInside, realPathOf } from "@ikigai/system";
import { ToolRoot } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/command-groups.ts";
import { usageOf } from "../../args/option.ts";
import { readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { openCommandTools } from "../../host/conversation/command-tools.ts";
import { rememberDecision } from "../../host/conversation/mcp-file.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { renderDefinitions, renderOffer, serverContext } from "./show-server.ts";

/** Adds the tools of an MCP server, or of those that a configuration file names. */
export const mcpAdd: Command = {
  async run(args, context) {
    const request = readAdd(args);
    if ("file" in request) return addFrom(request, context);
    return withRefusals(() => add(request, context));
  },
};

async function add(request: AddRequest, context: CommandContext): Promise<number> {
  const { name, isAllowed } = request;
  const { places, env } = context;
  const known = AddedServer.rootOf(name, places);
  // Two servers of one name would share rules, and some of their tools.
  if (known)
    throw new UsageError(
      `${name} has already been added${known.isHere ? " for this directory" : ""}. To update it: ikigai mcp update ${name}`,
    );
  if (!isAllowed && !canAsk()) throw nobodyToAsk(confirmAdvice(request));
  const root = request.isHere ? ToolRoot.here(places) : ToolRoot.of(places, { isProject: false });
  if (!(await addIfWanted(request, { ...context, root, isAllowed, directory: places.projectDir }))) {
    printError("Nothing was added.\n");
    return exitCodes.failed;
  }
  // Fills the schema cache, so that the next start runs no wrapper.
  await openCommandTools(places, env).last();
  return exitCodes.done;
}

interface AddOptions extends CommandContext {
  readonly root: ToolRoot;
  /** Whether the user has agreed before. */
  readonly isAllowed: boolean;
  /** Where the command was written for. */
  readonly directory: string;
}

/** Adds a server if the user agrees to what it has. @throws Refusal if it cannot be used. */
async function addIfWanted(wanted: WantedServer, { root, isAllowed, directory, ...context }: AddOptions) {
  const confirmOffer = async (offer: ServerOffer) => {
    const { columns } = process.stdout;
    printOut(renderOffer(offer.facts, offer, offer.name, { isWhole: isAllowed, columns }));
    for (const need of describeNeeds(offer.needs, context.places))
      printOut(`In the sandbox it ${sanitiseLine(need)}\n`);
    if (offer.advice !== undefined) printOut(`${sanitiseLine(offer.advice)}\n`);
    const print = () => printOut(renderDefinitions(offer.tools));
    return isAllowed || confirm("Add them?", { what: "everything that the model sees", print });
  };
  const added = await addServer(wanted, { ...serverContext(context), root, directory, confirm: confirmOffer });
  if (added === undefined) return false;
  const where = root.isHere ? " for this directory" : "";
  printOut(`Added${where}. Each call asks; to allow some: --allow '${added.prefix}*'\n`);
  return true;
}

/** What to do without a terminal; `undefined` for the usual advice. */
function confirmAdvice({ entry }: AddRequest): string | undefined {
  const last = "args" in entry ? entry.args.at(-1) : undefined;
  if (last !== "--yes" && last !== "-y") return undefined;
  return `put --yes before --, to confirm; after it, ${last} is an argument of the server.`;
}

/** A server to add, and where. */
interface WantedOne {
  readonly server: UsableServer;
  readonly isHere: boolean;
}

/** The servers of a file, by what becomes of them. */
interface Sorted {
  readonly usable: readonly WantedOne[];
  /** Names that the user has added before, or from elsewhere. */
  readonly known: readonly ConfiguredServer[];
  readonly unusable: readonly Exclude<ConfiguredServer, UsableServer>[];
  /** Disabled in the file, and not named on the command line. */
  readonly disabled: readonly ConfiguredServer[];
}

/**
 * Adds the servers of another program's configuration file. Shows what each would start or reach, and starts nothing before the user
 * has agreed; then shows for each what it has, and asks. One that fails does not stop the others.
 *
 * @throws UsageError if the file cannot be read, lacks a named server, or no one can be asked.
 */
function addFrom(request: AddFromRequest, context: CommandContext): Promise<number> {
  return withRefusals(async () => {
    const { file } = request;
    const read = readServerConfigFile(file, context.places.projectDir);
    if ("problem" in read) throw new UsageError(sanitiseLine(renderConfigFault(file, read)));
    const sorted = sort(chosenServers(read.servers, request), request, context);
    const { usable, unusable } = sorted;
    printOut(renderSorted(sorted, file, context.env));
    const ends = await addAll(usable, request, { ...context, directory: read.directory });
    // After failures only, the file is not in use.
    if (ends.length === 0 || ends.some((end) => end !== "failed")) rememberDecision(file, read, context.places.home);
    for (const { given, problem } of unusable)
      printError(`${sanitiseLine(`${given} was not added: it cannot be used. ${problem}`)}\n`);
    const isDone = unusable.length === 0 && ends.every((end) => end === "added");
    return isDone ? exitCodes.done : exitCodes.failed;
  });
}

/** The servers that the user wants, in the order of the file. */
function chosenServers(
  servers: readonly ConfiguredServer[],
  { file, names }: AddFromRequest,
): readonly ConfiguredServer[] {
  const isCalled = (wanted: string) => (server: ConfiguredServer) => [server.name, server.given].includes(wanted);
  const unknown = names.find((name) => !servers.some(isCalled(name)));
  if (unknown !== undefined)
    throw new UsageError(
      sanitiseLine(
        `No server ${JSON.stringify(unknown)} in ${file}. It has: ${servers.map(({ name }) => name).join(", ")}.`,
      ),
    );
  return names.length === 0 ? servers : servers.filter((server) => names.some((name) => isCalled(name)(server)));
}

function sort(
  servers: readonly ConfiguredServer[],
  { file, names, isHere }: AddFromRequest,
  { places }: CommandContext,
): Sorted {
  const areHere = isHere || isOfProject(file, places);
  const known = servers.filter(({ name }) => AddedServer.rootOf(name, places) !== undefined);
  const disabled = servers.filter((server) => server.isDisabled && !known.includes(server) && names.length === 0);
  const rest = servers.filter((server) => !known.includes(server) && !disabled.includes(server));
  const unusable = rest.filter((server) => "problem" in server);
  const usable = rest.filter((server) => "entry" in server);
  return {
    usable: usable.map((server) => ({ server, isHere: areHere || server.isOfProject })),
    known,
    unusable,
    disabled,
  };
}

/** Whether a file is in the project. The home directory and those above it are no project: their files are the user's. */
function isOfProject(file: string, { projectDir, userHome }: CommandContext["places"]): boolean {
  const project = realPathOf(projectDir);
  return isInside(realPathOf(dirname(resolve(file))), project) && !isInside(realPathOf(userHome), project);
}

function renderSorted({ usable, known, unusable, disabled }: Sorted, file: string, env: NodeJS.ProcessEnv): string {
  const count = usable.length + known.length + unusable.length + disabled.length;
  const areAllHere = usable.length > 0 && usable.every(({ isHere }) => isHere);
  const where = areAllHere ? ", for this directory only" : "";
  return [
    `${count} MCP ${count === 1 ? "server" : "servers"} in ${sanitiseLine(file)}${where}${count === 0 ? "." : ":"}\n`,
    ...usable.map(({ server, isHere }) => renderUsable(server, { isHere: isHere && !areAllHere, env })),
    ...known.map((server) =>
      renderOther(server, `has already been added. To update it: ikigai mcp update ${server.name}`),
    ),
    ...disabled.map((server) =>
      renderOther(server, `is disabled in the file; to add it anyway, name it: ${server.name}`),
    ),
    ...unusable.map((server) => renderOther(server, `cannot be used. ${server.problem}`)),
  ].join("");
}

async function mayStart(usable: readonly WantedOne[], { isAllowed }: AddFromRequest): Promise<boolean> {
  if (isAllowed) return true;
  if (!canAsk()) throw nobodyToAsk();
  const [which, what] = usable.length === 1 ? ["it", "what it has"] : ["them", "what they have"];
  const hasPrograms = usable.some(({ server }) => "command" in server.entry);
  const values = usable.map(({ server }) => renderValues(server)).join("");
  return confirm(
    hasPrograms
      ? `Start ${which} now, with your rights (no sandbox), to see ${what}?`
      : `Connect to ${which} now, to see ${what}?`,
    { what: "the whole entries, secrets included", print: () => printOut(values) },
  );
}

interface FromContext extends CommandContext {
  /** The directory of the project that the file belongs to. */
  readonly directory: string;
}

/** What became of a server. */
type AddEnd = "added" | "declined" | "failed";

/** Adds the servers one after the other, if the user agrees to start them. @throws UsageError if no one can be asked. */
async function addAll(
  usable: readonly WantedOne[],
  request: AddFromRequest,
  context: FromContext,
): Promise<readonly AddEnd[]> {
  if (usable.length === 0) return [];
  if (!(await mayStart(usable, request))) {
    printError("Nothing was started or added.\n");
    return ["declined"];
  }
  const ends: AddEnd[] = [];
  for (const one of usable) ends.push(await addOne(one, request, context));
  // Fills the schema cache, so that the next start runs no wrapper.
  await openCommandTools(context.places, context.env).last();
  return ends;
}

async function addOne(
  { server: { name, entry }, isHere }: WantedOne,
  { filter, isAllowed }: AddFromRequest,
  context: FromContext,
): Promise<AddEnd> {
  const { places } = context;
  const root = isHere ? ToolRoot.here(places) : ToolRoot.of(places, { isProject: false });
  const options = { ...context, root, isAllowed };
  let end = "failed" as AddEnd;
  printOut(`\n${name}\n`);
  await withRefusals(async () => {
    end = (await addIfWanted({ name, entry, filter }, options)) ? "added" : "declined";
    return exitCodes.done;
  });
  if (end === "declined") printError(`${name} was not added.\n`);
  return end;
}

/** A server of a file that can be added. */
type UsableServer = Extract<ConfiguredServer, { readonly entry: ServerEntry }>;

/** What a server would start or reach, and what it would get. The values that the file sets may be secrets, so only names are shown. */
function renderUsable(
  server: UsableServer,
  { isHere, env }: { readonly isHere: boolean; readonly env: NodeJS.ProcessEnv },
): string {
  const { target, facts } = describeServer(server.entry, env);
  return lines(server, target, [...facts, ...(isHere ? ["for this directory only"] : [])]);
}

/** The whole entry of a server. */
function renderValues({ name, entry }: UsableServer): string {
  return `${sanitiseStrictly(`${name} ${JSON.stringify(entry, null, 2)}`)}\n`;
}

/** A server that is not added, and why. */
function renderOther(server: Pick<ConfiguredServer, "name" | "given">, why: string): string {
  return lines(server, why, []);
}

function lines(
  { name, given }: Pick<ConfiguredServer, "name" | "given">,
  text: string,
  facts: readonly string[],
): string {
  const title = name === given ? name : `${name} (${given} in the file)`;
  return [`  ${title}  ${text}`, ...facts.map((fact) => `      ${fact}`)]
    .map((line) => `${sanitiseLine(sanitiseStrictly(line))}\n`)
    .join("");
}

const syntax = mcpCommands["mcp add"];

/** The beginning of an npm package among the operands. */
const npmPrefix = "npm:";

/** What the user wants to add. */
export interface AddRequest extends WantedServer {
  readonly isAllowed: boolean;
  /** Whether it is added for this directory only. */
  readonly isHere: boolean;
}

/** A configuration file whose servers the user wants to add. */
export interface AddFromRequest extends Pick<AddRequest, "filter" | "isAllowed" | "isHere"> {
  readonly file: string;
  /** The servers to add; empty: all. */
  readonly names: readonly string[];
}

type Given = ReturnType<typeof readOptions<typeof syntax.options>>;

/** Reads the command line of `mcp add`. @throws UsageError. */
export function readAdd(args: readonly string[]): AddRequest | AddFromRequest {
  const at = args.indexOf("--");
  const given = readOptions(at < 0 ? args : args.slice(0, at), syntax.options);
  const command = at < 0 ? undefined : args.slice(at + 1);
  return given.values.from === undefined ? readOne(given, command) : readFrom(given, command);
}

function settingsOf({ values: { include = [], exclude = [] }, flags }: Given) {
  return { filter: { include, exclude }, isAllowed: flags.has("yes"), isHere: flags.has("here") };
}

function readFrom(given: Given, command: readonly string[] | undefined): AddFromRequest {
  const { from = [], env, header, host, read, write } = given.values;
  const file = from.at(-1) ?? "";
  const named = Object.entries({ env, header, host, read, write }).find(([, value]) => value !== undefined);
  const extra = named ? `--${named[0]}` : command && "--";
  if (extra !== undefined)
    throw new UsageError(`${extra} is for one server. With --from, the file says how its servers are started.`);
  return { ...settingsOf(given), file, names: given.operands };
}

/** @param command the words after `--`. */
function readOne(given: Given, command: readonly string[] | undefined): AddRequest {
  const { operands, values } = given;
  const [name = "", source, ...more] = operands;
  if (name === "") throw new UsageError(`Missing NAME. Usage: ${usageOf(syntax)}`);
  const problem = serverNameProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
  const request = { ...settingsOf(given), name, needs: needsOf(given) };
  if (source !== undefined && more.length === 0 && command === undefined && /^https?:/i.test(source))
    return { ...request, entry: readAddress(source, values.env, values.header) };
  if (values.header) throw new UsageError("--header is for remote servers. For a program, set variables: --env K=V");
  const env = Object.fromEntries((values.env ?? []).map(readVariable));
  if (source?.startsWith(npmPrefix) && more.length === 0)
    return { ...request, entry: entryOf({ command: "node", args: [...(command ?? [])], env }), npm: npmSpec(source) };
  if (source !== undefined && /^(?!https?:)\w+:\/\//i.test(source))
    throw new UsageError(`Expected a URL that begins with https:// or http://, got ${JSON.stringify(source)}.`);
  // Otherwise options of the command would be read as options of this one.
  if (source !== undefined)
    throw new UsageError(`Put -- before the command that starts the server. Usage: ${usageOf(syntax)}`);
  const [program = "", ...rest] = command ?? [];
  if (program === "") throw new UsageError(`Missing URL, npm:PACKAGE or -- COMMAND. Usage: ${usageOf(syntax)}`);
  // A path, unlike a name that is looked up in PATH, is one of the current directory.
  return {
    ...request,
    entry: entryOf({ command: program.includes("/") ? resolve(program) : program, args: rest, env }),
  };
}

/** What the server needs in the sandbox; `undefined` if nothing is named. */
function needsOf({ values: { host, read, write } }: Given): ToolNeeds | undefined {
  const whole = (path: string) => (path.startsWith("~/") ? path : resolve(path));
  const lists = {
    ...(host && { hosts: host }),
    ...(read && { read: read.map(whole) }),
    ...(write && { write: write.map(whole) }),
  } satisfies ToolNeeds;
  for (const [list, entries] of Object.entries(lists)) {
    const option = list === "hosts" ? "--host" : `--${list}`;
    if (entries.length > maxNeeds) throw new UsageError(`${option} can be given ${maxNeeds} times.`);
    for (const entry of entries) {
      const problem = needProblem(list as keyof ToolNeeds, entry);
      if (problem !== undefined) throw new UsageError(`${option}: ${JSON.stringify(entry)} ${problem}.`);
    }
  }
  return Object.keys(lists).length === 0 ? undefined : lists;
}

function entryOf(entry: Parameters<typeof readServerEntry>[0]): ServerEntry {
  const read = readServerEntry(entry);
  if ("problem" in read) throw new UsageError(read.problem);
  return read;
}

function readAddress(
  url: string,
  env: readonly string[] | undefined,
  header: readonly string[] | undefined,
): ServerEntry {
  if (env) throw new UsageError("--env is for programs. For a remote server, set headers: --header K:V");
  return entryOf({ type: "http", url, headers: Object.fromEntries((header ?? []).map(readHeader)) });
}

/** `K:V`; the value may have `${VAR}`, which is read at each start. */
function readHeader(text: string): [string, string] {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new UsageError(`Expected --header K:V, got ${JSON.stringify(text.slice(0, 20))}.`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

/** A package of the registry: a name, and a version, range or tag. */
function npmSpec(source: string): string {
  const spec = source.slice(npmPrefix.length);
  if (/^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(@[^@/\s]+)?$/i.test(spec)) return spec;
  throw new UsageError(`Expected npm:PACKAGE or npm:PACKAGE@VERSION, got ${JSON.stringify(source)}.`);
}

/** `K=V`, or `K` for the value of the environment at each start. */
function readVariable(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`Expected --env K or K=V, got ${JSON.stringify(text.split("=")[0])}.`);
  return [name, value ?? `\${${name}}`];
}
