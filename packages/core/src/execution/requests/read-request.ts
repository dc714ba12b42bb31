import {
  type AgentOrigin,
  type HostMethod,
  isJsonObject,
  type JobParams,
  type JsonObject,
  type JsonValue,
  jobActions,
  kindOf,
  maxAgentNameBytes,
  maxNestedAgents,
  maxOptionBytes,
  maxOptions,
  maxQuestionBytes,
  maxRequestPathBytes,
  minOptions,
  type PermissionParams,
  type QuestionKind,
  readVisual,
  type ShowParams,
  type ToolScope,
  toolNamePattern,
} from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import type { Question } from "./host-api.ts";

/** A request that can be carried out. */
export type ValidRequest =
  | { readonly method: "ask"; readonly params: Question }
  | { readonly method: "permission"; readonly params: PermissionParams }
  | { readonly method: "show"; readonly params: ShowParams }
  | { readonly method: "job"; readonly params: JobParams };

/** The value of a valid part, or what is wrong with it: one sentence. */
type Reading<Value> = { readonly value: Value } | { readonly problem: string };

/** Returns the ID of a request; `undefined` if it has none. */
export function requestId({ id }: JsonObject): number | undefined {
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * Reads the parameters of a request. Never throws.
 *
 * @param mayRelay whether the tool starts agents: others cannot ask for another tool, so their `from` is ignored.
 */
export function readRequest(
  method: HostMethod,
  params: JsonValue | undefined,
  mayRelay: boolean,
): Reading<ValidRequest> {
  if (!isJsonObject(params)) return wrong("params", "an object", params);
  const origin = mayRelay && params.from !== undefined ? originIn(params.from) : undefined;
  if (mayRelay && params.from !== undefined && !origin) return wrong("from", "the tool of an agent", params.from);
  const from = origin && { from: origin };
  if (method === "ask") {
    const read = readQuestion(params);
    return "problem" in read ? read : { value: { method, params: { ...read.value, ...from } } };
  }
  if (method === "show") {
    const visual = readVisual(params.visual);
    return visual.type === "refused"
      ? { problem: `The visual cannot be drawn: ${visual.reason}.` }
      : { value: { method, params: { visual } } };
  }
  if (method === "job") {
    const read = readJob(params);
    return "problem" in read ? read : { value: { method, params: read.value } };
  }
  const read = readCall(params);
  return "problem" in read ? read : { value: { method, params: { ...read.value, ...from } } };
}

const scopes: readonly ToolScope[] = ["system", "user", "project"];

function originIn(value: JsonValue): AgentOrigin | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tool, path, directory, agents = [] } = value;
  const scope = scopes.find((known) => known === value.scope);
  if (scope === undefined || !isToolName(tool) || !isPath(path) || !isPath(directory)) return undefined;
  if (!Array.isArray(agents) || agents.length > maxNestedAgents) return undefined;
  const names = agents.filter((name) => isText(name, maxAgentNameBytes));
  return names.length === agents.length ? { tool, scope, path, directory, agents: names } : undefined;
}

/** Whether a text can be the name of a tool. Any other would be words in the head of a question, which is in ikigai's own. */
function isToolName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && toolNamePattern.test(value);
}

function isPath(value: JsonValue | undefined): value is string {
  return isText(value, maxRequestPathBytes) && value.startsWith("/");
}

const kinds: readonly QuestionKind[] = ["text", "choice", "confirm"];

function readQuestion({
  question,
  options,
  kind = options === undefined ? "text" : "choice",
}: JsonObject): Reading<Question> {
  if (!isText(question, maxQuestionBytes)) return wrong("question", `text of 1 to ${maxQuestionBytes} bytes`, question);
  const known = kinds.find((one) => one === kind);
  if (known === undefined) return wrong("kind", `one of ${kinds.join(", ")}`, kind);
  if (known !== "choice" && options !== undefined) return { problem: `Only a choice has "options".` };
  const offered = known === "choice" ? optionsIn(options) : { value: [] };
  return "problem" in offered ? offered : { value: { question, options: offered.value, kind: known } };
}

function optionsIn(options: JsonValue | undefined): Reading<string[]> {
  const texts: string[] = [];
  const refused = (got: string) => {
    const wanted = `${minOptions} to ${maxOptions} different texts of 1 to ${maxOptionBytes} bytes, without line breaks`;
    return { problem: `Expected "options" to be ${wanted}, got ${got}.` };
  };
  if (!Array.isArray(options)) return refused(described(options));
  if (options.length < minOptions || options.length > maxOptions) {
    return refused(options.length === 1 ? "1 text" : `${options.length} texts`);
  }
  for (const option of options) {
    if (typeof option === "string" && option.trim() === "") return refused("an empty text");
    if (!isText(option, maxOptionBytes)) return refused(described(option));
    if (/[\r\n]/.test(option)) return refused(`${JSON.stringify(option)}, which has a line break`);
    if (texts.includes(option)) return refused(`${JSON.stringify(option)} twice`);
    texts.push(option);
  }
  return { value: texts };
}

/** A name as it can be looked up, or an address, and perhaps a port. */
const hostPattern = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;

function readCall({ tool, arguments: args, reason, mustAsk = false, reach }: JsonObject): Reading<PermissionParams> {
  if (!isToolName(tool)) return wrong("tool", `the name of a tool (${toolNamePattern.source})`, tool);
  if (typeof args !== "string" || parseObject(args) === undefined) {
    return wrong("arguments", "the text of a JSON object", args);
  }
  if (reason !== undefined && !isText(reason, maxQuestionBytes)) {
    return wrong("reason", `text of 1 to ${maxQuestionBytes} bytes`, reason);
  }
  if (typeof mustAsk !== "boolean") return wrong("mustAsk", "true or false", mustAsk);
  if (reach !== undefined && (typeof reach !== "string" || !hostPattern.test(reach)))
    return wrong("reach", "HOST or HOST:PORT", reach);
  const known = { ...(reason !== undefined && { reason }), ...(reach !== undefined && { reach }) };
  return { value: { tool, arguments: args, mustAsk, ...known } };
}

function readJob({ action, job, timeoutMs, until, line }: JsonObject): Reading<JobParams> {
  const known = jobActions.find((one) => one === action);
  if (known === undefined) return wrong("action", `one of ${jobActions.join(", ")}`, action);
  const number = isCount(job) ? { job } : undefined;
  if (known !== "list" && !number) return wrong("job", "the number of a job", job);
  if (timeoutMs !== undefined && !isCount(timeoutMs)) return wrong("timeoutMs", "a number of milliseconds", timeoutMs);
  if (until !== undefined && !isText(until, maxQuestionBytes)) return wrong("until", "a regular expression", until);
  if (known === "input" && typeof line !== "string") return wrong("line", "a string", line);
  const words = { ...(timeoutMs !== undefined && { timeoutMs }), ...(until !== undefined && { until }) };
  return { value: { action: known, ...number, ...words, ...(typeof line === "string" && { line }) } };
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isText(value: JsonValue | undefined, maxBytes: number): value is string {
  return typeof value === "string" && value.trim() !== "" && Buffer.byteLength(value) <= maxBytes;
}

function wrong(name: string, wanted: string, value: JsonValue | undefined): { readonly problem: string } {
  return { problem: `Expected "${name}" to be ${wanted}, got ${described(value)}.` };
}

function described(value: JsonValue | undefined): string {
  return typeof value === "string" ? `a string of ${Buffer.byteLength(value)} bytes` : kindOf(value);
}
