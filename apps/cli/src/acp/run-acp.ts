// Serves an editor over stdin and stdout (Agent Client Protocol). In reading order: the requests about sessions, those in one session, what
// follows an answer, the connection, the editor's MCP servers, and a loaded conversation. The folder: run-acp ← acp-session (what is open) ←
// run-prompt (one turn) ← send-events and ask-editor (what the editor shows and answers).

import {
  type AgentApp,
  type AgentConnection,
  type AgentContext,
  type AnyMessage,
  agent as createApp,
  type McpServer,
  MessageTooLargeError,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ResumeSessionRequest,
  type Stream,
} from "@agentclientprotocol/sdk";
import type { Registry } from "@ikigai/core";
import { readServerEntry } from "@ikigai/mcp";
import type { NamedServer } from "@ikigai/mcp/conversation";
import type { Message } from "@ikigai/models";
import { isDeeperThan, type JsonObject, type JsonValue } from "@ikigai/protocol";
import type { SessionFlags } from "../args/parse-argv.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { version } from "../host/places/own-paths.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { flushed, maxMessageBytes, readFrom, writerTo } from "../host/terminal/peer.ts";
import { printError } from "../host/terminal/stdout.ts";
import { ownCommands } from "../session/commands/own-commands.ts";
import {
  type AcpSession,
  answering,
  configOptionsOf,
  openSessions,
  type SendUpdate,
  type SessionTable,
  sessionOptions,
  setConfigOption,
  setMode,
  storedSessions,
  type WantedSession,
} from "./acp-session.ts";
import { runPrompt, tellServerNews } from "./run-prompt.ts";
import { callResult, shownCall, text } from "./send-events.ts";

const capabilities = {
  loadSession: true,
  promptCapabilities: { image: true, embeddedContext: true },
  mcpCapabilities: { http: true },
  sessionCapabilities: { list: {}, resume: {}, close: {} },
};

/** Serves an editor over stdin and stdout (Agent Client Protocol) until it disconnects; returns the exit code. */
export async function runAcp(flags: SessionFlags): Promise<number> {
  const { home } = findPlaces(process.env, "/");
  let client: AgentContext | undefined;
  const sendFor = (sessionId: string): SendUpdate => {
    // Without an editor, there is no one to send to: the turn is being stopped.
    return (update) => void client?.notify(methods.client.session.update, { sessionId, update }).catch(() => {});
  };
  const sessions = openSessions(flags, home, sendFor);
  const running = new Set<Promise<unknown>>();
  const tracked: Tracked = (handler) => (context) => {
    const answer = answering(async () => handler(context));
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };
  const app = createApp({ name: "ikigai" });
  answerAboutSessions(app, tracked, sessions, home);
  answerWithin(app, tracked, sessions);
  app.onNotification(methods.agent.session.cancel, ({ params }) => {
    cancel(sessions, params.sessionId);
  });
  const stop = async () => {
    await sessions.closeAll();
    await Promise.allSettled(running);
  };
  const connection: AgentConnection = app.connect(editorStream(stop, () => connection.close()));
  client = connection.client;
  await connection.closed;
  await stop();
  await flushed();
  const { reason } = connection.signal;
  if (!(reason instanceof MessageTooLargeError)) return exitCodes.done;
  printError(`ikigai: ${reason.message}\n`);
  return exitCodes.failed;
}

/** Keeps track of the running requests: those that are open when the input ends are still answered. */
type Tracked = <Context, Result>(
  handler: (context: Context) => Result | Promise<Result>,
) => (context: Context) => Promise<Result>;

/** The requests that open, list and close sessions. */
function answerAboutSessions(app: AgentApp, tracked: Tracked, sessions: SessionTable, home: string): void {
  const { agent } = methods;
  app.onRequest(
    agent.initialize,
    tracked(() => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "ikigai", version },
      agentCapabilities: capabilities,
      authMethods: [],
    })),
  );
  app.onRequest(
    agent.session.new,
    tracked(async ({ params }) => {
      const session = await sessions.open({ cwd: params.cwd, servers: namedServers(params.mcpServers) });
      greet(session);
      return { sessionId: session.agent.conversation.id, ...sessionOptions(session) };
    }),
  );
  app.onRequest(
    agent.session.load,
    tracked(async ({ params }) => {
      const session = await sessions.open(storedSession(params));
      replayMessages(session, await session.agent.toolbox.current());
      greet(session);
      return sessionOptions(session);
    }),
  );
  app.onRequest(
    agent.session.resume,
    tracked(async ({ params }) => {
      const session = await sessions.open(storedSession(params));
      greet(session);
      return sessionOptions(session);
    }),
  );
  app.onRequest(
    agent.session.list,
    tracked(({ params }) => storedSessions(home, params)),
  );
  app.onRequest(
    agent.session.close,
    tracked(async ({ params }) => {
      await sessions.close(params.sessionId);
      return {};
    }),
  );
}

function storedSession({ cwd, sessionId: id, mcpServers }: ResumeSessionRequest): WantedSession {
  return { cwd, id, servers: namedServers(mcpServers ?? []) };
}

/** The requests in an open session. */
function answerWithin(app: AgentApp, tracked: Tracked, sessions: SessionTable): void {
  const { agent } = methods;
  app.onRequest(
    agent.session.setMode,
    tracked(({ params }) => {
      setMode(sessions.get(params.sessionId), params.modeId);
      return {};
    }),
  );
  app.onRequest(
    agent.session.setConfigOption,
    tracked(async ({ params }) => {
      const session = sessions.get(params.sessionId);
      await setConfigOption(session, params.configId, params.value);
      return { configOptions: configOptionsOf(session) };
    }),
  );
  app.onRequest(
    agent.session.prompt,
    tracked(({ params, signal, client }) => {
      const { requestPermission } = methods.client.session;
      return runPrompt(sessions.get(params.sessionId), params.prompt, {
        signal,
        request: (question, cancellationSignal) => client.request(requestPermission, question, { cancellationSignal }),
      });
    }),
  );
}

function cancel(sessions: SessionTable, id: string): void {
  try {
    sessions.get(id).turn?.controller.abort();
  } catch {
    // A notification has no answer: there is nothing to cancel.
  }
}

/** Sends what the editor gets after the answer: it does not know the session before. */
function greet(session: AcpSession): void {
  setImmediate(async () => {
    const commands = await ownCommands(session.agent.places);
    const availableCommands = commands.map(({ name, description, parameters }) => ({
      name,
      description,
      ...(parameters !== undefined && { input: { hint: parameters } }),
    }));
    session.send({ sessionUpdate: "available_commands_update", availableCommands });
    await session.agent.servers?.untilLoaded();
    tellServerNews(session);
  });
}

/** Deeper than any real message, in levels, and shallow enough for the library, which would end the connection. */
const maxDepth = 1_000;

/** The error of JSON-RPC for an invalid message. */
const tooDeep = { code: -32_600, message: "The message is nested too deeply." };

/**
 * The connection to the editor over stdin and stdout.
 *
 * @param beforeEnd called at the end of the input; what it waits for is still answered.
 * @param gone called if stdout is closed, or not read for too long.
 */
function editorStream(beforeEnd: () => Promise<void>, gone: () => void): Stream {
  const write = writerTo(gone);
  const output = new WritableStream<Uint8Array>({ write: (chunk) => write(chunk) });
  const chunks = readFrom(beforeEnd);
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const { readable, writable } = ndJsonStream(output, input, { maxMessageBytes });
  const shallow = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!isDeeperThan(message as unknown as JsonValue, maxDepth)) return controller.enqueue(message);
      const { id } = message as { readonly id?: unknown };
      const known = typeof id === "string" || typeof id === "number" ? id : null;
      write(`${JSON.stringify({ jsonrpc: "2.0", id: known, error: tooDeep })}\n`);
    },
  });
  return { readable: readable.pipeThrough(shallow), writable };
}

/** The MCP servers that an editor names for a session. They count as the user's. The editor has filled in their values. */
function namedServers(servers: readonly McpServer[]): NamedServer[] {
  return servers.map((server) => {
    const entry = readServerEntry(toEntry(server));
    return { name: server.name, entry: "problem" in entry ? { problem: entry.problem } : entry, isLiteral: true };
  });
}

/** The server as `.mcp.json` describes one. */
function toEntry(server: McpServer): JsonObject {
  if (!("type" in server)) return { command: server.command, args: server.args, env: textsOf(server.env) };
  return { type: server.type, url: server.url, headers: textsOf(server.headers) };
}

function textsOf(pairs: readonly { readonly name: string; readonly value: string }[]): JsonObject {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Sends a loaded conversation to the editor, as it sends a running one. */
function replayMessages(session: AcpSession, registry: Registry): void {
  for (const message of session.agent.conversation.messages) replayMessage(message, session, registry);
}

function replayMessage(message: Message, { agent, send }: AcpSession, registry: Registry): void {
  switch (message.role) {
    case "user":
      send({ sessionUpdate: "user_message_chunk", content: text(message.text) });
      for (const { mediaType, data } of message.images ?? [])
        send({ sessionUpdate: "user_message_chunk", content: { type: "image", mimeType: mediaType, data } });
      return;
    case "assistant":
      for (const part of message.parts) {
        if (part.type === "tool_call")
          send({
            sessionUpdate: "tool_call",
            ...shownCall(part, registry, agent.places.projectDir),
            status: "pending",
          });
        else if (part.text !== "") {
          const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
          send({ sessionUpdate, content: text(part.text) });
        }
      }
      return;
    case "tool":
      send({ sessionUpdate: "tool_call_update", ...callResult(message.id, message.json) });
      return;
    default:
      message satisfies never;
  }
}
