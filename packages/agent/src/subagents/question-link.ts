// The questions of an agent. First the agent's side: the connection to the session that started it, and how it asks that session's
// user. Then the session's side: who asks, and what it decides about a call of its agent.

import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import {
  type AnswerTool,
  type Ask,
  decide,
  factsOf,
  hostRuleFor,
  hostText,
  type PendingCall,
  type Permission,
  type Question,
  readHostText,
  seenFrom,
  type ToolQuestion,
} from "@ikigai/permission";
import {
  type AgentOrigin,
  type AskParams,
  type AskResult,
  type HostMethod,
  hostMethods,
  isJsonObject,
  type JsonObject,
  maxHostLineBytes,
  type PermissionParams,
  type PermissionResult,
  progressFd,
  textStart,
} from "@ikigai/protocol";
import { lineReader, parseObject, unlessAborted } from "@ikigai/system";

/** The connection of an agent to the host of the call that started it. */
interface ParentLink {
  readonly methods: readonly HostMethod[];
  /**
   * Makes a request, after those before it. Returns the result; `undefined` without one: no one can be asked, or the signal
   * has been aborted, which cancels it. Never rejects.
   */
  request(
    method: HostMethod,
    params: AskParams | PermissionParams,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined>;
}

/**
 * Returns the connection that an agent has inherited; `undefined` if the call that started it offers none, as that of an agent in the
 * background.
 */
export function openParentLink({ IKIGAI_HOST_METHODS: named = "" }: NodeJS.ProcessEnv): ParentLink | undefined {
  const methods = hostMethods.filter((method) => named.split(" ").includes(method));
  if (methods.length === 0) return undefined;
  const socket = inheritedSocket();
  return socket && { methods, ...requester(socket) };
}

function inheritedSocket(): Socket | undefined {
  try {
    if (!fstatSync(progressFd).isSocket()) return undefined;
    // Nothing is read while no request is open, so it does not keep the process alive.
    return new Socket({ fd: progressFd }).unref();
  } catch {
    return undefined;
  }
}

function requester(socket: Socket): Pick<ParentLink, "request"> {
  let lastId = 0;
  let isClosed = false;
  let previous: Promise<unknown> = Promise.resolve();
  let replied = (_reply: JsonObject) => {};
  const write = (line: object) => socket.write(`${JSON.stringify(line)}\n`);
  socket.on("data", lineReader(maxHostLineBytes, (line) => replied(parseObject(line.toString()) ?? {})).add);
  for (const event of ["end", "error", "close"]) {
    socket.on(event, () => {
      isClosed = true;
      // To the request that waits, as if it had been refused.
      replied({ id: lastId });
    });
  }

  /** Waits for the reply even if it is cancelled: the next request may only follow then. */
  async function exchange(method: HostMethod, params: object, signal: AbortSignal): Promise<JsonObject> {
    if (isClosed || signal.aborted) return {};
    const request = { id: ++lastId, method, params };
    if (Buffer.byteLength(JSON.stringify(request)) > maxHostLineBytes) return {};
    const cancel = () => write({ id: request.id, method: "cancel" });
    socket.ref();
    signal.addEventListener("abort", cancel);
    try {
      return await new Promise<JsonObject>((settle) => {
        replied = (reply) => reply.id === request.id && settle(reply);
        write(request);
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      socket.unref();
    }
  }

  return {
    async request(method, params, signal) {
      const reply = previous.then(() => exchange(method, params, signal));
      previous = reply;
      const { result } = (await unlessAborted(reply, signal)) ?? {};
      return isJsonObject(result) ? result : undefined;
    },
  };
}

/** The user of the session that started this agent. */
export interface ParentUser {
  readonly ask?: Ask;
  readonly answerTool?: AnswerTool;
}

/** How much of a reason is passed on, in characters: each has at most three bytes. */
const reasonLength = 600;

/** Puts an agent's questions to the user of the session that started it. @param directory where this agent works. */
export function parentUser({ methods, request }: ParentLink, directory: string): ParentUser {
  const originOf = ({ tool, agents = [], directory: own = directory }: Question | ToolQuestion): AgentOrigin => {
    const { name, scope, path } = tool;
    return { ...{ tool: name, scope, path, directory: own }, ...(agents.length > 0 && { agents }) };
  };
  const answerTool: AnswerTool = async (question, signal) => {
    const { question: text, kind, options } = question;
    const choices = kind === "choice" && { options };
    const params = { question: text, kind, ...choices, from: originOf(question) };
    return readAskResult(await request("ask", params, signal));
  };
  const ask: Ask = async (question, signal) => {
    const { call, reason, needs, mustAsk = false, host: reach } = question;
    const { name: tool, arguments: args } = call;
    const why = textStart(needs ? `${reason}: it ${needs.join("; ")}` : reason, reasonLength);
    const about = { reason: why, mustAsk, ...(reach !== undefined && { reach }) };
    const params = { tool, arguments: args, from: originOf(question), ...about };
    const result = await request("permission", params, signal);
    if (result?.verdict === "allow") return { allow: true };
    if (result?.verdict !== "deny") return { allow: false, isUnasked: true };
    return { allow: false, ...(typeof result.reason === "string" && { words: result.reason }) };
  };
  return {
    ...(methods.includes("ask") && { answerTool }),
    ...(methods.includes("permission") && { ask }),
  };
}

function readAskResult(result: JsonObject | undefined): AskResult | undefined {
  if (result?.refused === true) return { refused: true };
  return typeof result?.answer === "string" ? { answer: result.answer } : undefined;
}

/** How much of a task names an agent that has no name, in characters. */
const labelLength = 60;

/**
 * Names the agent that a call starts: its name, or the beginning of its task in quotation marks. That of a tool which is not the
 * system's is named after the tool: its arguments may mean anything.
 */
function agentLabel({ name, scope }: RegisteredTool, { agent, task }: JsonObject): string {
  if (scope !== "system") return name;
  if (typeof agent === "string" && /^[\w-]+$/.test(agent)) return textStart(agent, labelLength);
  const words = String(task ?? "")
    .trim()
    .replace(/\s+/g, " ");
  const shown = textStart(words, labelLength);
  return JSON.stringify(shown === words ? shown : `${shown}…`);
}

/** The agents that a request comes through: the one that this call has started, then those that are nested in it. */
export function agentsOf(
  tool: RegisteredTool,
  args: JsonObject,
  { agents = [] }: Pick<AgentOrigin, "agents"> = {},
): readonly string[] {
  return [agentLabel(tool, args), ...agents];
}

/** What this session says about a call of an agent: a decision, or a question to the user. */
export type AgentCallVerdict = PermissionResult | { readonly question: Question };

/**
 * Decides about an agent's call as about one of this session, at this moment. The user is asked if the agent says so, or if this
 * session has no such tool: then it cannot know what the call does.
 *
 * @param callId the call that started the agent.
 */
export function decideForAgent(
  { tool: name, arguments: text, from, reason, mustAsk = false, reach }: PermissionParams,
  {
    permission,
    registry,
    callId,
  }: { readonly permission: Permission; readonly registry: Registry; readonly callId: string },
): AgentCallVerdict {
  const { directory = permission.projectDir } = from ?? {};
  const own = findTool(registry, name);
  const isOwn = own !== undefined && (from === undefined || from.path === own.path);
  const tool = isOwn ? own : foreignTool(name, from, own);
  const made: PendingCall = { id: callId, name, arguments: text };
  const call = directory === permission.projectDir ? made : seenFrom(made, tool, directory);
  const wanted = reach === undefined ? undefined : readHostText(reach);
  if (wanted) {
    const { verdict = "ask" } = hostRuleFor(wanted, permission) ?? {};
    if (verdict !== "ask") return { verdict };
    return {
      question: {
        call,
        tool,
        directory,
        host: hostText(wanted),
        reason: reason ?? `wants to reach ${hostText(wanted)}`,
      },
    };
  }
  // An agent asks about what its sandbox does not hold.
  const { mode } = permission;
  const decision = decide(call, tool, { ...permission, mode: mode === "auto" ? "ask" : mode });
  if (decision.verdict === "deny") return { verdict: "deny" };
  if (decision.verdict === "allow" && isOwn && !mustAsk) return { verdict: "allow" };
  const realPath = factsOf(call, tool, permission).filePath?.real;
  const resolved = realPath !== undefined && { realPath };
  return { question: { call, tool, directory, reason: reason ?? decision.reason, ...resolved } };
}

/** The tool of a question of an agent. */
export function askingTool(from: AgentOrigin, registry: Registry): RegisteredTool {
  const own = findTool(registry, from.tool);
  return own?.path === from.path ? own : foreignTool(from.tool, from, own);
}

/** A tool that only the agent has. If this session has one of its name, its calls are read like those of that one. */
function foreignTool(name: string, from: AgentOrigin | undefined, own: RegisteredTool | undefined): RegisteredTool {
  const { scope = "project", path = "/" } = from ?? {};
  const system = own?.system ?? (own?.scope === "system" ? own.schema : undefined);
  return {
    ...{ name, path, scope: scope === "system" ? "user" : scope },
    schema: { name, description: "", parameters: { type: "object", properties: {} } },
    identity: { realPath: path, stamp: "" },
    ...{ shadows: [], warnings: [] },
    ...(system !== undefined && { system }),
  };
}
