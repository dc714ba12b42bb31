import {
  beforeCall,
  contextOf,
  decide,
  type EventFields,
  type HookAnswer,
  type HookScene,
  hooksFor,
  promptHooks,
  runHooks,
  stopWish,
} from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import type { CallArguments, HookEvent } from "@ikigai/core/internal";

/** A call for which hooks run. */
export interface TestedCall {
  readonly tool: RegisteredTool;
  readonly args: CallArguments;
  /** All tools, among them this one. */
  readonly registry: Registry;
}

const id = "call_test";

/** Runs the hooks of an event as a conversation does; returns what that leads to there, in lines. */
export async function runHooksOf(
  event: HookEvent,
  scene: HookScene,
  fields: EventFields,
  call: TestedCall | undefined,
): Promise<string[]> {
  if (event === "before-call" && call) return beforeTheCall(scene, call);
  if (event === "prompt") return beforeTheMessage(scene, String(fields.prompt ?? ""));
  const results = await runHooks(scene, event, fields, call && { id, tool: call.tool, args: call.args.value });
  const end = results.some(({ answer }) => answer.ends !== undefined);
  switch (event) {
    case "session-start":
      return forModel(contextOf(results));
    case "after-call":
      return [...(end ? [turnEnds] : []), ...forModel(contextOf(results))];
    case "stop": {
      const { ends, continues } = stopWish(results);
      if (ends !== undefined) return [ends];
      return continues === undefined ? ["The turn ends."] : ["The model continues.", ...forModel([continues.text])];
    }
    default:
      return [];
  }
}

async function beforeTheCall(scene: HookScene, { tool, args: given, registry }: TestedCall): Promise<string[]> {
  const hooks = await hooksFor(scene, "before-call", tool.name, registry);
  const { args, verdicts, context, ends } = await beforeCall(scene, hooks, { id, tool, args: given });
  const call = { id, name: tool.name, arguments: args.text, value: args.value };
  const { verdict, reason } = decide(call, tool, scene.permission, verdicts);
  const words = { allow: "The call is allowed", ask: "ikigai asks about the call", deny: "The call is denied" };
  const end = ends === undefined ? [] : [turnEnds];
  return [`${words[verdict]}: ${reason}`, ...end, ...forModel(context)];
}

async function beforeTheMessage(scene: HookScene, prompt: string): Promise<string[]> {
  const asked: string[] = [];
  const hooked = await promptHooks(scene, prompt, async (why) => asked.push(why) > 0);
  if ("refusal" in hooked) return [...asked.map(askedAbout), hooked.refusal, "The message is not sent."];
  return [...(asked.length === 0 ? ["The message is sent."] : asked.map(askedAbout)), ...forModel(hooked.context)];
}

const askedAbout = (why: string) => `ikigai asks whether to send the message; if it cannot ask, it does not. ${why}`;
const turnEnds = "The turn ends after this step.";
const forModel = (texts: readonly string[]) => (texts.length === 0 ? [] : ["For the model:", texts.join("\n\n")]);

/** What counts of an answer, by event. */
const counting: Readonly<Record<HookEvent, readonly Part[]>> = {
  "session-start": ["context"],
  prompt: ["decision", "ends", "context"],
  "before-call": ["decision", "ends", "context", "arguments"],
  question: [],
  "after-call": ["ends", "context"],
  stop: ["goesOn", "ends"],
  "session-end": [],
};

type Part = "decision" | "ends" | "goesOn" | "context" | "arguments";

/** An answer in words: what it does, and which parts have no effect at this event. */
export function answerWords(event: HookEvent, answer: HookAnswer): { said: string; withoutEffect: readonly string[] } {
  const counts = (part: Part) => counting[event].includes(part) && answer[part] !== undefined;
  const names = { decision: `decision ${answer.decision}`, ends: "continue false", goesOn: "go_on" };
  const parts = ["decision", "ends", "goesOn", "context", "arguments"] as const;
  const unused = parts.filter((part) => answer[part] !== undefined && !counts(part));
  const withoutEffect = unused.map((part) => ({ ...names, context: "context", arguments: "arguments" })[part]);
  const text = answer.isIgnored ? ["the text on stdout"] : [];
  return { said: wordsFor(answer, counts), withoutEffect: [...withoutEffect, ...text] };
}

function wordsFor({ problem, decision, reason, ends }: HookAnswer, counts: (part: Part) => boolean): string {
  if (problem !== undefined) return `broken: ${problem}`;
  if (counts("ends")) return `ends the turn${because(ends)}`;
  if (counts("goesOn")) return `the model continues${because(reason)}`;
  return `${counts("decision") ? decision : "no objection"}${because(reason)}`;
}

function because(reason = ""): string {
  return reason === "" ? "" : `: ${reason}`;
}
