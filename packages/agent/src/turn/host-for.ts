// What a running call can ask its host for. In order: answers of the user, permission for the calls of its agent, hosts, drawings.

import type { HostApi, RegisteredTool, Registry } from "@ikigai/core";
import { type ShownVisual, toKept } from "@ikigai/models";
import { insertRule, type Question, type ToolQuestion } from "@ikigai/permission";
import type {
  AgentOrigin,
  AskResult,
  JobParams,
  JobResult,
  JsonObject,
  PermissionParams,
  PermissionResult,
} from "@ikigai/protocol";
import { redact, redactJson, unlessAborted } from "@ikigai/system";
import { type CallDirectories, placesOf, shownVisual } from "./answer-files.ts";
import { type AskAboutHost, type CallContext, type HookedTurn, tellOfQuestion, type UserLink } from "./turn-context.ts";

/** What asking the user needs of a turn. */
type AskingTurn = UserLink & HookedTurn & Pick<CallContext, "questions">;

/** The call that a host serves. */
export interface HostedCall extends ShowingCall {
  readonly args: JsonObject;
  readonly registry: Registry;
}

/** What a call's tool can ask this host for. Without a user, nothing. */
export function hostFor(turn: CallContext, call: HostedCall): HostApi {
  const { answerTool, ask, questions } = turn;
  return {
    ...(answerTool && {
      ask: async ({ question, options, kind, from }, { tool }, signal) => {
        const asking = from ? await askerOf(from, tool, call) : { tool };
        const asked = { callId: call.id, ...asking, question, kind, options };
        return questions.next(() => putQuestion(turn, asked, signal));
      },
    }),
    // Core asks for this only if the tool starts agents.
    ...(ask && {
      permission: (params, { tool }, signal) =>
        questions.next(() => permitAgent(turn, { ...call, tool }, params, signal)),
    }),
    ...(turn.drawsVisuals && { show: showFor(turn, call) }),
    ...(turn.jobs && { job: (params, _, signal) => carryOut(turn, params, signal) }),
  };
}

/** What the model gets about a job: without keys. */
async function carryOut(
  { jobs, conversation, secrets }: Pick<CallContext, "jobs" | "conversation" | "secrets">,
  params: JobParams,
  signal: AbortSignal,
) {
  const result = await jobs?.carryOut(params, conversation.id, signal);
  return result && (JSON.parse(redactJson(JSON.stringify(result), secrets)) as JobResult);
}

async function askerOf(
  from: AgentOrigin,
  caller: RegisteredTool,
  { args, registry }: HostedCall,
): Promise<Pick<ToolQuestion, "tool" | "agents" | "directory">> {
  const { agentsOf, askingTool } = await import("../subagents/question-link.ts");
  // Another tool may say anything about its agents, so the words are its own.
  if (caller.scope !== "system") return { tool: caller, agents: agentsOf(caller, args) };
  return { tool: askingTool(from, registry), agents: agentsOf(caller, args, from), directory: from.directory };
}

async function putQuestion(
  turn: AskingTurn,
  { question, options, ...asking }: ToolQuestion,
  signal: AbortSignal,
): Promise<AskResult | undefined> {
  const { answerTool, secrets } = turn;
  if (signal.aborted || !answerTool) return undefined;
  const clean = (text: string) => redact(text, secrets);
  const asked = { ...asking, question: clean(question), options: options.map(clean) };
  tellOfQuestion(turn, `The tool ${asked.tool.name} asks you a question`);
  const result = await answerTool(asked, signal);
  if (signal.aborted || !result) return undefined;
  // Keys were removed from the options that the user saw; the tool knows them as it wrote them.
  const chosen = "answer" in result ? options[asked.options.indexOf(result.answer)] : undefined;
  const { callId: id, kind, question: text, options: offered } = asked;
  turn.record({ type: "question", id, question: text, kind, options: offered, ...result });
  return chosen === undefined ? result : { answer: chosen };
}

/** Decides about a call of an agent, with the rights that this session has now; asks the user if needed. */
async function permitAgent(
  turn: AskingTurn,
  { id: callId, tool, args, registry }: HostedCall,
  params: PermissionParams,
  signal: AbortSignal,
): Promise<PermissionResult | undefined> {
  const { ask, permission } = turn;
  const { agentsOf, decideForAgent } = await import("../subagents/question-link.ts");
  if (signal.aborted || !ask) return undefined;
  const isOurs = tool.scope === "system";
  const decided = decideForAgent(isOurs ? params : withoutClaims(params, turn), { permission, registry, callId });
  if ("verdict" in decided) return decided;
  const { question: found } = decided;
  const shown = isOurs ? found : { ...found, tool: { ...found.tool, path: tool.path } };
  const question = { ...shown, agents: agentsOf(tool, args, isOurs ? params.from : undefined) };
  tellOfQuestion(turn, `An agent needs your permission to use ${question.tool.name}`);
  const answer = await ask(question, AbortSignal.any([signal, turn.signal]));
  if (signal.aborted || (!answer.allow && answer.isUnasked)) return undefined;
  if (answer.allow) return { verdict: "allow" };
  const words = answer.words?.trim();
  return { verdict: "deny", ...(words && { reason: words }) };
}

/** What another tool may ask: it could say anything about its agents, where they work and why it asks. */
function withoutClaims(
  { reason, from, ...asked }: PermissionParams,
  { permission }: Pick<CallContext, "permission">,
): PermissionParams {
  return { ...asked, ...(from && { from: { ...from, directory: permission.projectDir } }) };
}

/** Returns what asks the user whether a running call may reach a host, and keeps what the answer says about later calls. */
export function askAboutHost(turn: AskingTurn, asking: Pick<Question, "call" | "tool">): AskAboutHost {
  return ({ host, near }, isDecided, given) =>
    turn.questions.next(async () => {
      const signal = AbortSignal.any([given, turn.signal]);
      const { ask, permission } = turn;
      if (!ask || signal.aborted || isDecided()) return undefined;
      const rule = `host(${host})`;
      const reason = `wants to reach ${host}${near === undefined ? "" : `: ${near}`}`;
      const question = { ...asking, host, rule, offers: [[rule]], reason };
      tellOfQuestion(turn, `${asking.tool.name} wants to reach ${host}`);
      const answer = await unlessAborted(ask(question, signal), signal);
      turn.questions.answered(answer);
      if (!answer?.allow || answer.remember === undefined) return answer;
      const added = { verdict: "allow", rule } as const;
      insertRule(permission, added);
      if (answer.remember !== "session") await turn.saveRule?.(added, answer.remember);
      return answer;
    });
}

/** A call during which its tool may show something. */
export interface ShowingCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly directories: CallDirectories;
  /** What the tool has shown so far. */
  readonly shown: ShownVisual[];
}

/** Returns what draws for the user at once, during a call. The log has it before it is drawn. */
export function showFor(
  { emit, record, secrets }: Pick<CallContext, "emit" | "record" | "secrets">,
  { id, tool, directories, shown }: ShowingCall,
): NonNullable<HostApi["show"]> {
  return async ({ visual: wanted }) => {
    const visual = shownVisual(wanted, placesOf(tool, directories, { withTemporary: true }), secrets);
    if (visual.type === "refused") return { shown: false, reason: visual.reason };
    record({ type: "shown", id, visuals: [toKept(visual)] });
    shown.push(visual);
    emit({ type: "shown", id, visual });
    return { shown: true };
  };
}
