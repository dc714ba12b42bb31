// The grant: what an agent may do, passed to it in `IKIGAI_AGENT_GRANT`. In order: its type, how it is read (anything but a complete
// one is an error), and which tools of the conversation it covers.

import type { RegisteredTool } from "@ikigai/core";
import { isVerdict, type PermissionLimit, type PermissionMode, permissionModes, ruleProblem } from "@ikigai/permission";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { AgentError } from "@ikigai/session";
import { hereDirectories, isInside } from "@ikigai/system";
import type { Guard } from "../hooks/open-hooks.ts";

/** The permission of an agent at the moment of a call. */
export type GrantedPermission = Required<PermissionLimit>;

/**
 * What an agent may do: the value of `IKIGAI_AGENT_GRANT`. It only ever narrows what the configuration and the command line of the
 * agent allow.
 */
export interface Grant extends GrantedPermission {
  /** The session that grants, and the call. */
  readonly session: string;
  readonly call: string;
  /** The number of the agent in that session. */
  readonly slot: number;
  /** How deeply the agent is nested: 1 for one that the user's own session starts. */
  readonly depth: number;
  /** The depth at which agents start no more agents. */
  readonly maxDepth: number;
  /** What limits that permission in turn: those of the agents above. */
  readonly within: readonly GrantedPermission[];
  /** The projects of the agents above, whose guards count for it, too: it may work in another directory. */
  readonly guards: readonly Guard[];
  /** The only tools that it may use; all without it. */
  readonly tools?: readonly string[];
  /** Which tools of the conversation another directory does not have. */
  readonly directoryTools: readonly DirectoryTool[];
  /** The sandbox that its tools must run in. */
  readonly sandbox?: { readonly network: boolean };
  /** `provider/model`, if the task names no other. */
  readonly model: string;
  /** How many tokens it may use, with the agents that it starts. */
  readonly tokens: number;
  /** The agents with instructions of their own. */
  readonly agents: readonly NamedAgent[];
}

/** An agent with instructions, and perhaps a model and tools, of its own. */
export interface NamedAgent {
  readonly name: string;
  readonly description: string;
  /** `provider/model`, if it names one. */
  readonly model?: string;
  /** The only tools that it may use; all without it. */
  readonly tools?: readonly string[];
  /** Its file, and the SHA-256 of its content. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * Reads the value of `IKIGAI_AGENT_GRANT`.
 *
 * @throws AgentError `grant` if that is not possible: nothing may run then.
 */
export function readGrant(text: string): Grant {
  const grant = grantIn(text);
  if (grant) return grant;
  const what = "Cannot read the grant in IKIGAI_AGENT_GRANT, so nothing may run.";
  throw new AgentError("grant", `${what} Remove it from the environment: unset IKIGAI_AGENT_GRANT`);
}

function grantIn(text: string): Grant | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) && isGrant(value) ? (value as unknown as Grant) : undefined;
  } catch {
    return undefined;
  }
}

const sessionPattern = /^[\w-]{1,64}$/;

function isGrant(value: JsonObject): boolean {
  const {
    session,
    call,
    slot,
    depth,
    maxDepth,
    within,
    guards,
    tools,
    directoryTools,
    sandbox,
    model,
    tokens,
    agents,
  } = value;
  const counts = [slot, depth, maxDepth, tokens];
  return (
    typeof session === "string" &&
    sessionPattern.test(session) &&
    typeof call === "string" &&
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    isPermission(value) &&
    isList(within, isPermission) &&
    isList(guards, isGuard) &&
    (tools === undefined || isList(tools, isText)) &&
    isList(directoryTools, isDirectoryTool) &&
    (sandbox === undefined || (isJsonObject(sandbox) && typeof sandbox.network === "boolean")) &&
    isText(model) &&
    isList(agents, isNamedAgent)
  );
}

function isPermission(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { mode, rules, readOnlyCommands, projectDir, directories } = value;
  return (
    permissionModes.includes(mode as PermissionMode) &&
    isList(rules, isRule) &&
    typeof readOnlyCommands === "boolean" &&
    isDirectory(projectDir) &&
    isList(directories, isDirectory)
  );
}

function isDirectory(value: JsonValue | undefined): boolean {
  return isText(value) && value.startsWith("/");
}

function isGuard(value: JsonValue): boolean {
  return isJsonObject(value) && isDirectory(value.directory) && isList(value.hooks, isGrantedHook);
}

function isDirectoryTool(value: JsonValue): boolean {
  return isJsonObject(value) && isText(value.name) && isDirectory(value.path);
}

function isGrantedHook(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { name, tool, path, sha256 } = value;
  return isText(name) && (tool === undefined || isText(tool)) && isDirectory(path) && isText(sha256);
}

function isRule(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { verdict, rule } = value;
  // A rule that cannot be parsed might deny something.
  return isVerdict(verdict) && typeof rule === "string" && ruleProblem(rule) === undefined;
}

function isNamedAgent(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { name, description, path, sha256, model = "", tools = [] } = value;
  return [name, description, path, sha256, model].every((text) => typeof text === "string") && isList(tools, isText);
}

function isList(value: JsonValue | undefined, isItem: (item: JsonValue) => boolean): value is JsonValue[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** A tool that is found in one directory only. */
export interface DirectoryTool {
  readonly name: string;
  /** The real path of its file. */
  readonly path: string;
}

/**
 * Returns the tools of a conversation that an agent would not find in another directory: a project's, and the user's own for this
 * directory.
 *
 * @param granted those of the conversation that started this one: they decide about their names.
 */
export function directoryTools(
  tools: readonly RegisteredTool[],
  home: string,
  granted: readonly DirectoryTool[] = [],
): DirectoryTool[] {
  const own = tools.filter((tool) => isOfDirectory(tool, home) && !granted.some(({ name }) => name === tool.name));
  return [...granted, ...own.map(({ name, identity }) => ({ name, path: identity.realPath }))];
}

/**
 * Whether an agent has a tool that was granted: the same file as in the conversation. A tool that another one replaces there is not
 * granted, and neither is one that only the agent's directory has.
 */
export function isGrantedTool(
  { name, identity, ...tool }: RegisteredTool,
  granted: readonly DirectoryTool[],
  home: string,
): boolean {
  const there = granted.find((one) => one.name === name);
  return there ? there.path === identity.realPath : !isOfDirectory(tool, home);
}

function isOfDirectory({ scope, path }: Pick<RegisteredTool, "scope" | "path">, home: string): boolean {
  return scope === "project" || isInside(path, hereDirectories(home));
}
