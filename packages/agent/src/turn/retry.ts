import { setTimeout } from "node:timers/promises";
import { asSentence, ModelError, type ModelErrorCode } from "@ikigai/models";
import type { TurnContext } from "./turn-context.ts";

interface Retry {
  /** Which one this is of the request, from 1. */
  readonly retry: number;
  /** Whether the user has seen part of the response. */
  readonly spoke: boolean;
  /** A response that broke off is retried once. */
  readonly isOver: boolean;
}

/** Waits before a retry; returns the error instead if it is not retried. */
export async function beforeRetry(
  turn: TurnContext,
  error: ModelError,
  { retry, spoke, isOver }: Retry,
): Promise<ModelError | undefined> {
  const { maxRetryAfterMs, firstRetryMs } = turn.patience;
  const maxRetries = Math.min(turn.patience.maxRetries, error.maxRetries ?? Number.POSITIVE_INFINITY);
  if (!error.retryable) return error;
  if (isOver) return withText(error, `${asSentence(error.message)} Gave up: the connection broke twice.`);
  if (retry > maxRetries) return withText(error, `${error.message} (tried ${retry} times)`);
  const { retryAfterMs: askedMs = 0 } = error;
  // A delay of 0 is ignored: the next response would be the same.
  const waitMs = askedMs >= firstRetryMs ? askedMs : Math.max(askedMs, backoffMs(retry, firstRetryMs));
  if (waitMs > maxRetryAfterMs) {
    const limit = `longer than the limit of ${seconds(maxRetryAfterMs)} (patience.maxRetryAfterMs)`;
    return withText(error, `${asSentence(error.message)} The server asks to wait ${seconds(waitMs)}, ${limit}.`);
  }
  const why = asSentence(error.message);
  const { code, server } = error;
  const [count, most] = spoke ? [1, 1] : [retry, maxRetries];
  turn.emit({
    type: "notice",
    text: `${why} Retrying in ${seconds(waitMs)} (${count} of ${most}).`,
    retry: { why, brief: briefError(error), ...(server !== undefined && { server }), code, waitMs, count, most },
  });
  return (await pause(waitMs, turn.signal)) ? undefined : error;
}

function withText({ code, status, retryAfterMs }: ModelError, message: string): ModelError {
  return new ModelError(code, message, {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Returns the delay before the `attempt`th retry (from 1), in milliseconds, if the server does not specify one. */
function backoffMs(attempt: number, firstRetryMs: number): number {
  const full = Math.min(firstRetryMs * 2 ** (attempt - 1), maxBackoffMs);
  // Half of the delay is random, so that many clients do not retry at the same time.
  return full / 2 + (full / 2) * Math.random();
}

/** Only the server can ask for longer delays. */
const maxBackoffMs = 30_000;

const kinds: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "Rate limited",
  unavailable: "Server unavailable",
  network: "Connection failed",
  timeout: "No response",
  bad_stream: "Bad response",
};

/** The status of an overloaded server that is not in HTTP's standard. */
const overloaded = 529;

/** What failed in a few words, without the server's address, for a place where the sentence does not fit. */
function briefError({ code, status }: Pick<ModelError, "code" | "status">): string {
  const kind = status === overloaded ? "Server overloaded" : (kinds[code] ?? "Request failed");
  return status === undefined ? kind : `${kind} (${status})`;
}

/** Waits; returns false if the signal ended it. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
