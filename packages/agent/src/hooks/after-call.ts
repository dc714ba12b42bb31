import type { Outcome } from "@ikigai/core";
import type { Envelope, JsonObject } from "@ikigai/protocol";
import { endOf } from "./before-call.ts";
import type { HookCall } from "./hook-input.ts";
import type { HookScene } from "./hook-scene.ts";
import { contextOf, runAll } from "./run-hooks.ts";

/** What the hooks after a call say. */
export interface AfterCall {
  /** For the model, with the result. */
  readonly context: readonly string[];
  /** Why the turn must end after this step. */
  readonly ends?: string;
}

/** Runs the hooks after a call that ran. */
export async function afterCall(scene: HookScene, call: HookCall, outcome: Outcome): Promise<AfterCall> {
  const { envelope, durationMs } = outcome;
  const fields = { tool_response: responseOf(envelope), duration_ms: Math.round(durationMs) };
  const results = await runAll(scene, "after-call", fields, call);
  const ending = results.find(({ answer }) => answer.ends !== undefined);
  return {
    context: contextOf(results),
    ...(ending && { ends: endOf(ending.hook.path, ending.answer.ends ?? "") }),
  };
}

function responseOf(envelope: Envelope): JsonObject {
  if (envelope.tool_success) return envelope.result;
  const { error, error_code, exit_code, stdout, stderr } = envelope;
  return { error, error_code, exit_code, stdout, stderr };
}

/** Adds what hooks say to a result, beside the tool's own text, which stays as it is. */
export function withContext<Result extends Outcome>(outcome: Result, context: readonly string[]): Result {
  if (context.length === 0) return outcome;
  const text = context.join("\n\n");
  const { envelope, json } = outcome;
  return {
    ...outcome,
    envelope: { ...envelope, hook_context: text },
    json: `${json.slice(0, -1)},"hook_context":${JSON.stringify(text)}}`,
  };
}
