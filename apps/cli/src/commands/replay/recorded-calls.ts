// The calls of a recorded session: as they were made, and as a replay would make them now. In reading order: the recorded call, its tool
// since then, how it is shown; then the place, the limits, the permission and the tool of its replay.

import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { checkArguments } from "@ikigai/agent/internal";
import { type ExecuteOptions, findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import { dataDirectory } from "@ikigai/core/internal";
import { hashTool } from "@ikigai/core/trust";
import { type Decision, decide, type Permission } from "@ikigai/permission";
import { isJsonObject, maxMaxOutputBytes, maxTimeoutMs, type ToolEnvironment } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import type { RecordedCall, Recording } from "@ikigai/session";
import { shellWord } from "@ikigai/system";
import type { CommandErrorCode } from "../../host/terminal/exit.ts";

/**
 * A recorded call with everything needed to repeat it. It comes from a file that anyone may have written, so it grants no
 * permission, no trust and no variables but these.
 */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly sessionId: string;
  readonly path: string;
  readonly scope: string;
  readonly cwd: string;
  /** Hash of the executable at the time; absent if it was not recorded. */
  readonly sha256?: string;
  /** The sandbox it ran in. */
  readonly sandbox?: { readonly network: boolean };
  /** Whether it ran behind a launcher, so that `path` is a command line. */
  readonly isLaunched: boolean;
  /** The protocol's own variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The only recorded variables that are read, whatever the file contains. */
const recordedNames = [
  "IKIGAI_SHADOWED_TOOL",
  "IKIGAI_SHELL",
  "IKIGAI_PROJECT_DIR",
  "IKIGAI_DATA_DIR",
  "IKIGAI_CALL_ID",
  "IKIGAI_TIMEOUT_MS",
  "IKIGAI_MAX_OUTPUT_BYTES",
  "IKIGAI_ANSWER_BYTES",
] as const satisfies readonly (keyof ToolEnvironment)[];

/** Why a recorded call cannot be repeated. The session file may contain anything, so the text is cut to one line. */
export function notRepeatable(reason: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("call_not_repeatable", sanitiseLine(reason));
}

/** The call to repeat; undefined if it never ran because it was denied or had no such tool. */
export function madeCall({ id, name, arguments: args, start }: RecordedCall, session: Recording): MadeCall | undefined {
  if (!start) return undefined;
  const { path } = start;
  const { sha256, sandbox, launched, cwd, env, scope: recordedScope }: Record<string, unknown> = { ...start };
  const directory = textOr(cwd, session.cwd);
  const scope = textOr(recordedScope, path.startsWith(`${directory}/.ikigai/`) ? "project" : "user");
  return {
    id,
    name,
    arguments: start.arguments ?? args,
    sessionId: session.id,
    path,
    scope,
    cwd: directory,
    ...(typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
    ...(isJsonObject(sandbox) && { sandbox: { network: sandbox.network === true } }),
    isLaunched: launched === true,
    env: {
      IKIGAI_PROTOCOL: "1",
      IKIGAI_TOOL_NAME: name,
      IKIGAI_TOOL_DIR: dirname(path),
      IKIGAI_TOOL_SCOPE: scope,
      IKIGAI_SESSION_ID: session.id,
      IKIGAI_CALL_ID: id,
      ...recordedVariables(env),
    },
  };
}

function recordedVariables(env: unknown): Record<string, string> {
  if (!isJsonObject(env)) return {};
  const found = recordedNames.map((name) => [name, env[name]]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === "string"));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Whether the executable of a call has changed. */
export interface ToolState {
  /** Current hash. */
  readonly sha256: string | undefined;
  /** `unknown` if no hash was recorded. */
  readonly state: "same" | "changed" | "gone" | "unknown";
}

export async function toolState({ path, sha256: then, isLaunched }: MadeCall): Promise<ToolState> {
  // There is no local file.
  if (isLaunched) return { sha256: undefined, state: "unknown" };
  if (!existsSync(path)) return { sha256: undefined, state: "gone" };
  const sha256 = await hashTool(path);
  if (then === undefined || sha256 === undefined) return { sha256, state: "unknown" };
  return { sha256, state: then === sha256 ? "same" : "changed" };
}

/** A warning to print before the call is repeated; empty if the tool is the same. */
export function toolRemark({ sha256: then, isLaunched }: MadeCall, { state, sha256: now }: ToolState): string {
  if (state === "changed") return `The tool has changed: SHA-256 ${then} when recorded, ${now} now.\n`;
  if (isLaunched || state !== "unknown" || then !== undefined) return "";
  return "The tool may have changed: the session did not record its SHA-256.\n";
}

/** The variables that the shipped tools read. bash does not pass the limits to its commands. */
const shippedVariables = ["IKIGAI_SHELL", "IKIGAI_TIMEOUT_MS", "IKIGAI_MAX_OUTPUT_BYTES", "IKIGAI_ANSWER_BYTES"];

/**
 * The shell command that repeats a call in any POSIX shell: the same bytes to the same executable in the same directory. A tool
 * that does not ship with ikigai may read any of the protocol's variables, so it gets all of them. A call behind a launcher needs
 * ikigai, which takes directory, variables and limits there. One line, without control or invisible characters.
 */
export function shellLine(call: MadeCall): string {
  return call.isLaunched
    ? `ikigai replay ${visibleWord(call.id)} --session ${visibleWord(call.sessionId)}`
    : callLine(call);
}

/**
 * What a call runs. For a call behind a launcher it leaves out what ikigai does there, as no local shell can do it.
 *
 * @param options.isWhole with every variable that the tool gets
 */
export function callLine(call: MadeCall, { isWhole = false } = {}): string {
  const { arguments: args, cwd, path, scope, env, isLaunched } = call;
  if (isLaunched) return `${print(args)} | ${inVisibleText(path)}`;
  const variables = Object.entries(env)
    .filter(([name]) => isWhole || scope !== "system" || shippedVariables.includes(name))
    .map(([name, value]) => `${name}=${visibleWord(value)} `);
  return `cd ${visibleWord(cwd)} && ${print(args)} | ${variables.join("")}${visibleWord(path)}`;
}

/** `echo` may interpret backslashes and options; `printf %s` does not. */
function print(text: string): string {
  if (!isVisible(text)) return `printf ${shellWord(format(text))}`;
  return `${/^-|\\/.test(text) ? "printf %s" : "echo"} ${shellWord(text)}`;
}

/** A shell word, with escapes for invisible characters. */
function visibleWord(text: string): string {
  return isVisible(text) ? shellWord(text) : `"$(printf ${shellWord(format(text))})"`;
}

function inVisibleText(text: string): string {
  return isVisible(text) ? text : visibleWord(text);
}

function isVisible(text: string): boolean {
  return !/[\n\t]/.test(text) && sanitise(text) === text;
}

/** A `printf` format for this text: special characters doubled, invisible ones as octal bytes. */
function format(text: string): string {
  const parts = [...text].map((character) => {
    if (character === "\\" || character === "%") return character.repeat(2);
    if (isVisible(character)) return character;
    return octal(character);
  });
  // printf would read a leading - as an option.
  return parts.join("").replace(/^-/, octal);
}

function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

/** A recorded call as it would run now. */
export interface PlannedCall {
  /** The call to show the user, consistent with `options`. */
  readonly call: MadeCall;
  readonly tool: RegisteredTool;
  readonly options: Omit<ExecuteOptions, "env" | "sandbox">;
}

/**
 * The real path of a call's directory, which must be the project's: what is shown and what is repeated has one directory.
 *
 * @throws IkigaiError `call_not_repeatable` if the directory does not exist, or there are two.
 */
export function directoryOf({ cwd, env: { IKIGAI_PROJECT_DIR: projectDir = cwd } }: MadeCall): string {
  const path = realDirectory(cwd);
  if (path === undefined) throw notRepeatable(`The directory of the call no longer exists: ${cwd}.`);
  if (realDirectory(projectDir) === path) return path;
  throw notRepeatable(
    `The call ran in ${cwd}, not in the project's directory ${projectDir}: after /cd, or the file was changed. It cannot be repeated.`,
  );
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The IDs that providers and ikigai give to calls and sessions. */
const plainId = /^\w[\w.:-]{0,127}$/;

/** Plans a recorded call: arguments, IDs and limits come from the record, everything else is current. */
export function plannedCall(made: MadeCall, tool: RegisteredTool, now: PlaceAndLimits): PlannedCall {
  const { directory, home } = now;
  const dataDir = dataDirectory(tool, { home, projectDir: directory });
  const options = {
    cwd: directory,
    sessionId: plainId.test(made.sessionId) ? made.sessionId : randomUUID(),
    callId: plainId.test(made.env.IKIGAI_CALL_ID ?? "") ? (made.env.IKIGAI_CALL_ID ?? "") : randomUUID(),
    timeoutMs: limit(made.env.IKIGAI_TIMEOUT_MS, maxTimeoutMs, now.timeoutMs),
    maxOutputBytes: limit(made.env.IKIGAI_MAX_OUTPUT_BYTES, maxMaxOutputBytes, now.maxOutputBytes),
    answerBytes: limit(made.env.IKIGAI_ANSWER_BYTES, maxMaxOutputBytes, undefined),
  };
  const env = {
    IKIGAI_PROTOCOL: "1",
    IKIGAI_TOOL_NAME: tool.name,
    IKIGAI_TOOL_DIR: dirname(tool.path),
    IKIGAI_TOOL_SCOPE: tool.scope,
    ...(tool.shadowed !== undefined && { IKIGAI_SHADOWED_TOOL: tool.shadowed }),
    ...(tool.shell !== undefined && { IKIGAI_SHELL: tool.shell }),
    IKIGAI_PROJECT_DIR: directory,
    ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
    IKIGAI_SESSION_ID: options.sessionId,
    IKIGAI_CALL_ID: options.callId,
    ...(options.timeoutMs !== undefined && { IKIGAI_TIMEOUT_MS: String(options.timeoutMs) }),
    ...(options.maxOutputBytes !== undefined && { IKIGAI_MAX_OUTPUT_BYTES: String(options.maxOutputBytes) }),
    ...(options.answerBytes !== undefined && { IKIGAI_ANSWER_BYTES: String(options.answerBytes) }),
  };
  const isLaunched = tool.launcher !== undefined;
  const call = { ...made, isLaunched, name: tool.name, path: tool.path, scope: tool.scope, cwd: directory, env };
  return { call, tool, options };
}

/** The call's directory, the user's own, and the user's limits for the tool. */
interface PlaceAndLimits {
  readonly directory: string;
  readonly home: string;
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
}

/** The recorded limit, capped at the current maximum; the user's limit if none was recorded. */
function limit(recorded: string | undefined, highest: number, now: number | undefined): number | undefined {
  const value = /^[1-9]\d{0,14}$/.test(recorded ?? "") ? Number(recorded) : undefined;
  return value === undefined ? now : Math.min(value, Math.max(highest, now ?? 0));
}

/**
 * Decides whether a recorded call may run, as if a model made it now. The modes `allow`, `auto` and `edits` count as `ask`, since the call
 * was not requested in a conversation. Rules and the project allow it only in the current directory, since a file can name any.
 *
 * @param configured the permission in the directory of the call.
 * @param isHere whether that is the one ikigai was started in.
 */
export function decideReplay(call: MadeCall, tool: RegisteredTool, configured: Permission, isHere: boolean): Decision {
  const checked = checkArguments(call.arguments);
  if ("error" in checked) return { verdict: "deny", reason: checked.error };
  const { mode } = configured;
  const asks = mode === "allow" || mode === "edits" || mode === "auto";
  const permission: Permission = { ...configured, mode: asks ? "ask" : mode };
  const decision = decide(
    { id: call.id, name: tool.name, arguments: checked.text, value: checked.value },
    tool,
    permission,
  );
  if (decision.verdict !== "allow" || isHere) return decision;
  return { verdict: "ask", reason: "the session belongs to another directory" };
}

/**
 * Finds the tool of a recorded call among those that a model could call now, or that such a tool overrides. Only the path comes
 * from the record; scope, trust and overrides are the current ones.
 *
 * @param registry the tools of the call's directory.
 * @throws IkigaiError `call_not_repeatable` if there is no such tool.
 */
export function callableTool({ name, path, isLaunched }: MadeCall, registry: Registry): RegisteredTool {
  const known = registry.tools.filter((tool) => tool.name === name);
  const tool = known.find((candidate) => candidate.path === path) ?? known.find((candidate) => isSame(candidate, path));
  if (tool) return tool;
  refuseSubstitute(name, registry);
  if (isLaunched)
    throw notRepeatable(
      `This call of ${name} ran through a launcher that the configuration no longer has: ${path}. To repeat it, set the launcher again.`,
    );
  if (!existsSync(path)) throw notRepeatable(`The tool no longer exists: ${path}.${successor(name, registry)}`);
  const [overridden] = known.flatMap((candidate) => shadowedTool(candidate, path));
  if (overridden) return overridden;
  throw notRepeatable(
    `ikigai does not use ${path} as ${name} there: it is in no tool directory, is not trusted, or does not work. See: ikigai tool list`,
  );
}

/** A tool that the configuration runs elsewhere must not run here because an older call did. */
function refuseSubstitute(name: string, { tools, failed }: Registry): void {
  const launched = tools.find((tool) => tool.name === name && tool.launcher);
  if (launched)
    throw notRepeatable(`${name} runs elsewhere now: ${launched.path}. To call it: ikigai tool call ${name} JSON`);
  const broken = failed.find((tool) => tool.name === name && tool.isLaunched);
  if (broken) throw notRepeatable(`${name} cannot be started through "${broken.path}": ${broken.detail}.`);
}

/** Whether a path is the tool's file, by another spelling or link. A tool behind a launcher has no local file. */
function isSame({ path, launcher }: Pick<RegisteredTool, "path" | "launcher">, recorded: string): boolean {
  const real = realPath(recorded);
  return !launcher && real !== undefined && realPath(path) === real;
}

function realPath(path: string): string | undefined {
  try {
    return isAbsolute(path) ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The overridden tool at a path, if it is the user's or the system's. A project's tool is excluded: its trust was not checked. */
function shadowedTool({ name, shadows, system }: RegisteredTool, recorded: string): RegisteredTool[] {
  const index = shadows.findIndex((shadow) => isSame(shadow, recorded));
  const found = shadows[index];
  if (!found || found.scope === "project") return [];
  const { path, scope } = found;
  const [next] = shadows.slice(index + 1);
  const shadowed = next && realPath(next.path);
  const schema = { name, description: "", parameters: { type: "object" } };
  const identity = { realPath: realPath(path) ?? path, stamp: "" };
  return [
    {
      name,
      path,
      scope,
      schema,
      identity,
      shadows: [],
      warnings: [],
      ...(system && { system }),
      ...(shadowed && { shadowed }),
    },
  ];
}

function successor(name: string, registry: Registry): string {
  const now = findTool(registry, name);
  return now ? ` ${name} is ${now.path} now: ikigai tool call ${name} JSON` : "";
}
