import type { Outcome, RegisteredTool } from "@ikigai/core";
import type { Hook } from "@ikigai/core/hooks";
import { type CallArguments, withField } from "@ikigai/core/internal";
import { asSentence } from "@ikigai/models";
import { decide, type HookVerdict } from "@ikigai/permission";
import type { Envelope, JsonObject } from "@ikigai/protocol";
import { escapeOf, showOnLine } from "@ikigai/system";
import {
  contextOf,
  type HookAnswer,
  type HookCall,
  type HookResult,
  type HookScene,
  runAll,
  runOne,
} from "./run-hooks.ts";

/** A call after its hooks. */
export interface HookedCall {
  /** The arguments in the question, the run, the log and the undo. */
  readonly args: CallArguments;
  /** Whether a hook or the user has changed them. */
  readonly isChanged?: boolean;
  /** Whether the user has written them. */
  readonly isUsers?: boolean;
  /** For the decision about the call. */
  readonly verdicts: readonly HookVerdict[];
  /** For the model, with the result. */
  readonly context: readonly string[];
  /** Why the turn must end after this step. */
  readonly ends?: string;
}

/**
 * Runs the hooks before a call, one after the other: each gets the arguments as the one before left them. The first refusal
 * ends it. No hook is run for a call that is denied whatever it says.
 */
export async function beforeCall(
  scene: HookScene,
  hooks: readonly Hook[],
  { id, tool, args: given }: { readonly id: string; readonly tool: RegisteredTool; readonly args: CallArguments },
): Promise<HookedCall> {
  const verdicts: HookVerdict[] = [];
  const results: HookResult[] = [];
  let args = given;
  let ends: string | undefined;
  for (const hook of hooks) {
    const pending = { id, name: tool.name, arguments: args.text, value: args.value };
    const { verdict, isFinal } = decide(pending, tool, scene.permission, verdicts);
    if (isFinal) break;
    const answer = await runOne(scene, hook, {}, { id, tool, args: args.value, verdict });
    results.push({ hook, answer });
    args = changed(args, answer);
    const said = verdictOf(hook.path, answer);
    if (said) verdicts.push(said);
    if (answer.ends !== undefined) ends ??= endOf(hook.path, answer.ends);
  }
  return {
    args,
    isChanged: args !== given,
    verdicts,
    context: contextOf(results),
    ...(ends !== undefined && { ends }),
  };
}

/** The sentence about a turn that a hook has ended. */
export function endOf(path: string, reason: string): string {
  return asSentence(`The hook ${showOnLine(path, escapeOf)} ended the turn${reason === "" ? "" : `: ${reason}`}`);
}

function changed(args: CallArguments, { arguments: value }: HookAnswer): CallArguments {
  if (!value) return args;
  const text = JSON.stringify(value);
  return text === JSON.stringify(args.value) ? args : { text, value };
}

/** What a hook says about a call. One that is broken asks. */
function verdictOf(file: string, { problem, decision, reason = "", ends }: HookAnswer): HookVerdict | undefined {
  const path = showOnLine(file, escapeOf);
  if (problem !== undefined) return { verdict: "ask", reason: `the hook ${path} is broken: ${problem}` };
  if (ends !== undefined) return { verdict: "deny", reason: `the hook ${path} ended the turn${because(ends)}` };
  if (!decision) return undefined;
  const verbs = { allow: "allows it", ask: "asks about it", deny: "denies it" } as const;
  return { verdict: decision, reason: `the hook ${path} ${verbs[decision]}${because(reason)}` };
}

function because(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}

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
  return context.length === 0 ? outcome : withField(outcome, "hook_context", context.join("\n\n"));
}
