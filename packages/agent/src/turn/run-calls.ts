// The calls of a step: each is prepared, waits for the earlier ones that affect its files, runs its hooks and then itself. Each gets
// exactly one result, in the order of the calls. Last: which calls of an incomplete response must not run.

import { findTool, type Registry } from "@ikigai/core";
import type { Hook } from "@ikigai/core/hooks";
import { type CallArguments, failedOutcome } from "@ikigai/core/internal";
import { type FinishReason, type ToolCallPart, type ToolMessage, toKept, toolMessage } from "@ikigai/models";
import { callDirectory } from "@ikigai/permission";
import { keepImages } from "@ikigai/session";
import { limitParallel } from "@ikigai/system";
import { beforeCall, type HookedCall } from "../hooks/event-hooks.ts";
import { hooksFor } from "../hooks/run-hooks.ts";
import type { SeenOutcome } from "./answer-files.ts";
import { type CheckedArguments, checkArguments, withOwnNames, withPlainUrl } from "./call-arguments.ts";
import { type CallTouch, mustWait, touchOf } from "./call-files.ts";
import { introduceTools, unknownToolsText } from "./record-call.ts";
import { runCall } from "./run-call.ts";
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
  const outcomes = await Promise.all(prepared.map((one) => run(turn, one, registry)));
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
type CallQueue = (turn: CallContext, one: OrderedCall, registry: Registry) => Promise<SeenOutcome>;

/** Creates a queue that runs calls in parallel, except that a call waits for the earlier ones that affect the same files. */
export function callQueue(): CallQueue {
  const limit = limitParallel(maxParallelCalls);
  const hookLimit = limitParallel(maxParallelCalls);
  const running = new Map<OrderedCall, Promise<SeenOutcome>>();
  const changing = new Set<Promise<unknown>>();
  return (turn, one, registry) => {
    const earlier = [...running];
    const untilFree = () =>
      Promise.all(earlier.filter(([{ touch }]) => mustWait(one.touch, touch)).map(([, outcome]) => outcome));
    const hooked = Promise.all(changing)
      .then(untilFree)
      .then(() => hookedCall(turn, one, registry, hookLimit));
    // What a call affects is known when the user's hooks, which may change it, have run.
    if (one.hooks.some(({ scope }) => scope === "user")) changing.add(hooked);
    const outcome = hooked.then(async (after) => {
      if (after?.isChanged) await untilFree();
      return limit(() => resultOf(turn, one, registry, after));
    });
    running.set(one, outcome);
    const forget = () => {
      running.delete(one);
      changing.delete(hooked);
    };
    outcome.then(forget, forget);
    return outcome;
  };
}

/** Runs the hooks before a call; returns `undefined` if the call has no hooks. */
async function hookedCall(
  turn: CallContext,
  one: OrderedCall,
  registry: Registry,
  limit: ReturnType<typeof limitParallel>,
): Promise<HookedCall | undefined> {
  const { call, args, hooks } = one;
  const scene = sceneOf(turn);
  const tool = findTool(registry, call.name);
  if (hooks.length === 0 || !scene || !tool || "error" in args || turn.signal.aborted) return undefined;
  const after = await limit(() => beforeCall(scene, hooks, { id: call.id, tool, args }));
  if (after.ends !== undefined) turn.hookEnd ??= after.ends;
  if (!after.isChanged) return after;
  // A hook may use a parameter's other names, or write an address in another way.
  const own = inOneSpelling(turn, call.name, after.args, registry);
  one.touch = touchOf(tool, own.value, callDirectory(turn.permission));
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
