// `ikigai hook test`: runs the hooks of an event with an input, and says in words what their answers would do in a conversation.

import { buffer } from "node:stream/consumers";
import { checkArguments, testHooks, toolSetup } from "@ikigai/agent/internal";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import { eventAdvice, type HookEvent, hookEvents, isHookEvent } from "@ikigai/core/hooks";
import type { CallArguments } from "@ikigai/core/internal";
import type { JsonObject } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { nearestName, openCommandTools, requireSandbox } from "../../host/conversation/command-tools.ts";
import { type CommandErrorCode, exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { duration, shortPath } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";

const syntax = commands["hook test"];

/** What hooks of these events get unless the user says otherwise. */
const examples: Readonly<Partial<Record<HookEvent, JsonObject>>> = {
  "session-start": { source: "startup" },
  prompt: { prompt: "" },
  question: { message: "ikigai needs your permission to use bash", notification_type: "permission_prompt" },
  "after-call": { tool_response: {}, duration_ms: 0 },
  "before-compact": { trigger: "manual", custom_instructions: "" },
  stop: { stop_hook_active: false, last_assistant_message: "" },
  "session-end": { reason: "other" },
};

export const hookTest: Command = {
  async run(args, context) {
    const { operands, values } = readOptions(args, syntax.options);
    const [event = "", given] = readOperands(operands, syntax);
    if (!isHookEvent(event)) throw new UsageError(`No event "${event}". ${eventAdvice(event)}`);
    const input = readInput(given === "-" ? (await buffer(process.stdin)).toString("utf8") : (given ?? "{}"));
    const target = await toolFor(event, values.tool?.at(-1), context);
    const fields = target ? { ...examples[event] } : { ...examples[event], ...input.value };
    const { runs, effect } = await testIn(context, { event, fields, call: target && { ...target, args: input } });
    for (const run of runs) printOut(`${renderRun(event, run, context)}\n`);
    if (runs.length === 0) printOut("No hook was run.\n");
    // Without a hook, only the rules decide.
    if (runs.length > 0 || event === "before-call")
      for (const line of effectLines(event, effect)) printOut(`${sanitise(line)}\n`);
    return runs.some(({ answer }) => answer.problem !== undefined) ? exitCodes.failed : exitCodes.done;
  },
};

type HookTest = Awaited<ReturnType<typeof testHooks>>;
type HookTestRun = HookTest["runs"][number];
type HookAnswer = HookTestRun["answer"];

function readInput(text: string): CallArguments {
  const checked = checkArguments(text);
  if ("error" in checked) throw new UsageError(checked.error);
  return checked;
}

/** The tool that is called, for the events that have one. */
async function toolFor(
  event: HookEvent,
  name: string | undefined,
  { places, env }: CommandContext,
): Promise<{ tool: RegisteredTool; registry: Registry } | undefined> {
  if (!hookEvents[event].isOfCalls) {
    if (name !== undefined) throw new UsageError(`--tool is for before-call and after-call, not for ${event}.`);
    return undefined;
  }
  if (name === undefined) throw new UsageError(`Missing --tool NAME: ${event} hooks are run for a call.`);
  const registry = await openCommandTools(places, env).last();
  const tool = findTool(registry, name);
  if (tool) return { tool, registry };
  const nearest = nearestName(registry, name);
  const advice = nearest === undefined ? "To list them: ikigai tool list" : `Did you mean ${nearest}?`;
  throw new IkigaiError<CommandErrorCode>("tool_not_found", `No tool "${name}". ${advice}`);
}

/** Runs the hooks as a conversation in this directory would. */
async function testIn(
  { places, env }: CommandContext,
  what: Pick<Parameters<typeof testHooks>[0], "event" | "fields" | "call">,
): Promise<HookTest> {
  const { permission, secrets, openNetwork } = toolSetup({ places, env });
  const { rules } = openNetwork();
  await requireSandbox(rules, places, env);
  const notice = (text: string) => printError(`${sanitise(text)}\n`);
  return testHooks({ ...what, permission, env, sandbox: rules.sandbox, secrets, notice });
}

function renderRun(event: HookEvent, { run, answer }: HookTestRun, { places }: CommandContext): string {
  const { said, withoutEffect } = answerWords(event, answer);
  const line = `${shortPath(run.path, places)}  ${duration(run.durationMs)}  ${sanitiseLine(said)}`;
  const changed = event === "before-call" ? run.arguments : undefined;
  return [
    line,
    ...(changed === undefined ? [] : [`  arguments: ${sanitiseLine(changed)}`]),
    ...(withoutEffect.length === 0 ? [] : [`  without effect at ${event}: ${withoutEffect.join(", ")}`]),
  ].join("\n");
}

/** What the answers lead to in a conversation. */
function effectLines(event: HookEvent, effect: HookTest["effect"]): string[] {
  const { decision, message, summary, ends, continues, context } = effect;
  const end = ends === undefined ? [] : [turnEnds];
  if (decision) {
    const words = { allow: "The call is allowed", ask: "ikigai asks about the call", deny: "The call is denied" };
    return [`${words[decision.verdict]}: ${decision.reason}`, ...end, ...forModel(context)];
  }
  if (message) {
    const { refusal } = message;
    const asked = message.asked.map(askedAbout);
    if (refusal !== undefined) return [...asked, refusal, "The message is not sent."];
    return [...(asked.length === 0 ? ["The message is sent."] : asked), ...forModel(context)];
  }
  if (summary) {
    if ("refusal" in summary) return [summary.refusal];
    return summary.focus === "" ? ["The summary is made."] : ["The summary keeps above all:", summary.focus];
  }
  switch (event) {
    case "session-start":
      return forModel(context);
    case "after-call":
      return [...end, ...forModel(context)];
    case "stop":
      if (ends !== undefined) return [ends];
      return continues === undefined ? ["The turn ends."] : ["The model continues.", ...forModel([continues])];
    default:
      return [];
  }
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
  "before-compact": ["decision", "ends", "context"],
  stop: ["goesOn", "ends"],
  "session-end": [],
};

type Part = "decision" | "ends" | "goesOn" | "context" | "arguments";

/** An answer in words: what it does, and which parts have no effect at this event. */
function answerWords(event: HookEvent, answer: HookAnswer): { said: string; withoutEffect: readonly string[] } {
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
