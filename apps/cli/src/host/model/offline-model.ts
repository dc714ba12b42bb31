// The model `offline`: carries out simple requests without a language model.

import {
  type Message,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelTool,
  noUsage,
  setupTextInConversation,
  shortSetupText,
  type ToolMessage,
} from "@ikigai/models";
import { type Envelope, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import { type PlainRequest, parseRequest } from "./parse-request.ts";

/** Separates two requests in one sentence. */
const thenPattern = /,?\s+(?:and\s+)?then\s+/i;

interface OfflineModelOptions {
  /** What paths in a request are relative to. */
  readonly cwd: string;
  /** Decides what the model says about language models. */
  readonly reason: OfflineReason;
}

/** A model with another notice for the start of a conversation than for print mode. */
export interface StartingModel extends Model {
  readonly startNotice?: string;
}

/**
 * The model for offline use: understands simple commands, calls the tool for each, and prints the result. Its stream throws
 * ModelError `not_understood` for every other request.
 */
export function offlineModel(options: OfflineModelOptions): StartingModel {
  return {
    id: "offline/plain-requests",
    isInterpreter: true,
    notice: offlineNotice,
    startNotice: `${startText} To use a model: ${offlineAdvice[options.reason].short}.`,
    stream: (request) => answer(request, options),
  };
}

async function* answer(
  { messages, tools }: ModelRequest,
  { cwd, reason }: OfflineModelOptions,
): AsyncGenerator<ModelEvent> {
  const advice = offlineAdvice[reason].long;
  const { text, results } = lastTurn(messages);
  const requests = stepsOf(text, (part) => parseRequest(part, tools, cwd));
  const last = results.at(-1);
  const next = shellCommand.test(text.trim()) ? undefined : requests[results.length];
  if (last) yield { type: "text", text: renderAnswer(last) };
  if (next?.type === "call" && !failed(last)) {
    // Unique among the calls of a conversation.
    const id = `call_${messages.length}`;
    yield { type: "tool_call_start", id, name: next.tool };
    yield { type: "tool_call", id, name: next.tool, arguments: JSON.stringify(next.args) };
    yield { type: "finish", reason: "tool_calls", usage: noUsage };
    return;
  }
  // Nothing was done, so it is an error: scripts read only the exit code.
  if (!last && next?.type !== "help") throw new ModelError("not_understood", unknownText(text, advice));
  if (!last) yield { type: "text", text: helpText(tools, advice) };
  yield { type: "finish", reason: "stop", usage: noUsage };
}

/** The user's last message, and the results since. */
function lastTurn(messages: readonly Message[]): { text: string; results: ToolMessage[] } {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const user = messages[start];
  const results = messages.slice(start + 1).filter((message): message is ToolMessage => message.role === "tool");
  return { text: user?.role === "user" ? user.text : "", results };
}

/** "read a then read b" is two requests if both parts are requests; otherwise `then` is part of one. */
function stepsOf(text: string, parse: (part: string) => PlainRequest): PlainRequest[] {
  const parts = text.split(thenPattern);
  const steps = parts.map(parse);
  return parts.length > 1 && steps.every(({ type }) => type === "call") ? steps : [parse(text)];
}

function failed(message: ToolMessage | undefined): boolean {
  return message !== undefined && (JSON.parse(message.json) as { tool_success: boolean }).tool_success === false;
}

const offlineNotice = "Offline: a built-in interpreter, not a language model, runs simple commands.";
const startText = "Offline: only simple commands work, for example: run npm test (help lists them).";

const examples = `  run npm test
  read README.md lines 1-20
  find **/*.ts
  search TODO in src
  replace "old" with "new" in notes.txt
  write hello to note.txt`;

function helpText(tools: readonly ModelTool[], advice: string): string {
  return `I am the built-in interpreter, not a language model. I understand simple commands:

${examples}

${toolText(tools)}

${advice}`;
}

/** What only a person can answer, in a shell; `run ikigai doctor` can be run here. */
const shellCommand = /^(?:(?:run\s+|[$!]\s*)?ikigai(?:\s+(?:setup|login)\b.*)?|ikigai\s.*)$/i;

function unknownText(request: string, advice: string): string {
  const line = request.trim().split("\n")[0] ?? "";
  const shown = line.length > 60 ? `${textStart(line, 60)}…` : line;
  if (shellCommand.test(line)) {
    const command = shown.replace(/^(?:run\s+|[$!]\s*)/i, "");
    return `Type this in a shell, not here (ctrl-d leaves a conversation): ${command}\n\n${advice}`;
  }
  return `I do not understand "${shown}": the offline interpreter is not a language model. It understands simple commands:

${examples}

${advice}`;
}

function toolText(tools: readonly ModelTool[]): string {
  if (tools.length === 0) return "There are no tools, so none of this can run now.";
  const names = tools.map(({ name }) => name).join(", ");
  return `and any tool by its name, for instance: use NAME with {"key": "value"}, or NAME key=value. Tools: ${names}.`;
}

/** Describes the result of a call. */
function renderAnswer({ name, json }: ToolMessage): string {
  const envelope = JSON.parse(json) as Envelope;
  if (!envelope.tool_success) return join([envelope.error, envelope.stderr]);
  const { result } = envelope;
  if (typeof result.error === "string") return renderError(result);
  return join([
    renderResult(name, result),
    result.truncated === true ? "(The output was longer and has been cut.)" : "",
    typeof result.hint === "string" ? `(${result.hint})` : "",
  ]);
}

function renderError(result: JsonObject): string {
  const { error, hint, help } = result;
  const steps = (help as { steps?: JsonValue[] } | undefined)?.steps;
  return join([
    String(error),
    typeof hint === "string" ? hint : "",
    ...(Array.isArray(steps) ? steps.map(String) : []),
  ]);
}

function renderResult(name: string, result: JsonObject): string {
  const { output, exit_code: exitCode, count } = result;
  if (typeof output !== "string") return JSON.stringify(result, null, 2);
  if (typeof exitCode === "number")
    return join([output, exitCode === 0 ? "" : `exit code ${exitCode}`]) || "(no output)";
  if (typeof count === "number") return join([output, countText(name, count)]);
  return output === "" ? "(nothing)" : output;
}

function countText(name: string, count: number): string {
  const thing = name === "grep" ? "match" : "file";
  if (count === 0) return `No ${thing}.`;
  return `${count} ${thing}${count === 1 ? "" : thing === "match" ? "es" : "s"}.`;
}

/** The parts that are not empty, each on its own lines. */
function join(parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== "");
  return filled.map((part, index) => (index < filled.length - 1 && !part.endsWith("\n") ? `${part}\n` : part)).join("");
}

/**
 * Why the interpreter answers: the command line names it, the conversation does (`/model`, or a resumed session), the
 * configuration does, or no model is set up.
 */
export type OfflineReason = "named" | "chosen" | "configured" | "no model";

/** How to use a language model instead: the end of a sentence, and whole sentences. */
interface OfflineAdvice {
  readonly short: string;
  readonly long: string;
}

/** A key or a server in the environment is used only if nothing names the interpreter. */
export const offlineAdvice: Readonly<Record<OfflineReason, OfflineAdvice>> = {
  named: {
    short: "start ikigai without --model offline, or type /model PROVIDER/MODEL",
    long: "To use a language model, start ikigai without --model offline.\nIn a conversation: /login to use a provider, /model to choose a model. In a shell: ikigai setup",
  },
  chosen: {
    short: "type /login or /model, or run ikigai setup in a shell",
    long: "To use a language model: /login to use a provider, /model to choose a model.\nIn a shell: ikigai setup",
  },
  configured: {
    short: "in a shell, run ikigai setup, or ikigai config unset model and then set a key",
    long: `The configured model is offline. To choose a language model, run ikigai setup in a shell.
Or run ikigai config unset model there, set a key and start again. The keys: ikigai help models`,
  },
  // Only a conversation starts then: -p ends before.
  "no model": { short: shortSetupText, long: setupTextInConversation },
};
