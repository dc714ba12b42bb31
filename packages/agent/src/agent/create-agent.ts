// An agent for programs: `createAgent` checks the options, opens the conversation with its parts, and chooses the model. Then the
// agent's methods, and the queue through which the events of a turn reach their reader.

import { renderFailure } from "@ikigai/core/internal";
import { fromLanguageModel, type Model, resolveModel, sessionModel } from "@ikigai/models";
import {
  AgentError,
  isSessionOpen,
  type ResumedConversation,
  resumeConversation,
  type StartOptions,
  startConversation,
} from "@ikigai/session";
import { redact } from "@ikigai/system";
import type { AgentEvent, TurnEnd, UserInput } from "../turn/agent-event.ts";
import type { OutputSchema } from "../turn/output-schema.ts";
import { type AgentOptions, checkAgentOptions, outputSchemaOf, placesOf, requireSandbox } from "./agent-options.ts";
import { type AgentContext, openAgent } from "./open-agent.ts";
import { takeTurn } from "./take-turn.ts";

/** Options of one turn. */
export interface RunOptions {
  /** Stops the turn: everything said and done so far stays in the conversation, and the turn ends as `interrupted`. */
  readonly signal?: AbortSignal;
}

/** One conversation with a model and tools. */
export interface Agent extends AsyncDisposable {
  /** Identifies the conversation, to continue it with another agent or the command. */
  readonly sessionId: string;
  /** `provider/model`. */
  readonly modelId: string;
  /** What the user should know before the first message, one sentence each: skipped tools, files that others can read. */
  readonly notices: readonly string[];
  /**
   * Runs a turn: queries the model and runs the calls it makes until it makes none. The turn starts with the first read of
   * its events; the last event is `turn_end`. Leaving the loop stops the turn and waits until none of it runs.
   *
   * @throws Error if another turn of this agent is running or the agent is closed; every other failure is an event.
   */
  run(message: string | UserInput, options?: RunOptions): AsyncGenerator<AgentEvent, void, undefined>;
  /** Stops the running turn, ends warm tool processes and closes the session file. */
  close(): Promise<void>;
}

/**
 * Creates an agent with the command's defaults: calls that are not allowed are asked about or denied, a project's tools run
 * only if the user trusts them, and keys are removed from everything shown or written.
 *
 * @throws AgentError, ModelError `configuration` or ConfigError; nothing is left running.
 */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  return (await assembleAgent(options)).agent;
}

/** An agent and what it consists of. */
export interface AssembledAgent {
  readonly agent: Agent;
  readonly context: AgentContext;
}

/** Says how `createAgent` gets a rule that allows calls, or the mode auto. */
const ruleAdvice = (rule?: string) =>
  rule === undefined
    ? 'mode: "auto" in permission'
    : `{ verdict: "allow", rule: ${JSON.stringify(rule)} } in permission.rules`;

/** Like `createAgent`; also returns the context. @param allowAdvice says how the caller's own options get a rule. */
export async function assembleAgent(options: AgentOptions, allowAdvice = ruleAdvice): Promise<AssembledAgent> {
  checkAgentOptions(options);
  const { permission: { mode, rules } = {}, session, secrets, maxSteps, patience } = options;
  const env = { ...(options.env ?? process.env) };
  const places = placesOf(options, env);
  const outputSchema = await outputSchemaOf(options);
  const context = await openAgent({
    ...{ places, env, secrets, maxSteps, patience, allowAdvice },
    permission: { mode, rules },
    takesGrant: true,
    openConversation: (place) => openSession(session, { ...place, home: places.home, cwd: places.projectDir }),
  });
  try {
    await requireSandbox(context.rules, places.projectDir, env);
    const { model, notice } = await modelOf(options, context);
    if (options.thinking) context.thinking = options.thinking;
    const { failed, problems } = await context.toolbox.last();
    const ofModel = [notice, model.notice].filter((text) => text !== undefined);
    const notices = [...context.notices, ...failed.map(renderFailure), ...problems, ...ofModel];
    return { agent: agentOf(context, { model, outputSchema, notices }, options), context };
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** What is fixed for all turns of an agent. */
interface AgentParts {
  readonly model: Model;
  readonly outputSchema: OutputSchema | undefined;
  readonly notices: readonly string[];
}

function agentOf(context: AgentContext, { model, outputSchema, notices }: AgentParts, options: AgentOptions): Agent {
  const { conversation, toolbox } = context;
  const { permission: { ask } = {}, answerTool, contextWindow, waitsForJobs = false, onJobEnd } = options;
  const closing = new AbortController();
  let turn: Promise<unknown> | undefined;
  const tellOfJobs = () => {
    if (turn || closing.signal.aborted) return;
    const news = context.jobs.takeNews(conversation.id);
    if (news.length > 0) onJobEnd?.(redact(news.join("\n\n"), context.secrets));
  };
  if (onJobEnd) context.jobs.whenNews(tellOfJobs);
  const close = async () => {
    closing.abort();
    await turn?.catch(() => {});
    await context.close();
  };
  return {
    sessionId: conversation.id,
    modelId: model.id,
    notices,
    run(message, { signal: stop } = {}) {
      const events = turnEvents(
        async (emit, signal) => {
          if (closing.signal.aborted) throw new Error("The agent is closed.");
          if (turn) throw new Error("Another turn is running. Read its events to the end, or stop reading them.");
          const running = toolbox.current().then(() =>
            takeTurn(context, message, {
              model,
              signal,
              emit,
              ...(ask && { ask }),
              ...(answerTool && { answerTool }),
              ...(outputSchema && { outputSchema }),
              ...(contextWindow !== undefined && { contextWindow: () => contextWindow }),
              waitsForJobs,
            }),
          );
          turn = running;
          try {
            return await running;
          } finally {
            turn = undefined;
          }
        },
        [closing.signal, ...(stop ? [stop] : [])],
      );
      return onJobEnd ? followedBy(events, tellOfJobs) : events;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Calls this once the events have been read and the reader has gone on. */
async function* followedBy<Item>(items: AsyncGenerator<Item>, work: () => void): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items;
  } finally {
    setImmediate(work);
  }
}

/** The model to use, and what the user should know about a session that continues with another one. */
async function modelOf(
  { model }: AgentOptions,
  { config, env, secrets, conversation }: AgentContext,
): Promise<{ readonly model: Model; readonly notice?: string | undefined }> {
  if (typeof model === "object") return { model: fromLanguageModel(model, secrets) };
  const session = model === undefined ? sessionModel(conversation.lastUse, { config, env }) : {};
  const { wanted = model, notice } = session;
  return { model: await resolveModel({ config, env, ...(wanted !== undefined && { wanted }) }), notice };
}

/** Two agents that continue one session would mix their histories. */
function openSession(id: string | undefined, place: StartOptions): ResumedConversation {
  if (id === undefined) return { conversation: startConversation(place), notices: [] };
  if (isSessionOpen(place.home, id)) {
    throw new AgentError("session_open", `Session ${id} is already open, in this process or another one.`);
  }
  return resumeConversation({ ...place, id });
}

/** Starts a turn that passes its events to `emit` and ends soon after its signal is aborted. */
export type StartTurn = (emit: (event: AgentEvent) => void, signal: AbortSignal) => Promise<TurnEnd>;

/**
 * Yields the events of a turn as they happen; unread events are queued. The turn starts with the first read. Ending the
 * iteration, or any of `stops`, aborts the turn; the generator waits until none of it runs.
 *
 * @throws what the turn rejects with, which is a bug.
 */
export async function* turnEvents(
  start: StartTurn,
  stops: readonly AbortSignal[],
): AsyncGenerator<AgentEvent, void, undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort();
  if (stops.some(({ aborted }) => aborted)) abort();
  // AbortSignal.any would keep every turn's signal alive as long as these.
  for (const stop of stops) stop.addEventListener("abort", abort);
  const waiting: AgentEvent[] = [];
  let wake = () => {};
  let isOver = false;
  const turn = start((event) => {
    waiting.push(event);
    wake();
  }, signal).finally(() => {
    isOver = true;
    wake();
  });
  // The loop below rethrows a rejection.
  turn.catch(() => {});
  try {
    while (!isOver || waiting.length > 0) {
      const event = waiting.shift();
      if (event) yield event;
      else if (!isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const stop of stops) stop.removeEventListener("abort", abort);
    controller.abort();
    await turn;
  }
}
