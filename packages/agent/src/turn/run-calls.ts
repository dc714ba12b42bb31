import { findTool, type Registry } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { limitParallel } from "@ikigai/system";
import { type ToolCallPart, type ToolMessage, toolMessage } from "../model/message.ts";
import type { FinishReason } from "../model/model.ts";
import { keepImages } from "../session/kept-images.ts";
import type { SeenOutcome } from "./answer-images.ts";
import { mustWait, touchOf } from "./call-order.ts";
import { type CheckedArguments, checkArguments } from "./check-arguments.ts";
import { whyNotRun } from "./cut-calls.ts";
import { runCall } from "./run-call.ts";
import type { TurnContext } from "./turn-context.ts";
import { withOwnNames } from "./with-own-names.ts";

/** How many tools run at once. A model that requests fifty files must not start fifty processes. */
const maxParallelCalls = 8;

/**
 * Runs the calls of a step in parallel, unless they affect the same files, and adds exactly one result per call to the
 * conversation, in the order of the calls. Returns the call that has failed too often, if any.
 */
export async function runCalls(
  turn: TurnContext,
  calls: readonly ToolCallPart[],
  finish: FinishReason,
  registry: Registry,
): Promise<ToolCallPart | undefined> {
  const { projectDir: cwd } = turn.permission;
  const prepared = calls.map((call, index) => {
    const whyNot = whyNotRun(calls, index, finish);
    const checked = whyNot === undefined ? checkArguments(call.arguments) : { error: whyNot };
    const args = "error" in checked ? {} : checked.value;
    return { call, checked, touch: touchOf(findTool(registry, call.name), args, cwd) };
  });
  const limit = limitParallel(maxParallelCalls);
  const running: Promise<SeenOutcome>[] = [];
  for (const { call, checked, touch } of prepared) {
    const before = running.filter((_, earlier) => mustWait(touch, prepared[earlier]?.touch ?? { writes: true }));
    const start = async () => {
      await Promise.all(before);
      return limit(() => resultOf(turn, call, checked, registry));
    };
    running.push(start());
  }
  const outcomes = await Promise.all(running);
  let looped: ToolCallPart | undefined;
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    turn.conversation.messages.push(messageOf(call, outcome));
    if (turn.guard.hasLooped({ ...call, onlyReads: onlyReads(call.name, registry) }, outcome)) looped = call;
  }
  return looped;
}

async function resultOf(
  turn: TurnContext,
  call: ToolCallPart,
  checked: CheckedArguments,
  registry: Registry,
): Promise<SeenOutcome> {
  const outcome: SeenOutcome =
    "error" in checked
      ? failedOutcome("INVALID_PARAMS", checked.error)
      : await runCall(turn, call, withOwnNames(call.name, checked, registry), registry);
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
