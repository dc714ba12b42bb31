import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { type Model, removeOverflow } from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";
import type { SessionFlags } from "../args/parse-argv.ts";
import { chooseModel } from "../host/choose-model.ts";
import type { Agent } from "../host/open-agent.ts";
import { requireSandbox } from "../host/open-toolbox.ts";
import { loadServers, openWithServers } from "../host/open-with-servers.ts";
import { findPlaces } from "../host/places.ts";
import type { NamedServer } from "../host/servers/named-server.ts";
import { requireRules } from "../render/report-tools.ts";
import { missingModel } from "../session/missing-model.ts";

/** A session of an editor, a plain value. */
export interface AcpSession {
  readonly agent: Agent;
  /** For the next prompt; the editor may change it. */
  model: Model;
  /** The running prompt. */
  turn?: RunningTurn | undefined;
  /** What the user should see with the first answer, one per line. */
  notices: readonly string[];
  readonly send: SendUpdate;
}

/** The work on one prompt. */
export interface RunningTurn {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Sends an update about a session to the editor. */
export type SendUpdate = (update: SessionUpdate) => void;

export interface OpenOptions {
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
  const agent = await openWithServers({ servers, problems: [] }, flags, {
    places: findPlaces(process.env, projectDir),
    isConversation: true,
  });
  try {
    await requireSandbox(agent.rules, agent.places, agent.env);
    await requireRules(agent);
    loadServers(agent);
    const chosen = await chooseModel(agent, flags.model);
    const isChosen = "model" in chosen;
    const model = isChosen ? chosen.model : missingModel(chosen.error.message);
    const ofModel = isChosen ? [chosen.notice, model.notice].filter((notice) => notice !== undefined) : [];
    const notices = [...agent.notices, ...ofModel];
    // The editor shows the mode.
    if (agent.permission.mode === "auto") await agent.sandbox.check(agent.permission, (text) => notices.push(text));
    return { agent, model, notices, send: sendFor(agent.conversation.id) };
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
  await Promise.all([agent.spares.close(), agent.toolbox.close(), agent.servers?.stop()]);
  agent.servers?.remove();
  agent.commands.remove();
  agent.conversation.log.close();
  removeOverflow(agent);
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
