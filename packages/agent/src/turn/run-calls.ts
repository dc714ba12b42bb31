import { findTool, type Registry } from "@ikigai/core";
import { failedOutcome, type Hook } from "@ikigai/core/internal";
import { limitParallel } from "@ikigai/system";
import { withContext } from "../hooks/after-call.ts";
import { beforeCall, type HookedCall } from "../hooks/before-call.ts";
import { hooksFor } from "../hooks/run-hooks.ts";
import { type ToolCallPart, type ToolMessage, toolMessage } from "../model/message.ts";
import type { FinishReason } from "../model/model.ts";
import { keepImages } from "../session/kept-images.ts";
import type { SeenOutcome } from "./answer-images.ts";
import { type CallTouch, maxParallelCalls, mustWait, touchOf } from "./call-order.ts";
import { type CheckedArguments, checkArguments } from "./check-arguments.ts";
import { whyNotRun } from "./cut-calls.ts";
import { runCall } from "./run-call.ts";
import { sceneOf } from "./scene-of.ts";
import type { CallContext } from "./turn-context.ts";
import { withOwnNames } from "./with-own-names.ts";

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
  const outcomes = await Promise.all(inOrder(turn, prepared, registry));
  let looped: ToolCallPart | undefined;
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    turn.conversation.messages.push(messageOf(call, outcome));
    if (turn.guard.hasLooped({ ...call, onlyReads: onlyReads(call.name, registry) }, outcome)) looped = call;
  }
  return looped;
}

/**
 * Runs one call, whose result the conversation's messages do not get: another program's model made it.
 *
 * @param said what hooks have said before, for the model.
 */
export async function runOneCall(
  turn: CallContext,
  call: ToolCallPart,
  registry: Registry,
  said: readonly string[],
): Promise<SeenOutcome> {
  const one = await orderedCall(turn, call, registry);
  const hooked = await hookedCall(turn, one, registry, (run) => run());
  return withContext(await resultOf(turn, one, registry, hooked), said);
}

/** @param whyNot why the call must not run, if so. */
async function orderedCall(
  turn: CallContext,
  call: ToolCallPart,
  registry: Registry,
  whyNot?: string,
): Promise<OrderedCall> {
  const scene = sceneOf(turn);
  const checked = whyNot === undefined ? checkArguments(call.arguments) : { error: whyNot };
  const args = "error" in checked ? checked : withOwnNames(call.name, checked, registry);
  const value = "error" in checked ? {} : checked.value;
  const touch = touchOf(findTool(registry, call.name), value, turn.permission.projectDir);
  const hooks = scene && !("error" in args) ? await hooksFor(scene, "before-call", call.name) : [];
  return { call, args, hooks, touch };
}

/** A call with its hooks, and what it affects, which they may change. */
interface OrderedCall {
  readonly call: ToolCallPart;
  readonly args: CheckedArguments;
  readonly hooks: readonly Hook[];
  touch: CallTouch;
}

/** Starts the calls, each after the earlier ones that it must wait for. */
function inOrder(turn: CallContext, prepared: readonly OrderedCall[], registry: Registry): Promise<SeenOutcome>[] {
  const limit = limitParallel(maxParallelCalls);
  const hookLimit = limitParallel(maxParallelCalls);
  const running: Promise<SeenOutcome>[] = [];
  const changing: Promise<unknown>[] = [];
  for (const [index, one] of prepared.entries()) {
    const untilFree = () =>
      Promise.all(running.slice(0, index).filter((_, earlier) => waitsFor(one.touch, prepared[earlier])));
    const hooked = Promise.all(changing)
      .then(untilFree)
      .then(() => hookedCall(turn, one, registry, hookLimit));
    // What a call affects is known when the user's hooks, which may change it, have run.
    if (one.hooks.some(({ scope }) => scope === "user")) changing.push(hooked);
    running.push(
      hooked.then(async (after) => {
        if (after?.isChanged) await untilFree();
        return limit(() => resultOf(turn, one, registry, after));
      }),
    );
  }
  return running;
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
  // A hook may use a parameter's other names.
  const own = withOwnNames(call.name, after.args, registry);
  one.touch = touchOf(tool, own.value, turn.permission.projectDir);
  return { ...after, args: own };
}

function waitsFor(later: CallTouch, earlier: OrderedCall | undefined): boolean {
  return mustWait(later, earlier?.touch ?? { writes: true });
}

async function resultOf(
  turn: CallContext,
  { call, args }: OrderedCall,
  registry: Registry,
  hooked: HookedCall | undefined,
): Promise<SeenOutcome> {
  const outcome: SeenOutcome =
    "error" in args
      ? failedOutcome("INVALID_PARAMS", args.error)
      : await runCall(turn, call, hooked ?? { args, verdicts: [], context: [] }, registry);
  const { id, name } = call;
  const { envelope, json, durationMs, overflowFile, notes, images = [] } = outcome;
  const kept = images.length > 0 && { images: keepImages(turn.conversation.log, images) };
  turn.record({ type: "tool_result", id, name, json, durationMs, ...(overflowFile && { overflowFile }), ...kept });
  turn.emit({ type: "tool_result", id, name, envelope, json, durationMs, notes });
  return outcome;
}

/** Whether the tool, and the system tool of this name, declare that they are read-only. */
function onlyReads(name: string, registry: Registry): boolean {
  const { schema, system } = findTool(registry, name) ?? {};
  const { annotations } = (system === "unknown" ? undefined : system) ?? {};
  return [annotations, schema?.annotations].some((said) => said?.readOnlyHint === true);
}

function messageOf({ id, name }: ToolCallPart, { json, images }: SeenOutcome): ToolMessage {
  return toolMessage({ id, name, json }, images);
}
