// What an agent reports, line by line; how its work fails; and the answer of the call when it has ended.

import { isJsonObject, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import { parseObject, tellingLine } from "@ikigai/system";
import { type FailureDetails, ToolFailure } from "@ikigai/tool-sdk";

/** How the agent's work ended, by its own account. */
interface AgentResult {
  readonly reason: string;
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What the agent has reported so far, line by line. */
export interface AgentState {
  sessionId: string;
  turns: number;
  calls: number;
  usage: Record<string, number>;
  /** The text of its last step. */
  text: string;
  /** What it is doing, in a few words. */
  activity: string;
  /** Why calls were denied. */
  denied: string[];
  result?: AgentResult;
  /** Whether it has its task. */
  hasTask: boolean;
}

export function newState(): AgentState {
  return { sessionId: "", turns: 0, calls: 0, usage: {}, text: "", activity: "starting", denied: [], hasTask: false };
}

/** How many denied calls are kept. */
const maxDenied = 10;

/** Takes one line of `--output-format stream-json`. Unknown lines change nothing. */
export function takeLine(state: AgentState, line: string): void {
  const event = parseObject(line);
  switch (event?.type) {
    case "session":
      // Absent if the task could not start.
      if (typeof event.session_id === "string") state.sessionId = event.session_id;
      return;
    case "user":
      state.hasTask = true;
      return;
    case "text":
      state.text += String(event.text);
      state.activity = "writing";
      return;
    case "reasoning":
      state.activity = "thinking";
      return;
    case "tool_call":
      state.calls++;
      state.text = "";
      state.activity = activityOf(String(event.name), isJsonObject(event.arguments) ? event.arguments : {});
      return;
    case "tool_result":
      takeDenial(state, event);
      return;
    case "step_end":
      if (event.finish !== "failed" && event.finish !== "interrupted") state.turns++;
      addUsage(state.usage, event.usage);
      return;
    case "result":
      state.result = resultOf(event);
      return;
    default:
  }
}

function takeDenial(state: AgentState, { name, envelope }: JsonObject): void {
  if (!isJsonObject(envelope) || state.denied.length === maxDenied) return;
  const why = envelope.error_code === "TOOL_DENIED" ? envelope.error : envelope.sandbox;
  if (why === undefined) return;
  const told = `${name}: ${why}`;
  if (!state.denied.includes(told)) state.denied.push(told);
}

function addUsage(sum: Record<string, number>, usage: JsonValue | undefined): void {
  if (!isJsonObject(usage)) return;
  for (const [name, count] of Object.entries(usage)) {
    if (typeof count === "number") sum[name] = (sum[name] ?? 0) + count;
  }
}

function resultOf({ reason, result, error }: JsonObject): AgentResult {
  const failed = isJsonObject(error) && { error: { code: String(error.code), message: String(error.message) } };
  return { reason: String(reason), text: typeof result === "string" ? result : "", ...failed };
}

/** What a call of a tool is called, and the parameter that says on what. */
const verbs: Readonly<Record<string, readonly [verb: string, parameter: string]>> = {
  file_read: ["reading", "file_path"],
  file_write: ["writing", "file_path"],
  file_edit: ["editing", "file_path"],
  glob: ["listing", "pattern"],
  grep: ["searching", "pattern"],
  bash: ["running", "command"],
  web_fetch: ["fetching", "url"],
  web_search: ["searching", "query"],
};

/** How much of a path or a command is shown, in characters. */
const shownLength = 60;

/** Describes a call in a few words: `reading src/x.ts`. */
function activityOf(name: string, args: JsonObject): string {
  const [verb, parameter] = (Object.hasOwn(verbs, name) && verbs[name]) || [`calling ${name}`, ""];
  const value = args[parameter];
  const on = typeof value === "string" ? value.trim().replace(/\s+/g, " ") : "";
  if (on === "") return verb;
  const shown = textStart(on, shownLength);
  return `${verb} ${shown}${shown === on ? "" : "…"}`;
}

/** How an agent's process ended. */
export interface AgentEnd {
  readonly state: AgentState;
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  /** The beginning and the end of what it printed on stderr. */
  readonly stderr: string;
  /** Whether it was stopped because its time was up. */
  readonly isLate: boolean;
}

/** What is known about an agent that has run: fields of the answer. */
interface AgentFacts {
  session_id: string;
  turns: number;
  calls: number;
  usage: Record<string, number>;
  denied?: string[];
}

/** Why an agent has no answer, besides the protocol's codes. */
export type AgentErrorCode =
  /** The host gives this call no right to start agents. */
  | "NO_AGENTS"
  /** The tokens for agents, or those of this agent, are used up. */
  | "BUDGET_SPENT"
  /** The agent ended without an answer. */
  | "AGENT_FAILED"
  /** The time of a call that waits is up. */
  | "STILL_RUNNING"
  /** A message is for an agent that has ended, or that does not read its messages. */
  | "NOT_SENT";

/** Facts about an agent that failed: fields of the answer. */
interface AgentFailureDetails extends FailureDetails, Partial<AgentFacts> {
  /** Where its changes are, and on which branch. */
  readonly worktree?: string;
  readonly branch?: string;
  /** What it said last. */
  readonly output?: string;
}

/** An agent that could not be started, or that failed. */
export class AgentFailure extends ToolFailure<string> {
  constructor(code: AgentErrorCode | "INVALID_ARG" | "NOT_FOUND", message: string, details: AgentFailureDetails = {}) {
    super(code, message, details);
  }
}

/**
 * Returns the answer for an agent that has ended.
 *
 * @throws AgentFailure `BUDGET_SPENT` or `AGENT_FAILED` if it has not finished.
 */
export function toAnswer({ state, exit, stderr, isLate }: AgentEnd) {
  const { result, text } = state;
  if (isLate && result?.reason !== "done") {
    const hint = "The agent was stopped because the time of the call was up. Give another one a smaller task.";
    return { output: result?.text || text, ...factsOf(state), truncated: true, hint };
  }
  if (result) return resultAnswer(state, result);
  throw new AgentFailure("AGENT_FAILED", whyEnded(exit, stderr), state.sessionId === "" ? {} : detailsOf(state, text));
}

/**
 * Returns the answer for an agent that has said how its work ended.
 *
 * @throws AgentFailure `BUDGET_SPENT` or `AGENT_FAILED` if it has not finished.
 */
export function resultAnswer(state: AgentState, { reason, text, error }: AgentResult) {
  if (reason === "done") return { output: text, ...factsOf(state) };
  const details = detailsOf(state, text || state.text);
  if (error?.code === "budget_spent") {
    throw new AgentFailure("BUDGET_SPENT", "The agent has used up its tokens before it finished", {
      ...details,
      hint: "Use what it has said, or give another agent a smaller task. The user can allow more with agents.maxTokens.",
    });
  }
  // A message about a request can have several lines.
  const why = error
    ? `The agent failed: ${error.message.replace(/\s+/g, " ")}`
    : "The agent was ended before it finished";
  throw new AgentFailure("AGENT_FAILED", why, details);
}

function whyEnded({ code, signal }: AgentEnd["exit"], stderr: string): string {
  if (signal) return `The agent was killed (${signal})`;
  const line = tellingLine(stderr, "last").replace(/^ikigai: /, "");
  return line === "" ? `The agent ended with exit code ${code}` : `The agent could not work: ${line}`;
}

function detailsOf(state: AgentState, output: string): AgentFailureDetails {
  return { ...factsOf(state), ...(output !== "" && { output }) };
}

/** Returns what is known about an agent. */
export function factsOf({ sessionId, turns, calls, usage, denied }: AgentState): AgentFacts {
  return { session_id: sessionId, turns, calls, usage, ...(denied.length > 0 && { denied }) };
}
