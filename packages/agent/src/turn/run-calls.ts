// The calls of a step: each is prepared, waits for the earlier ones that affect its files, runs its hooks and then itself. Each gets
// exactly one result, in the order of the calls. Then which calls of an incomplete response must not run. At the end the way of one call to
// its result, `runCall`: its tool, its permission, and the run, which make-call.ts does. On the way, a call whose arguments the user changes
// begins again, and one that starts an agent gets its grant.

import { failedOutcome, findTool, type Registry } from "@ikigai/core";
import type { Hook } from "@ikigai/core/hooks";
import { type CallArguments, notFound, startsAgents } from "@ikigai/core/internal";
import { type FinishReason, type ToolCallPart, type ToolMessage, toKept, toolMessage } from "@ikigai/models";
import { callDirectory, withAgreedNeeds } from "@ikigai/permission";
import { keepImages } from "@ikigai/session";
import { limitParallel } from "@ikigai/system";
import { beforeCall, type HookedCall, withContext } from "../hooks/event-hooks.ts";
import { hooksFor } from "../hooks/run-hooks.ts";
import type { Agents } from "../subagents/agents.ts";
import type { SeenOutcome } from "./answer-files.ts";
import { type CheckedArguments, checkArguments, withOwnNames, withPlainUrl } from "./call-arguments.ts";
import { type CallTouch, mustWait, touchOf } from "./call-files.ts";
import { withGitCheck } from "./git-commits.ts";
import { makeCall, type PermittedCall, withSandboxAdvice } from "./make-call.ts";
import { cancelled, permitCall } from "./permit-call.ts";
import { introduceTools, unknownToolsText } from "./record-call.ts";
import { type CallContext, sceneOf } from "./turn-context.ts";

/** How many tools run at once. A model that requests fifty files must not start fifty processes. */
const maxParallelCalls = 8;

/**
 * Runs the calls of a step in parallel, unless they affect the same files, and adds exactly one result per call to the
 * conversation, in the order of the calls. Returns the call that has failed too often, if any.
 */
export async function runCalls(
  turn: CallContext,
  calls: readonly ToolCallPart[],
  finish: FinishReason,
  registry: Registry,
): Promise<ToolCallPart | undefined> {
  const prepared = await Promise.all(
    calls.map((call, index) => orderedCall(turn, call, registry, whyNotRun(calls, index, finish))),
  );
  const run = callQueue();
  const outcomes = await Promise.all(prepared.map((ordered) => run(turn, ordered, registry)));
  turn.undo?.ended(calls.map(({ name }) => name).join(", "));
  let looped: ToolCallPart | undefined;
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    turn.conversation.messages.push(messageOf(call, outcome));
    const unknown = introduceTools({ ...turn, registry }, call.name, outcome);
    if (unknown.length > 0) turn.emit({ type: "notice", text: unknownToolsText(call.name, unknown) });
    if (turn.guard.hasLooped({ ...call, onlyReads: onlyReads(call.name, registry) }, outcome)) looped = call;
  }
  return looped;
}

/** Prepares a call. @param whyNot why it must not run, if so. */
export async function orderedCall(
  turn: CallContext,
  call: ToolCallPart,
  registry: Registry,
  whyNot?: string,
): Promise<OrderedCall> {
  const scene = sceneOf(turn);
  const checked = whyNot === undefined ? checkArguments(call.arguments) : { error: whyNot };
  const args = "error" in checked ? checked : inOneSpelling(turn, call.name, checked, registry);
  const value = "error" in checked ? {} : checked.value;
  const touch = touchOf(findTool(registry, call.name), value, callDirectory(turn.permission));
  const hooks = scene && !("error" in args) ? await hooksFor(scene, "before-call", call.name, registry) : [];
  return { call, args, hooks, touch };
}

/** A call with its hooks, and what it affects, which they may change. */
interface OrderedCall {
  readonly call: ToolCallPart;
  readonly args: CheckedArguments;
  readonly hooks: readonly Hook[];
  /** What hooks have said before the call, for the model. */
  readonly said?: readonly string[];
  touch: CallTouch;
}

/** Runs a call when its turn has come, and returns its outcome. */
type CallQueue = (turn: CallContext, ordered: OrderedCall, registry: Registry) => Promise<SeenOutcome>;

/** Creates a queue that runs calls in parallel, except that a call waits for the earlier ones that affect the same files. */
export function callQueue(): CallQueue {
  const limit = limitParallel(maxParallelCalls);
  const hookLimit = limitParallel(maxParallelCalls);
  const running = new Map<OrderedCall, Promise<SeenOutcome>>();
  const changing = new Set<Promise<unknown>>();
  return (turn, ordered, registry) => {
    const earlier = [...running];
    const untilFree = () =>
      Promise.all(earlier.filter(([{ touch }]) => mustWait(ordered.touch, touch)).map(([, outcome]) => outcome));
    const hooked = Promise.all(changing)
      .then(untilFree)
      .then(() => hookedCall(turn, ordered, registry, hookLimit));
    // What a call affects is known when the user's hooks, which may change it, have run.
    if (ordered.hooks.some(({ scope }) => scope === "user")) changing.add(hooked);
    const outcome = hooked.then(async (after) => {
      if (after?.isChanged) await untilFree();
      return limit(() => resultOf(turn, ordered, registry, after));
    });
    running.set(ordered, outcome);
    const forget = () => {
      running.delete(ordered);
      changing.delete(hooked);
    };
    outcome.then(forget, forget);
    return outcome;
  };
}

/** Runs the hooks before a call; returns `undefined` if the call has no hooks. */
async function hookedCall(
  turn: CallContext,
  ordered: OrderedCall,
  registry: Registry,
  limit: ReturnType<typeof limitParallel>,
): Promise<HookedCall | undefined> {
  const { call, args, hooks } = ordered;
  const scene = sceneOf(turn);
  const tool = findTool(registry, call.name);
  if (hooks.length === 0 || !scene || !tool || "error" in args || turn.signal.aborted) return undefined;
  const after = await limit(() => beforeCall(scene, hooks, { id: call.id, tool, args }));
  if (after.ends !== undefined) turn.hookEnd ??= after.ends;
  if (!after.isChanged) return after;
  // A hook may use a parameter's other names, or write an address in another way.
  const own = inOneSpelling(turn, call.name, after.args, registry);
  ordered.touch = touchOf(tool, own.value, callDirectory(turn.permission));
  return { ...after, args: own };
}

/** The arguments that rules, questions, hooks, the checkpoint and the tool all get. */
function inOneSpelling(
  { permission }: Pick<CallContext, "permission">,
  name: string,
  args: CallArguments,
  registry: Registry,
): CallArguments {
  const isSystem = findTool(registry, name)?.scope === "system";
  return withPlainUrl({ name, isSystem }, withOwnNames(name, args, registry), permission.rules);
}

async function resultOf(
  turn: CallContext,
  { call, args, said = [] }: OrderedCall,
  registry: Registry,
  hooked: HookedCall | undefined,
): Promise<SeenOutcome> {
  const context = [...said, ...(hooked?.context ?? [])];
  const outcome: SeenOutcome =
    "error" in args
      ? failedOutcome("INVALID_PARAMS", args.error)
      : await runCall(turn, call, { args, verdicts: [], ...hooked, context }, registry);
  const { id, name } = call;
  const { envelope, json, durationMs, overflowFile, notes, images = [], visuals = [] } = outcome;
  const kept = images.length > 0 && { images: keepImages(turn.conversation.log, images) };
  const drawn = visuals.length > 0 && { visuals: visuals.map(toKept) };
  turn.record({
    type: "tool_result",
    id,
    name,
    json,
    durationMs,
    ...(overflowFile && { overflowFile }),
    ...kept,
    ...drawn,
  });
  turn.emit({ type: "tool_result", id, name, envelope, json, durationMs, notes, ...(drawn && { visuals }) });
  return outcome;
}

/** Whether the tool, and the system tool of this name, declare that they are read-only. */
function onlyReads(name: string, registry: Registry): boolean {
  const { schema, system } = findTool(registry, name) ?? {};
  const { annotations } = (system === "unknown" ? undefined : system) ?? {};
  return [annotations, schema?.annotations].some((said) => said?.readOnlyHint === true);
}

function messageOf(
  { id, name }: ToolCallPart,
  { json, durationMs, images, shown = [], visuals = [] }: SeenOutcome,
): ToolMessage {
  return toolMessage({ id, name, json, durationMs }, images, [...shown, ...visuals].map(toKept));
}

/** The error of calls in a response that was refused or filtered. */
const refused =
  "The answer that made this call was refused or filtered (finish reason: content_filter). Nothing was run.";

const cutOff: Readonly<Partial<Record<FinishReason, string>>> = {
  length:
    "The answer reached the output limit (max tokens), and this call may have been cut off. Nothing was run. Make the call again; if it is long, split it, for instance by writing a file in several steps.",
  other:
    "The answer ended for an unknown reason, and this call may have been cut off. Nothing was run. Make the call again if it is still needed.",
};

/**
 * Returns why a call must not run, based on how the response ended; `undefined` if it may.
 *
 * At an output limit or an unknown end, the last call is unsafe whatever its arguments: a server may have completed the JSON
 * itself. So is every call without arguments, because the SDK turns missing arguments into `{}`, and every call whose
 * arguments are not an object. Other calls are complete, because no proper prefix of a JSON object is a JSON object. No call
 * of a refused response runs.
 */
function whyNotRun(calls: readonly ToolCallPart[], index: number, finish: FinishReason): string | undefined {
  if (finish === "content_filter") return refused;
  const reason = cutOff[finish];
  // Nothing to check in a complete response.
  if (reason === undefined) return undefined;
  const isLast = index === calls.length - 1;
  return isLast || !hasArguments(calls[index]?.arguments ?? "") ? reason : undefined;
}

function hasArguments(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.keys(value).length > 0;
  } catch {
    return false;
  }
}

/** Takes one call to its result. @param hooked the call as its hooks have left it. */
export async function runCall(
  turn: CallContext,
  part: ToolCallPart,
  hooked: HookedCall,
  registry: Registry,
): Promise<SeenOutcome> {
  const { agents, recorded, signal } = turn;
  const { id, name } = part;
  const { args, verdicts, context, isUsers = false } = hooked;
  if (signal.aborted) return cancelled(name);
  if (recorded) return recorded.answer(name, part.arguments);
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  await turn.sandboxChecked?.();
  const call = await withGitCheck(turn, { id, name, arguments: args.text, value: args.value }, tool);
  const permit = await permitCall(turn, { call, tool, hooks: verdicts, isUsers });
  const { refusal, changed, place, advice, hasNeeds } = permit;
  if (refusal) return withContext(refusal, context);
  const permitted = { id, tool: withAgreedNeeds(tool, turn.permission, hasNeeds), registry, hooked, place };
  if (changed !== undefined) {
    const again = await asUserWrote(turn, permitted, changed);
    return "error" in again ? failedOutcome("INVALID_PARAMS", again.error) : runCall(turn, part, again, registry);
  }
  if (signal.aborted) return cancelled(name);
  if (agents && startsAgents(tool)) return startAgent(turn, agents, permitted);
  const outcome = await makeCall(turn, permitted);
  return withSandboxAdvice(turn, { call, tool, place, advice }, outcome);
}

/** A call as the user has changed it: its hooks see it again. If they change it once more, the user is asked once more. */
async function asUserWrote(
  turn: CallContext,
  { id, tool, registry }: PermittedCall,
  text: string,
): Promise<HookedCall | Extract<CheckedArguments, { error: string }>> {
  const checked = checkArguments(text);
  if ("error" in checked) return checked;
  const args = withOwnNames(tool.name, checked, registry);
  const said = `The user changed the arguments of this call to: ${text}`;
  const scene = sceneOf(turn);
  const hooks = scene ? await hooksFor(scene, "before-call", tool.name, registry) : [];
  const changed = { args, isChanged: true, isUsers: true, verdicts: [], context: [said] };
  if (!scene || hooks.length === 0) return changed;
  const after = await beforeCall(scene, hooks, { id, tool, args });
  if (after.ends !== undefined) turn.hookEnd ??= after.ends;
  return { ...changed, ...after, isChanged: true, isUsers: !after.isChanged, context: [said, ...after.context] };
}

/** Makes a call that starts an agent, which gets a part of what this conversation may do. */
async function startAgent(turn: CallContext, agents: Agents, call: PermittedCall): Promise<SeenOutcome> {
  const { id, tool, registry, hooked, place } = call;
  const { conversation, permission, settingsFor, model, namedAgents: named = [], hooks, signal } = turn;
  // Loaded only now: few conversations start agents.
  const { runAgentCall } = await import("../subagents/run-agent-call.ts");
  // That of a tool without settings of its own.
  const { sandbox } = settingsFor?.("") ?? {};
  const scene = { conversation, permission, sandbox, model: model?.id ?? "", named, finder: hooks?.finder };
  const agentCall = { id, args: hooked.args.value, tools: registry.tools, ...scene };
  return runAgentCall(agents, agentCall, async (agent) => {
    if (signal.aborted) return cancelled(tool.name);
    // The tools of an agent run in the sandbox, but in there it would have neither the user's directory nor a provider.
    return makeCall(turn, { ...call, place: tool.scope === "system" ? "outside" : place, agent });
  });
}
