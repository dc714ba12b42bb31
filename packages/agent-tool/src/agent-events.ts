import { isJsonObject, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";

/** How the agent's work ended, by its own account. */
export interface AgentResult {
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
export function activityOf(name: string, args: JsonObject): string {
  const [verb, parameter] = (Object.hasOwn(verbs, name) && verbs[name]) || [`calling ${name}`, ""];
  const value = args[parameter];
  const on = typeof value === "string" ? value.trim().replace(/\s+/g, " ") : "";
  if (on === "") return verb;
  const shown = textStart(on, shownLength);
  return `${verb} ${shown}${shown === on ? "" : "…"}`;
}

/** A readable number of tokens: `940`, `41 k`, `1.2 M`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)} k` : `${(tokens / 1_000_000).toFixed(1)} M`;
}
