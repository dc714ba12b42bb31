// The requests that a tool makes during its call, on descriptor 3: first how one is read, then how it is carried out and answered, one after
// the other, while the clock of the call stands still. Loaded with the first call of a tool that asks.

import type { Duplex } from "node:stream";
import {
  type AgentOrigin,
  type AskResult,
  type HostMethod,
  type HostReply,
  type HostRequestErrorCode,
  hostMethods,
  isJsonObject,
  type JobParams,
  type JobResult,
  type JsonObject,
  type JsonValue,
  jobActions,
  kindOf,
  maxAgentNameBytes,
  maxAnswerLength,
  maxHostLineBytes,
  maxHostRequests,
  maxNestedAgents,
  maxOptionBytes,
  maxOptions,
  maxQuestionBytes,
  maxQuestionMs,
  maxRequestPathBytes,
  minOptions,
  type PermissionParams,
  type PermissionResult,
  type QuestionKind,
  readVisual,
  type ShowParams,
  type ShowResult,
  type ToolScope,
  textStart,
  toolNamePattern,
} from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { limiter } from "../process/read-output.ts";
import { StoppedClock } from "../process/until-over.ts";
import { type HostApi, methodsFor, type Question, type Requester, startsAgents } from "./host-api.ts";

/** A request that can be carried out. */
type ValidRequest =
  | { readonly method: "ask"; readonly params: Question }
  | { readonly method: "permission"; readonly params: PermissionParams }
  | { readonly method: "show"; readonly params: ShowParams }
  | { readonly method: "job"; readonly params: JobParams };

/** The value of a valid part, or what is wrong with it: one sentence. */
type Reading<Value> = { readonly value: Value } | { readonly problem: string };

/** Returns the ID of a request; `undefined` if it has none. */
function requestId({ id }: JsonObject): number | undefined {
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * Reads the parameters of a request. Never throws.
 *
 * @param mayRelay whether the tool starts agents: others cannot ask for another tool, so their `from` is ignored.
 */
function readRequest(method: HostMethod, params: JsonValue | undefined, mayRelay: boolean): Reading<ValidRequest> {
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

type Result = AskResult | PermissionResult | ShowResult | JobResult;

/** How much longer than a person a job may take, in milliseconds: a wait ends itself after the time of a person. */
const jobExtraMs = 5_000;

/** Why a request is aborted that its tool has cancelled. */
const cancelled = "cancelled";

interface Refusal {
  readonly code: HostRequestErrorCode;
  readonly message: string;
}

/** Carries out the requests of one call, one at a time, and writes the replies. */
export class RequestReader {
  /** The time of the call, which stands still while a request is open. */
  readonly clock = new StoppedClock();
  readonly #requester: Requester;
  readonly #api: HostApi;
  readonly #stream: Duplex;
  readonly #methods: readonly HostMethod[];
  readonly #isInTime = limiter();
  #requests = 0;
  #open: AbortController | undefined;
  #openId: number | undefined;
  #isOver = false;
  /** How long the tool has waited for answers that did not come, since it cancelled the questions. */
  #unansweredMs = 0;
  /** Whether the user has not answered a question in time. */
  #isUnanswered = false;

  /** @param stream descriptor 3 of the tool. */
  constructor(requester: Requester, api: HostApi, stream: Duplex) {
    this.#requester = requester;
    this.#api = api;
    this.#stream = stream;
    this.#methods = methodsFor(requester.tool, api);
    // No one would read the reply.
    for (const event of ["end", "close"]) stream.once(event, () => this.end());
  }

  /** Ends the open question, and ignores all further lines. */
  end(): void {
    this.#isOver = true;
    this.#open?.abort();
  }

  /** Refuses a line that is too long to be read. */
  refuseLong(): void {
    if (this.#isOver || !this.#isInTime()) return;
    this.#requests++;
    this.#refuse(null, "INVALID_REQUEST", `The line is longer than ${maxHostLineBytes} bytes.`);
  }

  /** Takes a line that is a JSON object with a `method`. */
  take(line: JsonObject): void {
    // A program that waits for its replies is never that fast.
    if (this.#isOver || !this.#isInTime()) return;
    const id = requestId(line);
    if (line.method === "cancel") {
      if (id !== undefined && id === this.#openId) this.#open?.abort(cancelled);
      return;
    }
    this.#requests++;
    const request = this.#read(line);
    if ("code" in request) this.#refuse(id ?? null, request.code, request.message);
    else if (id === undefined) this.#refuse(null, "INVALID_REQUEST", 'Expected "id" to be an integer.');
    else void this.#carryOut(id, request);
  }

  /** Returns the request of a line, or why it is refused. */
  #read(line: JsonObject): ValidRequest | Refusal {
    if (this.#requests > maxHostRequests)
      return refusal("TOO_MANY_REQUESTS", `A call may make ${maxHostRequests} requests.`);
    if (typeof line.method !== "string") return refusal("INVALID_REQUEST", 'Expected "method" to be a string.');
    const method = hostMethods.find((known) => known === line.method);
    if (method === undefined || !this.#methods.includes(method)) {
      return refusal("UNKNOWN_METHOD", `The methods that work in this call: ${this.#methods.join(", ")}.`);
    }
    if (this.#open) return refusal("REQUEST_OPEN", "The previous request has no reply yet.");
    const reading = readRequest(method, line.params, startsAgents(this.#requester.tool));
    if ("problem" in reading) return refusal("INVALID_REQUEST", reading.problem);
    const isAnswered = !this.#isUnanswered || method === "show";
    return !isAnswered ? refusal("NO_ANSWER", "The user did not answer the last question.") : reading.value;
  }

  async #carryOut(id: number, request: ValidRequest): Promise<void> {
    const open = new AbortController();
    this.#open = open;
    this.#openId = id;
    this.clock.stop();
    const isJob = request.method === "job";
    const { maxWaitMs = maxQuestionMs + (isJob ? jobExtraMs : 0) } = this.#api;
    const sinceMs = performance.now();
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        this.#isUnanswered = true;
        open.abort();
      },
      maxWaitMs - (request.method === "show" || isJob ? 0 : this.#unansweredMs),
    );
    const result = await this.#resultOf(request, open.signal);
    clearTimeout(timer);
    this.clock.start();
    this.#open = undefined;
    this.#openId = undefined;
    if (isLate) {
      this.#refuse(id, "NO_ANSWER", "The user did not answer in time.");
    } else if (open.signal.reason === cancelled) {
      // Otherwise a tool could keep the clock of its call still, with one question after another.
      this.#unansweredMs += performance.now() - sinceMs;
      this.#refuse(id, "CANCELLED", "The request was cancelled.");
    } else if (result === undefined) this.#refuse(id, "NO_USER", "There is no user to ask any more.");
    else this.#write({ id, result });
  }

  /** What the host says, or nothing once the request has ended. */
  async #resultOf(request: ValidRequest, signal: AbortSignal): Promise<Result | undefined> {
    const aborted = new Promise<undefined>((settle) => {
      signal.addEventListener("abort", () => settle(undefined));
    });
    const result = await Promise.race([this.#ask(request, signal), aborted]);
    return signal.aborted ? undefined : result;
  }

  async #ask(request: ValidRequest, signal: AbortSignal): Promise<Result | undefined> {
    if (request.method === "ask") return cutAnswer(await this.#api.ask?.(request.params, this.#requester, signal));
    if (request.method === "show") return this.#api.show?.(request.params, this.#requester, signal);
    if (request.method === "job") return this.#api.job?.(request.params, this.#requester, signal);
    const said = await this.#api.permission?.(request.params, this.#requester, signal);
    return said?.reason === undefined ? said : { ...said, reason: textStart(said.reason, maxAnswerLength) };
  }

  #refuse(id: number | null, code: HostRequestErrorCode, message: string): void {
    this.#write({ id, error: { code, message } });
  }

  /** Drops the reply if the tool has not read the earlier ones. */
  #write(reply: HostReply): void {
    if (this.#isOver || !this.#stream.writable || this.#stream.writableLength > maxHostLineBytes) return;
    this.#stream.write(`${JSON.stringify(reply)}\n`);
  }
}

function cutAnswer(result: AskResult | undefined): AskResult | undefined {
  return result && "answer" in result ? { answer: textStart(result.answer, maxAnswerLength) } : result;
}

function refusal(code: HostRequestErrorCode, message: string): Refusal {
  return { code, message };
}

/** Begins to carry out the requests of a call. @param stream descriptor 3 of the tool. */
export function readRequests(requester: Requester, api: HostApi, stream: Duplex): RequestReader {
  return new RequestReader(requester, api, stream);
}
