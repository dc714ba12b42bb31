// What a running call can ask its host for. In order: answers of the user, permission for the calls of its agent, hosts, drawings;
// and git, which records work in a call of its own where the repository is read-only.

import type { HostApi, RegisteredTool, Registry } from "@ikigai/core";
import { executeCall, hostCallId, prepareCall } from "@ikigai/core/internal";
import { type ShownVisual, toKept } from "@ikigai/models";
import {
  callDirectory,
  factsOf,
  gitUseOf,
  insertRule,
  judge,
  type PendingCall,
  type Question,
  type ToolQuestion,
} from "@ikigai/permission";
import type {
  AgentOrigin,
  AskResult,
  JobParams,
  JobResult,
  JsonObject,
  PermissionParams,
  PermissionResult,
} from "@ikigai/protocol";
import { keepIndex, recordingProblem } from "@ikigai/sandbox";
import { isInside, realPathOf, redact, redactJson, shellWord, unlessAborted, userHome } from "@ikigai/system";
import { type CallPlace, placesOf, shownVisual } from "./answer-files.ts";
import {
  type AskAboutHost,
  type CallContext,
  type HookedTurn,
  type RecordGit,
  tellOfQuestion,
  type UserLink,
} from "./turn-context.ts";

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
  /** Where it runs. */
  readonly place: CallPlace;
  /** What the tool has shown so far. */
  readonly shown: ShownVisual[];
}

/** Returns what draws for the user at once, during a call. The log has it before it is drawn. */
export function showFor(
  { emit, record, secrets }: Pick<CallContext, "emit" | "record" | "secrets">,
  { id, tool, place, shown }: ShowingCall,
): NonNullable<HostApi["show"]> {
  return async ({ visual: wanted }) => {
    const visual = shownVisual(wanted, placesOf(tool, place, { withTemporary: true }), secrets);
    if (visual.type === "refused") return { shown: false, reason: visual.reason };
    record({ type: "shown", id, visuals: [toKept(visual)] });
    shown.push(visual);
    emit({ type: "shown", id, visual });
    return { shown: true };
  };
}

/* Git in the sandbox, where the repository is read-only: commands that only record work run where git can write to it. */

/** A call, and whether git can record work in the sandbox, if that is what it does. */
export async function withRecording(
  { permission, env = process.env, sandboxFor }: Pick<CallContext, "permission" | "env" | "sandboxFor">,
  call: PendingCall,
  tool: RegisteredTool,
): Promise<PendingCall> {
  if (gitUseOf(factsOf(call, tool, permission), permission) !== "records") return call;
  const { projectDir, directories = [], home } = permission;
  const { writable = [] } = sandboxFor?.(tool.name) ?? {};
  const scene = { projectDir, home, userHome: userHome() ?? "/", env, writable: [...directories, ...writable] };
  return { ...call, recordingProblem: (await recordingProblem(scene)) ?? "" };
}

/** What running git for a program needs of a turn. */
type RecordingTurn = Pick<CallContext, "permission" | "env" | "sandboxFor" | "ahead" | "signal">;

/** What a program asks for. */
interface GitRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Who commits, and when. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns what runs git for the programs of a call, one command after the other. Each is judged as a call of nothing but it would be in
 * the mode `auto`: by its words, which no shell has to be read for. The answer has the `output` and the `exit_code` of git, or says why
 * it was `refused`; neither, if git can run it where the program is.
 */
export function gitRecorder(turn: RecordingTurn, { id, tool }: { id: string; tool: RegisteredTool }): RecordGit {
  let last: Promise<unknown> = Promise.resolve();
  return (asked, signal) => {
    const answer = last.then(() => recordOne(turn, { id, tool, signal }, asked)).catch(() => ({}));
    last = answer;
    return answer;
  };
}

async function recordOne(
  turn: RecordingTurn,
  { id, tool, signal }: { readonly id: string; readonly tool: RegisteredTool; readonly signal: AbortSignal },
  asked: Parameters<RecordGit>[0],
): Promise<object> {
  const request = readRequest(asked);
  const project = realPathOf(turn.permission.projectDir);
  if (request === undefined || signal.aborted || !isInside(realPathOf(request.cwd), project)) return {};
  const { mode } = turn.permission;
  if (mode === "plan" || mode === "deny") return { refused: `the permission mode is ${mode}` };
  const permission = { ...turn.permission, mode: "auto" as const };
  const directory = request.cwd === callDirectory(turn.permission) ? "" : `cd ${shellWord(request.cwd)} && `;
  const command = `${directory}git ${request.args.map(shellWord).join(" ")}`;
  const value = { command };
  const written = { id, name: tool.name, arguments: JSON.stringify(value), value };
  const call = await withRecording({ ...turn, permission }, written, tool);
  if (call.recordingProblem === undefined) return {};
  if (call.recordingProblem !== "") return { refused: call.recordingProblem };
  const { decision, place } = judge(call, tool, permission);
  if (decision.verdict !== "allow" || place !== "recording")
    return { refused: `${decision.reason ?? "a rule requires a question"}, so it must be a call of its own` };
  const circumstances = turn.ahead.circumstances(id, tool, "recording");
  const prepared = prepareCall(tool, JSON.stringify(value), {
    ...circumstances,
    callId: hostCallId("git"),
    env: { ...(circumstances.env ?? process.env), ...request.env },
    signal: AbortSignal.any([turn.signal, signal]),
  });
  const checkIndex = keepIndex(turn.permission.projectDir);
  const { envelope } = await executeCall(prepared);
  const problem = checkIndex();
  if (!envelope.tool_success) return { refused: envelope.error };
  const { output = "", exit_code } = envelope.result;
  return { output: problem === undefined ? output : `${output}${problem}\n`, exit_code: exit_code ?? 1 };
}

/** Returns a request of the form that programs send; `undefined` for another. */
function readRequest({ args, cwd, env }: Parameters<RecordGit>[0]): GitRequest | undefined {
  const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
  if (!Array.isArray(args) || !args.every(isText) || !isText(cwd) || typeof env !== "object") return undefined;
  const who = Object.entries(env ?? {}).filter((entry): entry is [string, string] => isText(entry[1]));
  return { args, cwd, env: Object.fromEntries(who.filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_[A-Z]+$/.test(name))) };
}
