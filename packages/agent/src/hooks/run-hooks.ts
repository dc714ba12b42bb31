// Runs hooks. In order: what a hook gets on stdin, how its answer is read (ikigai's JSON and Claude Code's), which hooks an event
// has, one run with its record and notices, and all runs of an event.

import type { RegisteredTool, Registry } from "@ikigai/core";
import {
  type Hook,
  type HookEvent,
  type HookFinder,
  type HookOptions,
  type HookRun,
  hookEvents,
  isForTool,
  runHook,
  toolMeant,
} from "@ikigai/core/hooks";
import { untrustedWords } from "@ikigai/core/trust";
import { asSentence } from "@ikigai/models";
import { callDirectory, type Permission, type PermissionMode, type Verdict } from "@ikigai/permission";
import { isJsonObject, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import type { Conversation, SessionEvent } from "@ikigai/session";
import { escapeOf, nearestWord, readJsonObject, redact, showOnLine, tellingLine } from "@ikigai/system";

/** A call as hooks see it. */
export interface HookCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  /** The decision so far. */
  readonly verdict?: Verdict;
}

/** The fields that only some events have, under Claude Code's names. */
export type EventFields = Readonly<Record<string, JsonValue>>;

/** Claude Code's names of the tools whose parameters have the same names. */
const toolNames: ReadonlyMap<string, string> = new Map([
  ["bash", "Bash"],
  ["file_read", "Read"],
  ["file_write", "Write"],
  ["file_edit", "Edit"],
  ["glob", "Glob"],
  ["grep", "Grep"],
]);

const modeNames: Readonly<Record<PermissionMode, string>> = {
  ask: "default",
  edits: "acceptEdits",
  // The nearest one: it has none for what a sandbox holds.
  auto: "acceptEdits",
  plan: "plan",
  allow: "bypassPermissions",
  deny: "dontAsk",
};

/** Events for which Claude Code sends no permission mode. */
const withoutMode: readonly HookEvent[] = ["session-start", "session-end"];

/**
 * Returns a hook's stdin: the fields that Claude Code 2.1.197 sends for the event, so that its hooks run unmodified, then
 * ikigai's own. `undefined` if the arguments are nested too deeply to be printed.
 */
export function hookInput(
  event: HookEvent,
  { conversation, permission }: Pick<HookScene, "conversation" | "permission">,
  fields: EventFields,
  call?: HookCall,
): string | undefined {
  const { mode } = permission;
  const { tool, args, id, verdict } = call ?? {};
  const input = {
    session_id: conversation.id,
    transcript_path: conversation.log.path ?? "",
    cwd: callDirectory(permission),
    ...(!withoutMode.includes(event) && { permission_mode: modeNames[mode] }),
    hook_event_name: hookEvents[event].claudeName,
    ...(tool && { tool_name: toolNames.get(tool.name) ?? tool.name, tool_input: args, tool_use_id: id }),
    ...fields,
    ikigai: {
      event,
      ...(tool && { tool: tool.name, tool_path: tool.path, tool_scope: tool.scope }),
      ...(verdict && { verdict }),
    },
  };
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

/** The hooks of a user and a project, and how they are run. */
export interface Hooks {
  readonly finder: HookFinder;
  readonly options: Omit<HookOptions, "sessionId" | "signal">;
  /** Called before each run of a hook, which waits for it. */
  readonly starts?: (() => Promise<void>) | undefined;
  /** What the user has been told already: a broken hook is not told at every call. */
  readonly told: Set<string>;
  /** The sessions whose start hooks have seen, by ID. */
  readonly sessions: Map<string, "open" | "over">;
  /** What could not be told yet: of the end of a conversation that the user has left. */
  readonly untold: string[];
  /** Settles when the hooks for that end have ended. */
  leaving?: Promise<void>;
}

/** Where an event happens. */
export interface HookScene {
  readonly hooks: Hooks;
  readonly conversation: Conversation;
  readonly permission: Permission;
  /** Keys, which are removed from what a hook says. */
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal | undefined;
  record(event: SessionEvent): void;
  /** Gets the answer of each run, as far as its hook may answer, after the run was recorded. */
  answered?(answer: HookAnswer): void;
  /** Tells the user something, one sentence. */
  notice(text: string): void;
}

/** What a hook says. */
export interface HookAnswer {
  /** Why the answer does not count: the end of a sentence. */
  readonly problem?: string;
  /** Absent without an opinion. */
  readonly decision?: Verdict;
  /** Why, in the hook's own words. */
  readonly reason?: string;
  /** The arguments that the call gets instead of its own. */
  readonly arguments?: JsonObject;
  /** For the model. */
  readonly context?: string;
  /** Whether the model must continue; counts at the end of a turn only. */
  readonly goesOn?: true;
  /** Why the turn must end; may be empty. */
  readonly ends?: string;
  /** For the user. */
  readonly message?: string;
  /** Whether it printed text that has no effect. */
  readonly isIgnored?: true;
}

/** How much context one hook may add, in characters. */
const maxContextLength = 10_000;

/** How much of a complaint on stderr, and of a wrong value, is quoted, in characters. */
const maxComplaintLength = 300;
const maxQuoted = 100;

/** The exit code that refuses. Every other one but 0 means that the hook is broken. */
const refusalCode = 2;

/**
 * Reads what a hook has answered: exit codes, ikigai's own JSON and Claude Code's. Never throws.
 *
 * A guard's stdout without any `{` is no answer. Everything else must be exactly one JSON object whose fields are all known at their
 * level: what only resembles a denial must not let a call through.
 */
export function readHookAnswer(event: HookEvent, run: HookRun): HookAnswer {
  const { problem, exitCode, stdout, stderr } = run;
  if (problem !== undefined) return { problem };
  if (exitCode === refusalCode) return refusal(event, stderr.trim());
  if (exitCode !== 0) return { problem: withComplaint(`exit ${exitCode}`, stderr) };
  const text = stdout.trim();
  const { isGuard, takesText } = hookEvents[event];
  if (text.startsWith("{") || text.startsWith("[")) return readJson(event, text);
  if (isGuard && (takesText ? hasAnswerLine(text) : text.includes("{"))) {
    return { problem: "it printed text around its answer; stdout must be one JSON object, or have no { at all" };
  }
  if (text === "") return {};
  return takesText ? { context: text } : { isIgnored: true };
}

/** Whether an answer begins on a line of this text. Text for the model may well have a `{`. */
function hasAnswerLine(text: string): boolean {
  return /^\s*\{\s*"(?:decision|continue|permissionDecision|hookSpecificOutput)"/m.test(text);
}

function withComplaint(what: string, stderr: string): string {
  const line = tellingLine(stderr);
  return line !== "" ? `${what}: ${textStart(line, maxComplaintLength)}` : what;
}

/** What exit code 2 and `block` mean: at the end of a turn the model continues; after a call nothing is left to refuse. */
function refusal(event: HookEvent, words: string): HookAnswer {
  if (event === "after-call") return words === "" ? {} : { context: words };
  const reason = words === "" ? {} : { reason: words };
  return event === "stop" ? { goesOn: true, ...reason } : { decision: "deny", ...reason };
}

function readJson(event: HookEvent, text: string): HookAnswer {
  const reading = readJsonObject(Buffer.from(text));
  if (!reading.ok) return { problem: `its answer is not a JSON object: ${reading.problem}` };
  const { value } = reading;
  const { hookSpecificOutput: theirs = {} } = value;
  if (!isJsonObject(theirs)) return { problem: 'its "hookSpecificOutput" is not an object' };
  const problem = wrongField(event, value, theirs) ?? strayField(event, value, theirs);
  if (problem !== undefined) return { problem };
  const reason = textIn(theirs.permissionDecisionReason) ?? textIn(value.reason);
  const said = opinionOf(event, value, theirs, reason);
  const context = [value.context, theirs.additionalContext, said.context].flatMap((part) => textIn(part) ?? []);
  const args = [value.arguments, theirs.updatedInput].find(isJsonObject);
  const isEnd = value.continue === false || (event !== "stop" && value.go_on === false);
  const message = textIn(value.systemMessage);
  return {
    ...said,
    ...(context.length > 0 && { context: context.join("\n") }),
    ...(args && { arguments: args }),
    ...(isEnd && { ends: textIn(value.stopReason) ?? reason ?? "" }),
    ...(message !== undefined && { message }),
  };
}

function opinionOf(event: HookEvent, value: JsonObject, theirs: JsonObject, reason: string | undefined): HookAnswer {
  const words = reason === undefined ? {} : { reason };
  const goesOn = value.go_on === true && { goesOn: true as const };
  if (event === "stop" && goesOn) return { ...goesOn, ...words };
  const said = [value.decision, theirs.permissionDecision].flatMap((word) => decisionOf(word) ?? []);
  const decision = (["deny", "ask", "allow"] as const).find((verdict) => said.includes(verdict));
  if (decision === "deny") return { ...goesOn, ...refusal(event, reason ?? "") };
  return { ...goesOn, ...(decision && { decision, ...words }) };
}

/** Both spellings of a decision. */
const decisions: Readonly<Record<string, Verdict>> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  deny: "deny",
  block: "deny",
};

function decisionOf(word: unknown): Verdict | undefined {
  return typeof word === "string" && Object.hasOwn(decisions, word) ? decisions[word] : undefined;
}

/** Returns what is wrong with a field that decides something: the end of a sentence. */
function wrongField(event: HookEvent, value: JsonObject, theirs: JsonObject): string | undefined {
  const { claudeName } = hookEvents[event];
  const isDecision = (word: JsonValue) => decisionOf(word) !== undefined;
  const isFlag = (word: JsonValue) => typeof word === "boolean";
  const isOwnName = (word: JsonValue) => word === claudeName || word === event;
  const fields: [string, JsonValue | undefined, (value: JsonValue) => boolean, string][] = [
    ["decision", value.decision, isDecision, '"allow", "ask" or "deny"'],
    ["permissionDecision", theirs.permissionDecision, isDecision, '"allow", "ask" or "deny"'],
    ["arguments", value.arguments, isJsonObject, "an object"],
    ["updatedInput", theirs.updatedInput, isJsonObject, "an object"],
    ["continue", value.continue, isFlag, "true or false"],
    ["go_on", value.go_on, isFlag, "true or false"],
    ["hookEventName", theirs.hookEventName, isOwnName, `"${claudeName}"`],
  ];
  // null counts as absent, as in a tool's arguments.
  const wrong = fields.find(([, given, fits]) => given !== undefined && given !== null && !fits(given));
  if (!wrong) return undefined;
  const [name, given, , wanted] = wrong;
  return `its "${name}" must be ${wanted}, not ${textStart(JSON.stringify(given), maxQuoted)}`;
}

/** The fields of an answer, and those in its `hookSpecificOutput`. */
const ownFields: readonly string[] = [
  ...["decision", "reason", "arguments", "context", "go_on", "continue", "stopReason"],
  ...["systemMessage", "suppressOutput", "hookSpecificOutput"],
];
const theirFields: readonly string[] = [
  ...["hookEventName", "permissionDecision", "permissionDecisionReason"],
  ...["updatedInput", "additionalContext", "sessionTitle"],
];

/** Returns what is wrong with the fields of a guard that may mean to deny: the end of a sentence. */
function strayField(event: HookEvent, value: JsonObject, theirs: JsonObject): string | undefined {
  if (!hookEvents[event].isGuard) return undefined;
  return (
    strayName(value, ownFields, [theirFields, 'inside "hookSpecificOutput"']) ??
    strayName(theirs, theirFields, [ownFields, 'outside "hookSpecificOutput"']) ??
    strayReason(value, theirs)
  );
}

function strayName(
  given: JsonObject,
  known: readonly string[],
  [others, place]: readonly [readonly string[], string],
): string | undefined {
  const name = Object.keys(given).find((key) => !known.includes(key));
  if (name === undefined) return undefined;
  const quoted = textStart(JSON.stringify(name), maxQuoted);
  if (others.includes(name)) return `its ${quoted} has no effect there; it belongs ${place}`;
  const meant = nearestWord(name, known);
  return `its answer has the unknown field ${quoted}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

function strayReason(value: JsonObject, theirs: JsonObject): string | undefined {
  const isGiven = (field: JsonValue | undefined) => field !== undefined && field !== null;
  const ends = value.continue === false || value.go_on === false;
  if (isGiven(value.stopReason) && !ends) return 'its answer has a "stopReason", but no "continue": false';
  const decides = ends || isGiven(value.decision) || isGiven(theirs.permissionDecision);
  const hasReason = isGiven(value.reason) || isGiven(theirs.permissionDecisionReason);
  return hasReason && !decides ? 'its answer has a reason, but no "decision"' : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The answer as others see it: without keys, and with texts of at most `maxContextLength` characters. */
function presentable(answer: HookAnswer, secrets: readonly string[]): HookAnswer {
  const { problem, reason, context, ends, message } = answer;
  const texts = Object.entries({ problem, reason, context, ends, message });
  const clean = texts.flatMap(([name, text]) =>
    text === undefined ? [] : [[name, cut(redact(text, secrets))] as const],
  );
  return { ...answer, ...Object.fromEntries(clean) };
}

function cut(text: string): string {
  const left = text.length - maxContextLength;
  return left <= 0 ? text : `${textStart(text, maxContextLength)}\n[${left} more characters were left out.]`;
}

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
  await hooks.starts?.();
  const run = input === undefined ? notSent : await runHook(hook, input, options);
  const said = presentable(readHookAnswer(event, run), secrets);
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
