import {
  type AgentApp,
  type AgentConnection,
  type AgentContext,
  agent as createApp,
  MessageTooLargeError,
  methods,
  PROTOCOL_VERSION,
  type ResumeSessionRequest,
} from "@agentclientprotocol/sdk";
import type { SessionFlags } from "../args/parse-argv.ts";
import { exitCodes } from "../host/exit-codes.ts";
import { flushed } from "../host/peer.ts";
import { findPlaces } from "../host/places.ts";
import { printError } from "../host/stdout.ts";
import { version } from "../host/version.ts";
import { ownCommands } from "../session/own-commands.ts";
import { answering } from "./acp-error.ts";
import type { AcpSession, SendUpdate } from "./acp-session.ts";
import { editorStream } from "./editor-stream.ts";
import { storedSessions } from "./find-session.ts";
import { namedServers } from "./mcp-servers.ts";
import { replayMessages } from "./replay-messages.ts";
import { runPrompt, tellServerNews } from "./run-prompt.ts";
import { configOptionsOf, sessionOptions, setConfigOption, setMode } from "./session-options.ts";
import { openSessions, type SessionTable, type WantedSession } from "./session-table.ts";

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
