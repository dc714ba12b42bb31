// Runs the hooks of an event as a conversation does, without one: for `ikigai hook test`. Returns what each said and what it would
// lead to.

import { randomUUID } from "node:crypto";
import type { RegisteredTool, Registry } from "@ikigai/core";
import type { HookEvent, HookOptions } from "@ikigai/core/hooks";
import type { CallArguments } from "@ikigai/core/internal";
import { noUsage } from "@ikigai/models";
import { decide, type Permission, type Verdict } from "@ikigai/permission";
import { noLog, type SessionEvent } from "@ikigai/session";
import { beforeCall, compactHooks, type HookedSummary, promptHooks, stopHooks } from "./event-hooks.ts";
import { openHooks } from "./open-hooks.ts";
import { contextOf, type EventFields, type HookAnswer, type HookScene, hooksFor, runAll } from "./run-hooks.ts";

/** A hook that was run, and what it said. */
export interface HookTestRun {
  readonly run: Extract<SessionEvent, { type: "hook" }>;
  readonly answer: HookAnswer;
}

/** What the hooks of an event lead to in a conversation. */
export interface HookEffect {
  /** For the model. */
  readonly context: readonly string[];
  /** Whether the turn ends; for `stop`, with the words for the user. */
  readonly ends?: string | undefined;
  /** What the model gets to continue with, for `stop`. */
  readonly continues?: string | undefined;
  /** The decision about the call, for `before-call`. */
  readonly decision?: { readonly verdict: Verdict; readonly reason: string };
  /** What the user is asked about a message, and why it is not sent, for `prompt`. */
  readonly message?: { readonly asked: readonly string[]; readonly refusal?: string };
  /** For `before-compact`. */
  readonly summary?: HookedSummary;
}

/** What is tested, and where. */
export interface HookTestOptions {
  readonly event: HookEvent;
  readonly fields: EventFields;
  /** The call of an event that has one, with all tools. */
  readonly call?:
    | { readonly tool: RegisteredTool; readonly args: CallArguments; readonly registry: Registry }
    | undefined;
  readonly permission: Permission;
  readonly env: NodeJS.ProcessEnv;
  readonly sandbox: HookOptions["sandbox"];
  readonly secrets: readonly string[];
  /** Tells the user something, one sentence. */
  readonly notice: (text: string) => void;
}

const id = "call_test";

/** Runs the hooks of an event; nothing is saved. */
export async function testHooks(
  options: HookTestOptions,
): Promise<{ readonly runs: readonly HookTestRun[]; readonly effect: HookEffect }> {
  const runs: HookTestRun[] = [];
  return { runs, effect: await effectOf(options, sceneFor(options, runs)) };
}

function sceneFor({ permission, env, sandbox, secrets, notice }: HookTestOptions, runs: HookTestRun[]): HookScene {
  let last: HookTestRun["run"] | undefined;
  return {
    hooks: openHooks(permission, { env, sandbox }),
    conversation: {
      id: randomUUID(),
      cwd: permission.projectDir,
      messages: [],
      introduced: [],
      log: noLog("This session is not being saved."),
      usage: noUsage,
    },
    ...{ permission, secrets, notice },
    record(event) {
      if (event.type === "hook") last = event;
    },
    answered(answer) {
      if (last) runs.push({ run: last, answer });
    },
  };
}

async function effectOf({ event, fields, call }: HookTestOptions, scene: HookScene): Promise<HookEffect> {
  if (event === "before-call" && call) {
    const { tool, args: given, registry } = call;
    const hooks = await hooksFor(scene, event, tool.name, registry);
    const { args, verdicts, context, ends } = await beforeCall(scene, hooks, { id, tool, args: given });
    const pending = { id, name: tool.name, arguments: args.text, value: args.value };
    return { decision: decide(pending, tool, scene.permission, verdicts), context, ends };
  }
  if (event === "prompt") {
    const asked: string[] = [];
    const hooked = await promptHooks(scene, String(fields.prompt ?? ""), async (why) => asked.push(why) > 0);
    if ("refusal" in hooked) return { message: { asked, refusal: hooked.refusal }, context: [] };
    return { message: { asked }, context: hooked.context };
  }
  if (event === "before-compact") return { summary: await compactHooks(scene, "manual", ""), context: [] };
  if (event === "stop") {
    const { ends, continues } = await stopHooks(scene, fields);
    return { ends, continues: continues?.text, context: [] };
  }
  const results = await runAll(scene, event, fields, call && { id, tool: call.tool, args: call.args.value });
  return { context: contextOf(results), ends: results.find(({ answer }) => answer.ends !== undefined)?.answer.ends };
}
