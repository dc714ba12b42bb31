import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import {
  beforeCall,
  checkArguments,
  contextOf,
  type EventFields,
  type HookAnswer,
  type HookScene,
  hooksFor,
  loadConfig,
  openHooks,
  promptHooks,
  runHooks,
  savedRules,
  stopWish,
  storedKeys,
  toolRules,
} from "@ikigai/agent/internal";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import { type CallArguments, eventAdvice, type HookEvent, hookEvents, isHookEvent } from "@ikigai/core/internal";
import { noUsage, secretsOf } from "@ikigai/models";
import { decide, type Permission } from "@ikigai/permission";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { type Conversation, noLog, type SessionEvent } from "@ikigai/session";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { type CommandErrorCode, exitCodes } from "../../host/exit.ts";
import { nearestName } from "../../host/nearest-name.ts";
import { networkedRules, openToolbox, requireSandbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { duration, shortPath } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";

const syntax = commands["hook test"];

/** What hooks of these events get unless the user says otherwise. */
const examples: Readonly<Partial<Record<HookEvent, EventFields>>> = {
  "session-start": { source: "startup" },
  prompt: { prompt: "" },
  question: { message: "ikigai needs your permission to use bash", notification_type: "permission_prompt" },
  "after-call": { tool_response: {}, duration_ms: 0 },
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
    const runs: HookTestRun[] = [];
    const scene = await sceneFor(context, (run, answer) => runs.push({ event, run, answer }));
    const fields = target ? { ...examples[event] } : { ...examples[event], ...input.value };
    const lines = await runHooksOf(event, scene, fields, target && { ...target, args: input });
    for (const run of runs) printOut(`${renderRun(run, context)}\n`);
    if (runs.length === 0) printOut("No hook was run.\n");
    // Without a hook, only the rules decide.
    if (runs.length > 0 || event === "before-call") for (const line of lines) printOut(`${sanitise(line)}\n`);
    return runs.some(({ answer }) => answer.problem !== undefined) ? exitCodes.failed : exitCodes.done;
  },
};

type HookRunEvent = Extract<SessionEvent, { type: "hook" }>;

interface HookTestRun {
  readonly event: HookEvent;
  readonly run: HookRunEvent;
  readonly answer: HookAnswer;
}

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
  const registry = await openToolbox(places, env).last();
  const tool = findTool(registry, name);
  if (tool) return { tool, registry };
  const nearest = nearestName(registry, name);
  const advice = nearest === undefined ? "To list them: ikigai tool list" : `Did you mean ${nearest}?`;
  throw new IkigaiError<CommandErrorCode>("tool_not_found", `No tool "${name}". ${advice}`);
}

/** A conversation that is not saved, in which the hooks run. */
async function sceneFor(
  { places, env }: CommandContext,
  onRun: (run: HookRunEvent, answer: HookAnswer) => void,
): Promise<HookScene> {
  const { config } = loadConfig(places.home);
  const toolbox = networkedRules(toolRules(config, places), config, { places, env });
  await requireSandbox(toolbox, places, env);
  const { mode = "ask", rules, ...others } = config.permission ?? {};
  const { home, projectDir } = places;
  const permission: Permission = { ...others, mode, rules: savedRules(places, rules), projectDir, home };
  const conversation: Conversation = {
    id: randomUUID(),
    cwd: projectDir,
    messages: [],
    introduced: [],
    log: noLog("This session is not being saved."),
    usage: noUsage,
  };
  let last: HookRunEvent | undefined;
  return {
    hooks: openHooks(places, { env, sandbox: toolbox.sandbox }),
    conversation,
    permission,
    secrets: secretsOf({ ...config, storedKeys: storedKeys({ ...places, env }) }, env),
    record(event) {
      if (event.type === "hook") last = event;
    },
    answered(answer) {
      if (last) onRun(last, answer);
    },
    notice: (text) => printError(`${sanitise(text)}\n`),
  };
}

function renderRun({ event, run, answer }: HookTestRun, { places }: CommandContext): string {
  const { said, withoutEffect } = answerWords(event, answer);
  const line = `${shortPath(run.path, places)}  ${duration(run.durationMs)}  ${sanitiseLine(said)}`;
  const changed = event === "before-call" ? run.arguments : undefined;
  return [
    line,
    ...(changed === undefined ? [] : [`  arguments: ${sanitiseLine(changed)}`]),
    ...(withoutEffect.length === 0 ? [] : [`  without effect at ${event}: ${withoutEffect.join(", ")}`]),
  ].join("\n");
}

/** A call for which hooks run. */
interface TestedCall {
  readonly tool: RegisteredTool;
  readonly args: CallArguments;
  /** All tools, among them this one. */
  readonly registry: Registry;
}

const id = "call_test";

/** Runs the hooks of an event as a conversation does; returns what that leads to there, in lines. */
async function runHooksOf(
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
