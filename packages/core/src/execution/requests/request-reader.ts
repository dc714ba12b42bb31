import type { Duplex } from "node:stream";
import {
  type AskResult,
  type HostMethod,
  type HostReply,
  type HostRequestErrorCode,
  hostMethods,
  type JobResult,
  type JsonObject,
  maxAnswerLength,
  maxHostLineBytes,
  maxHostRequests,
  maxQuestionMs,
  type PermissionResult,
  type ShowResult,
  textStart,
} from "@ikigai/protocol";
import { StoppedClock } from "../../process/stopped-clock.ts";
import { startsAgents } from "../agent-variables.ts";
import { limiter } from "../read-progress.ts";
import { type HostApi, methodsFor, type Requester } from "./host-api.ts";
import { readRequest, requestId, type ValidRequest } from "./read-request.ts";

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
