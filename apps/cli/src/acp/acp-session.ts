// The sessions of an editor: each with its agent, opened, loaded, changed and closed by id.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { conversationModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { IkigaiError } from "@ikigai/core/errors";
import type { NamedServer } from "@ikigai/mcp/conversation";
import type { Model } from "@ikigai/models";
import type { PermissionMode } from "@ikigai/permission";
import { listSessions, recordUse, requireReadable } from "@ikigai/session";
import { beforeExit } from "@ikigai/system";
import type { SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import { type Agent, agentWithServers, loadServers } from "../host/conversation/agent-from-flags.ts";
import { requireSandbox } from "../host/conversation/command-tools.ts";
import { chooseModel, choosePlanModel, missingModel } from "../host/model/choose-model.ts";
import { rememberedModels } from "../host/model/remembered-models.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { reportBug } from "../render/failures.ts";
import { requireRules } from "../render/tool/report-tools.ts";
import { switchModel } from "../session/commands/switch-model.ts";
import { modelOfMode } from "../session/session.ts";

/** Sessions that one editor may have open: more are a mistake, and each has files and processes. */
const maxSessions = 32;

/** A session that the editor wants to open. */
export interface WantedSession {
  readonly cwd: string;
  readonly id?: string;
  readonly servers: readonly NamedServer[];
}

/** The open sessions of an editor. */
export interface SessionTable {
  /** @throws RequestError if the session is not open. */
  get(id: string): AcpSession;
  /** Opens a new session, or with `id` a stored one of that directory. The servers are for this session only. */
  open(wanted: WantedSession): Promise<AcpSession>;
  /** Stops what runs in a session and closes it. */
  close(id: string): Promise<void>;
  /** Stops and closes all of them. No other can be opened afterwards. */
  closeAll(): Promise<void>;
}

/** @param sendFor returns how to send updates of a session. */
export function openSessions(
  flags: SessionFlags,
  home: string,
  sendFor: (sessionId: string) => SendUpdate,
): SessionTable {
  const sessions = new Map<string, AcpSession>();
  let opening = 0;
  let isClosed = false;

  const close = async (session: AcpSession) => {
    sessions.delete(session.agent.conversation.id);
    await closeAcpSession(session);
  };
  const openNow = async ({ cwd, id, servers }: WantedSession) => {
    const projectDir = projectOf(cwd);
    if (id !== undefined) {
      requireStored(home, id, projectDir);
      const earlier = sessions.get(id);
      if (earlier?.turn) throw badRequest(`A prompt is running in session ${id}.`);
      if (earlier) await close(earlier);
    }
    const stored = id === undefined ? {} : { session: { id } };
    const session = await openAcpSession({ flags: { ...flags, ...stored }, projectDir, servers, sendFor });
    if (isClosed) await closeAcpSession(session);
    else sessions.set(session.agent.conversation.id, session);
    return session;
  };
  return {
    get(id) {
      const session = sessions.get(id);
      if (session) return session;
      throw badParams(
        `Unknown session ${JSON.stringify(id)}. Open it with session/new, session/load or session/resume.`,
      );
    },
    async open(wanted) {
      if (isClosed || sessions.size + opening >= maxSessions)
        throw badRequest(`${maxSessions} sessions are open. Close one first.`);
      opening++;
      try {
        return await openNow(wanted);
      } finally {
        opening--;
      }
    },
    async close(id) {
      await close(this.get(id));
    },
    async closeAll() {
      isClosed = true;
      await Promise.all([...sessions.values()].map(close));
    },
  };
}

/**
 * The project of a session: its directory, symlinks resolved.
 *
 * @throws RequestError if it is not an absolute path of a directory that can be read.
 */
export function projectOf(cwd: string): string {
  if (!isAbsolute(cwd)) throw badParams(`Expected cwd to be an absolute path, got ${JSON.stringify(cwd)}.`);
  try {
    accessSync(cwd, constants.R_OK | constants.X_OK);
    if (statSync(cwd).isDirectory()) return realpathSync(cwd);
  } catch {
    // Reported below.
  }
  throw badParams(`Expected cwd to be a directory that can be read, got ${JSON.stringify(cwd)}.`);
}

/**
 * Makes sure that a stored session has exactly this ID and belongs to the project.
 *
 * @throws RequestError otherwise; AgentError if a session cannot be read, which may be this one.
 */
export function requireStored(home: string, id: string, projectDir: string): void {
  if (listSessions(home, projectDir).some((session) => session.id === id)) return;
  requireReadable(home);
  throw badParams(`Unknown session ${JSON.stringify(id)} of ${projectDir}.`);
}

/** Sessions in one answer. */
const pageLength = 100;

/** Lists the stored sessions, last changed first. */
export function storedSessions(home: string, { cwd, cursor }: ListSessionsRequest): ListSessionsResponse {
  const start = cursor ?? "0";
  if (!/^\d{1,9}$/.test(start))
    throw badParams(`Expected cursor to be one from an earlier response, got ${JSON.stringify(start)}.`);
  const all = listSessions(home, cwd == null ? undefined : projectOf(cwd)).filter((session) => session.cwd !== "");
  const end = Number(start) + pageLength;
  return {
    sessions: all.slice(Number(start), end).map(({ id, cwd: directory, title, changedAt }) => ({
      sessionId: id,
      cwd: directory,
      title,
      updatedAt: changedAt.toISOString(),
    })),
    ...(end < all.length && { nextCursor: String(end) }),
  };
}

/** A session of an editor, a plain value. */
export interface AcpSession {
  readonly agent: Agent;
  /** For the next prompt: that of the mode. The editor may change it. */
  model: Model;
  /** The running prompt. */
  turn?: RunningTurn | undefined;
  /** What the user should see with the first answer, one per line. */
  notices: readonly string[];
  readonly send: SendUpdate;
}

/** The work on one prompt. */
interface RunningTurn {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Sends an update about a session to the editor. */
export type SendUpdate = (update: SessionUpdate) => void;

interface OpenOptions {
  readonly flags: SessionFlags;
  readonly projectDir: string;
  /** MCP servers for this session only. */
  readonly servers: readonly NamedServer[];
  /** Returns how to send updates of the session with this ID. */
  readonly sendFor: (sessionId: string) => SendUpdate;
}

/**
 * Opens a session: a new one, or that of the flags.
 *
 * @throws IkigaiError if the session is open elsewhere, or the sandbox does not work.
 */
export async function openAcpSession({ flags, projectDir, servers, sendFor }: OpenOptions): Promise<AcpSession> {
  const agent = await agentWithServers({ servers, problems: [] }, flags, {
    places: findPlaces(process.env, projectDir),
    isConversation: true,
  });
  try {
    await requireSandbox(agent.rules, agent.places, agent.env);
    await requireRules(agent);
    loadServers(agent);
    const chosen = await chooseModel(agent, flags.model);
    await choosePlanModel(agent, flags.model);
    const isChosen = "model" in chosen;
    const model = isChosen ? chosen.model : missingModel(chosen.error.message);
    const ofModel = isChosen ? [chosen.notice, model.notice].filter((notice) => notice !== undefined) : [];
    const notices = [...agent.notices, ...ofModel];
    // The editor shows the mode.
    if (agent.permission.mode === "auto") await agent.sandbox.check(agent.permission, (text) => notices.push(text));
    return modelOfMode({ agent, notices, send: sendFor(agent.conversation.id) }, model);
  } catch (error) {
    await release(agent);
    throw error;
  }
}

/** Stops the running prompt and closes the session; none of it runs afterwards. */
export async function closeAcpSession({ agent, turn }: AcpSession): Promise<void> {
  turn?.controller.abort();
  await turn?.ended.catch(() => {});
  await release(agent);
}

async function release(agent: Agent): Promise<void> {
  await Promise.all([agent.close(), agent.servers?.stop()]);
  agent.servers?.remove();
  agent.commands.remove();
}

/** Runs work that the editor, or the end of the process, can stop. One at a time. */
export async function asTurn<Result>(
  session: AcpSession,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const ended = work(controller.signal);
  session.turn = { controller, ended };
  const leave = beforeExit(() => {
    controller.abort();
    return ended.catch(() => {});
  });
  try {
    return await ended;
  } finally {
    leave();
    session.turn = undefined;
  }
}

/** What the editor offers to change in a session. */
export function sessionOptions(session: AcpSession) {
  return { modes: modesOf(session), configOptions: configOptionsOf(session) };
}

function modesOf({ agent }: AcpSession): SessionModeState {
  const current = agent.permission.mode;
  // An editor has a list, in which all fit.
  const usual = [...new Set([...conversationModes(agent.sandbox.isThere), "allow" as const])];
  const offered = usual.includes(current) ? usual : [...usual, current];
  const availableModes = offered.map((id) => {
    return { id, name: permissionModeTable[id].title, description: modeDescriptions[id] };
  });
  return { currentModeId: current, availableModes };
}

/** What an editor shows about each mode. */
const modeDescriptions: Readonly<Record<PermissionMode, string>> = {
  ask: "Ask before each call that no rule decides",
  edits: "Change the project's files without asking; ask before other calls",
  auto: "Run each call in the sandbox; ask for what needs to leave it",
  plan: "Read only: change nothing, whatever rules allow",
  allow: "Run each call that no rule decides, without asking",
  deny: "Deny each call that no rule decides",
};

/** @throws RequestError if the session does not offer the mode. */
export function setMode(session: AcpSession, wanted: string): void {
  const { availableModes } = modesOf(session);
  if (!isMode(wanted) || !availableModes.some(({ id }) => id === wanted)) {
    const known = availableModes.map(({ id }) => id).join(", ");
    throw badParams(`Expected modeId to be one of ${known}, got ${JSON.stringify(wanted)}.`);
  }
  session.agent.permission.mode = wanted;
  // The mode plan may have its own model.
  session.send({ sessionUpdate: "config_option_update", configOptions: configOptionsOf(session) });
}

function isMode(word: string): word is PermissionMode {
  return Object.hasOwn(permissionModeTable, word);
}

const modelOption = "model";

/** No server is asked for its models: they are those it listed last. */
export function configOptionsOf({ agent, model }: AcpSession): SessionConfigOption[] {
  const ids = [...new Set([model.id, ...rememberedModels(agent.places.home)])];
  const options = ids.map((id) => ({ value: id, name: id }));
  return [{ id: modelOption, name: "Model", category: "model", type: "select", currentValue: model.id, options }];
}

/** @throws RequestError if there is no such option, or the model cannot be used. */
export async function setConfigOption(session: AcpSession, option: string, value: unknown): Promise<void> {
  if (option !== modelOption) throw badParams(`Expected configId to be ${modelOption}, got ${JSON.stringify(option)}.`);
  if (typeof value !== "string") throw badParams("Expected value to be the name of a model.");
  const chosen = await switchModel(session, value, "To list the models: ikigai models");
  if ("problem" in chosen) throw badParams(chosen.problem);
  session.model = chosen.model;
  recordUse(session.agent, chosen.model);
}

/** JSON-RPC's codes. */
const invalidRequest = -32_600;
const invalidParams = -32_602;
const internalError = -32_603;

/** The editor sent a value that cannot be used: a session, a directory, a mode. */
export function badParams(message: string): RequestError {
  return new RequestError(invalidParams, message);
}

/** The request is not possible now. */
export function badRequest(message: string): RequestError {
  return new RequestError(invalidRequest, message);
}

/** A failure with a code, for programs; the message is for people. */
export function failure(code: string, message: string): RequestError {
  return new RequestError(internalError, message, { code });
}

/** Runs a handler; expected failures become errors that the editor shows. */
export async function answering<Result>(handler: () => Promise<Result>): Promise<Result> {
  try {
    return await handler();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof UsageError) throw badParams(error.message);
    if (error instanceof IkigaiError) throw failure(String(error.code), error.message);
    reportBug(error);
    throw error;
  }
}
