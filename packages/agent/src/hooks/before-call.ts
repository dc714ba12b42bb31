import type { RegisteredTool } from "@ikigai/core";
import { type CallArguments, type Hook, printable } from "@ikigai/core/internal";
import { asSentence } from "../model/as-sentence.ts";
import { decide } from "../permission/decide.ts";
import type { HookVerdict } from "../permission/permission.ts";
import type { HookAnswer } from "./hook-answer.ts";
import type { HookScene } from "./hook-scene.ts";
import { contextOf, type HookResult, runOne } from "./run-hooks.ts";

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
  return asSentence(`The hook ${printable(path)} ended the turn${reason === "" ? "" : `: ${reason}`}`);
}

function changed(args: CallArguments, { arguments: value }: HookAnswer): CallArguments {
  if (!value) return args;
  const text = JSON.stringify(value);
  return text === JSON.stringify(args.value) ? args : { text, value };
}

/** What a hook says about a call. One that is broken asks. */
function verdictOf(file: string, { problem, decision, reason = "", ends }: HookAnswer): HookVerdict | undefined {
  const path = printable(file);
  if (problem !== undefined) return { verdict: "ask", reason: `the hook ${path} is broken: ${problem}` };
  if (ends !== undefined) return { verdict: "deny", reason: `the hook ${path} ended the turn${because(ends)}` };
  if (!decision) return undefined;
  const verbs = { allow: "allows it", ask: "asks about it", deny: "denies it" } as const;
  return { verdict: decision, reason: `the hook ${path} ${verbs[decision]}${because(reason)}` };
}

function because(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}
