import type { Registry } from "@ikigai/core";
import {
  type Hook,
  type HookEvent,
  hookEvents,
  isForTool,
  runHook,
  toolMeant,
  untrustedWords,
} from "@ikigai/core/internal";
import { asSentence } from "@ikigai/models";
import { escapeOf, nearestWord, showOnLine } from "@ikigai/system";
import { type HookAnswer, presentable, readAnswer } from "./hook-answer.ts";
import { type EventFields, type HookCall, type HookScene, hookInput } from "./hook-input.ts";

/** A hook and what it said. */
export interface HookResult {
  readonly hook: Hook;
  readonly answer: HookAnswer;
}

/** How many skipped hooks a notice names: a stranger has chosen the names. */
const maxNamed = 3;

/**
 * Returns the hooks to run for an event, in order. Tells the user once about the project's hooks that are skipped because
 * they are not trusted.
 *
 * @param registry the tools: a guard in the directory of a tool that does not exist is then reported.
 */
export async function hooksFor(
  { hooks, notice }: HookScene,
  event: HookEvent,
  toolName?: string,
  registry?: Registry,
): Promise<readonly Hook[]> {
  const { hooks: all, untrusted, trust, trustProblem } = await hooks.finder.find(event);
  const tell = (text: string) => tellOnce(hooks.told, notice, text);
  const found = registry && toolName !== undefined ? placed(all, registry, toolName, tell) : all;
  const applies = (hook: Hook) => toolName === undefined || isForTool(hook, toolName);
  const skipped = untrusted.filter(applies).map(({ name }) => showOnLine(name, escapeOf));
  if (skipped.length > 0) {
    const what = skipped.length === 1 ? "1 project hook" : `${skipped.length} project hooks`;
    const more = skipped.length > maxNamed ? ", …" : "";
    const names = skipped.slice(0, maxNamed).join(", ");
    tellOnce(
      hooks.told,
      notice,
      `${what} ${untrustedWords(trust)}: ${names}${more} — ${trustProblem ?? "ikigai trust"}`,
    );
  }
  return found.filter(applies);
}

/**
 * Deals with guards in the directory of a tool that does not exist: one with another agent's name for this tool counts as broken,
 * others are reported. A server of MCP that is not in use here is no mistake.
 */
function placed(hooks: readonly Hook[], registry: Registry, toolName: string, tell: (text: string) => void): Hook[] {
  const names = [...registry.tools, ...registry.failed].map(({ name }) => name);
  return hooks.map((hook) => {
    const { tool, path } = hook;
    if (tool === undefined || tool.startsWith("mcp__") || names.some((name) => isForTool(hook, name))) return hook;
    const what = `no tool is called ${showOnLine(tool, escapeOf)}`;
    const meant = toolMeant(tool) ?? nearestWord(tool, names);
    if (meant === toolName) return { ...hook, tool: toolName, problem: `${what}; rename its directory to ${toolName}` };
    if (meant === undefined) tell(`The hook ${showOnLine(path, escapeOf)} is not run: ${what}.`);
    return hook;
  });
}

/** Runs one hook and records the run. Never rejects. */
export async function runOne(scene: HookScene, hook: Hook, fields: EventFields, call?: HookCall): Promise<HookAnswer> {
  const { hooks, conversation, signal, secrets } = scene;
  const { event, path, scope } = hook;
  const input = hookInput(event, scene, fields, call);
  const options = { ...hooks.options, sessionId: conversation.id, signal };
  const run = input === undefined ? notSent : await runHook(hook, input, options);
  const said = presentable(readAnswer(event, run), secrets);
  const answer = ofScope(hook, said);
  const { problem, decision, reason, message } = answer;
  scene.record({
    type: "hook",
    event,
    path,
    scope,
    durationMs: Math.round(run.durationMs * 1_000) / 1_000,
    ...(call && { id: call.id }),
    ...(problem !== undefined && { problem }),
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(answer.arguments && { arguments: JSON.stringify(answer.arguments) }),
  });
  scene.answered?.(answer);
  if (said.arguments !== answer.arguments || said.decision !== answer.decision) {
    const text = `The project's hook ${showOnLine(path, escapeOf)} cannot allow calls or change arguments: only your own hooks can`;
    tellOnce(hooks.told, scene.notice, asSentence(text));
  }
  if (message !== undefined) scene.notice(`${showOnLine(path, escapeOf)}: ${message}`);
  if (answer.isIgnored && hookEvents[event].isGuard) {
    const how = 'exit with code 2, or print {"decision": "deny"} and nothing else';
    tellOnce(
      hooks.told,
      scene.notice,
      `The text that the hook ${showOnLine(path, escapeOf)} prints has no effect. To deny a call: ${how}.`,
    );
  }
  // A broken guard is a question, which says why.
  if (problem !== undefined && !hookEvents[event].isGuard) {
    tellOnce(hooks.told, scene.notice, asSentence(`The hook ${showOnLine(path, escapeOf)} is broken: ${problem}`));
  }
  return answer;
}

const notSent = { problem: "its input is nested too deeply", durationMs: 0, stdout: "", stderr: "" };

/** Runs the hooks of an event that depend on nothing but the event, one after the other. */
export async function runAll(
  scene: HookScene,
  event: HookEvent,
  fields: EventFields,
  call?: HookCall,
): Promise<readonly HookResult[]> {
  const results: HookResult[] = [];
  for (const hook of await hooksFor(scene, event, call?.tool.name)) {
    results.push({ hook, answer: await runOne(scene, hook, fields, call) });
  }
  return results;
}

/** The texts for the model, each with where it comes from. */
export function contextOf(results: readonly HookResult[]): string[] {
  return results.flatMap(({ hook, answer: { context } }) => (context === undefined ? [] : [hookWords(hook, context)]));
}

/** What a hook says to the model, with where it comes from. */
export function hookWords({ name }: Hook, text: string): string {
  return `[hook ${showOnLine(name, escapeOf)}]\n${text}`;
}

/** Only the user's own hooks may allow a call or change its arguments. */
function ofScope({ scope }: Hook, answer: HookAnswer): HookAnswer {
  if (scope === "user") return answer;
  const { arguments: _, decision, ...others } = answer;
  return { ...others, ...(decision && decision !== "allow" && { decision }) };
}

function tellOnce(told: Set<string>, notice: (text: string) => void, text: string): void {
  if (told.has(text)) return;
  told.add(text);
  notice(text);
}
