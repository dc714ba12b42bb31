import { type HookEvent, type HookRun, hookEvents } from "@ikigai/core/internal";
import type { Verdict } from "@ikigai/permission";
import { isJsonObject, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import { nearestWord, readJsonObject, redact, tellingLine } from "@ikigai/system";

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
export const maxContextLength = 10_000;

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
export function readAnswer(event: HookEvent, run: HookRun): HookAnswer {
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
export function presentable(answer: HookAnswer, secrets: readonly string[]): HookAnswer {
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
