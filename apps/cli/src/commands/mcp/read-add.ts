import { resolve } from "node:path";
import { readServerEntry, type ServerEntry, serverNameProblem } from "@ikigai/mcp";
import { maxNeeds, needProblem, type ToolNeeds } from "@ikigai/protocol";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { usageOf } from "../../args/option.ts";
import { readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { readUrl } from "./mcp-login.ts";
import type { WantedServer } from "./stage-server.ts";

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
  return readUrl(url, Object.fromEntries((header ?? []).map(readHeader)));
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
