import { setTimeout as sleep } from "node:timers/promises";
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { BridgeError } from "./bridge-error.ts";
import { projectRoots } from "./project-roots.ts";
import type { ServerPlace } from "./server-place.ts";

/** What a request adds when it is sent again with what the server has asked for. */
export interface Answers {
  readonly inputResponses?: JsonObject;
  /** The server's own, as it was. */
  readonly requestState?: string;
}

/** Sends a request, which may take this long, in milliseconds. */
export type Send = (answers: Answers, timeoutMs: number) => Promise<unknown>;

export interface RequestTime {
  /** For the request with all that is asked for, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How often a server may ask: one that keeps asking is broken, not slow. */
const maxRounds = 10;

/** Deeper than any real answer, in levels, and shallow enough for programs that read it. */
const maxDepth = 1_000;

/** How long to wait before a request is sent again if the server has asked for nothing, in milliseconds. */
const pauseMs = 250;

/**
 * Sends a request until its result is complete: a server of the protocol of 2026 answers with what it needs to know first, and
 * expects the request again. It gets the project's directory. Other questions are for the user, and a call cannot ask the user.
 *
 * @throws BridgeError with the questions; the errors of `send`.
 */
export async function untilComplete(
  place: ServerPlace,
  { timeoutMs, signal }: RequestTime,
  send: Send,
): Promise<JsonObject> {
  const untilMs = performance.now() + timeoutMs;
  let answers: Answers = {};
  for (let round = 0; round < maxRounds; round++) {
    const result = toJson(await send(answers, Math.max(1, untilMs - performance.now())));
    if (isDeeperThan(result, maxDepth))
      throw new BridgeError("MCP_REQUEST_FAILED", "Its answer is nested too deeply to be read.");
    if (result.resultType !== "input_required") return result;
    const { inputRequests, requestState } = result;
    const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {});
    if (!asked.every(([, request]) => isForRoots(request))) throw inputRequired(place, asked);
    if (asked.length === 0) await sleep(pauseMs, undefined, { signal });
    answers = {
      ...(asked.length > 0 && {
        inputResponses: Object.fromEntries(asked.map(([key]) => [key, projectRoots(place)])),
      }),
      ...(typeof requestState === "string" && { requestState }),
    };
  }
  throw new BridgeError("MCP_REQUEST_FAILED", `It has asked ${maxRounds} times for what it had been told.`);
}

function isForRoots(request: JsonValue): boolean {
  return isJsonObject(request) && request.method === "roots/list";
}

function inputRequired({ name }: ServerPlace, asked: readonly [string, JsonValue][]): BridgeError {
  const questions = asked.flatMap(([, request]) => {
    const { method, params } = isJsonObject(request) ? request : {};
    if (method === "roots/list") return [];
    const { message } = isJsonObject(params) ? params : {};
    return [typeof message === "string" ? message : String(method ?? "")];
  });
  return new BridgeError("INPUT_REQUIRED", `The MCP server ${name} asks: ${questions.join(" ")}`);
}

/** The library's results are JSON, with types of its own. */
function toJson(value: unknown): JsonObject {
  return isJsonObject(value) ? value : { value: value as JsonValue };
}
