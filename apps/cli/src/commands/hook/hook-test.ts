import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import {
  beforeCall,
  type Conversation,
  checkArguments,
  decide,
  type EventFields,
  type HookScene,
  hooksFor,
  loadConfig,
  noLog,
  noUsage,
  openHooks,
  type Permission,
  runHooks,
  type SessionEvent,
  secretsOf,
  storedKeys,
  toolRules,
} from "@ikigai/agent/internal";
import { findTool, type RegisteredTool } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import {
  type CallArguments,
  eventAdvice,
  type HookEvent,
  hookEvents,
  isHookEvent,
  nearestName,
} from "@ikigai/core/internal";
import { isInside, realPathOf } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { type CommandErrorCode, exitCodes } from "../../host/exit-codes.ts";
import { openToolbox, requireSandbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { duration } from "../../render/times-and-sizes.ts";
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
    const tool = await toolFor(event, values.tool?.at(-1), context);
    const runs: HookRunEvent[] = [];
    const scene = await sceneFor(context, (run) => runs.push(run));
    const summary = await runFor(event, scene, input, tool);
    for (const run of runs) printOut(`${renderRun(run, context)}\n`);
    if (runs.length === 0) printOut("No hook was run.\n");
    if (summary !== undefined) printOut(`${sanitise(summary)}\n`);
    return runs.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.done;
  },
};

type HookRunEvent = Extract<SessionEvent, { type: "hook" }>;

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
): Promise<RegisteredTool | undefined> {
  if (!hookEvents[event].isOfCalls) {
    if (name !== undefined) throw new UsageError(`--tool is for before-call and after-call, not for ${event}.`);
    return undefined;
  }
  if (name === undefined) throw new UsageError(`Missing --tool NAME: ${event} hooks are run for a call.`);
  const registry = await openToolbox(places, env).last();
  const tool = findTool(registry, name);
  if (tool) return tool;
  const nearest = nearestName(registry, name);
  const advice = nearest === undefined ? "To list them: ikigai tool list" : `Did you mean ${nearest}?`;
  throw new IkigaiError<CommandErrorCode>("tool_not_found", `No tool "${name}". ${advice}`);
}

/** A conversation that is not saved, in which the hooks run. */
async function sceneFor({ places, env }: CommandContext, onRun: (run: HookRunEvent) => void): Promise<HookScene> {
  const { config } = loadConfig(places.home);
  const { sandbox } = toolRules(config, places);
  await requireSandbox(toolRules(config, places), places, env);
  const { mode = "ask", rules = [], ...others } = config.permission ?? {};
  const { home, projectDir } = places;
  const permission: Permission = { ...others, mode, rules: [...rules], projectDir, home };
  const conversation: Conversation = {
    id: randomUUID(),
    cwd: projectDir,
    messages: [],
    introduced: [],
    log: noLog("This session is not being saved."),
    usage: noUsage,
  };
  return {
    hooks: openHooks(places, { env, sandbox }),
    conversation,
    permission,
    secrets: secretsOf({ ...config, storedKeys: storedKeys({ ...places, env }) }, env),
    record: (event) => void (event.type === "hook" && onRun(event)),
    notice: (text) => printError(`${sanitise(text)}\n`),
  };
}

/** Runs the hooks; returns what they mean, a sentence. */
async function runFor(
  event: HookEvent,
  scene: HookScene,
  input: CallArguments,
  tool: RegisteredTool | undefined,
): Promise<string | undefined> {
  const id = "call_test";
  if (event === "before-call" && tool) {
    const hooks = await hooksFor(scene, event, tool.name);
    const { args, verdicts, context } = await beforeCall(scene, hooks, { id, tool, args: input });
    const call = { id, name: tool.name, arguments: args.text, value: args.value };
    const { verdict, reason } = decide(call, tool, scene.permission, verdicts);
    const elsewhere = () => decide(call, tool, { ...scene.permission, home: "/dev/null" }, verdicts).verdict;
    const isForHome = verdict === "ask" && containsHome(scene.permission) && elsewhere() === "allow";
    const words = { allow: "The call is allowed", ask: "ikigai asks about the call", deny: "The call is denied" };
    return [`${words[verdict]}: ${reason}`, ...(isForHome ? [homeAdvice] : []), ...context].join("\n");
  }
  const fields = tool ? { ...examples[event] } : { ...examples[event], ...input.value };
  const results = await runHooks(scene, event, fields, tool && { id, tool, args: input.value });
  const context = results.flatMap(({ answer }) => answer.context ?? []);
  return context.length === 0 ? undefined : `For the model:\n${context.join("\n")}`;
}

/** Whether the user's ikigai directory is in the project, as in the home directory. */
function containsHome({ home, projectDir }: Permission): boolean {
  return isInside(realPathOf(home), realPathOf(projectDir));
}

const homeAdvice =
  "It might read your ikigai directory, which is below this one. In another directory it would need no question.";

function renderRun(
  { path, durationMs, problem, decision, reason, arguments: changed }: HookRunEvent,
  { places }: CommandContext,
): string {
  const said = problem === undefined ? (decision ?? "no objection") : "broken";
  const why = problem ?? reason;
  const line = `${shortPath(path, places)}  ${duration(durationMs)}  ${said}${why === undefined ? "" : `: ${sanitiseLine(why)}`}`;
  return changed === undefined ? line : `${line}\n  arguments: ${sanitiseLine(changed)}`;
}
