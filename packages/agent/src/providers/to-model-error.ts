import { textStart } from "@ikigai/protocol";
import { redact } from "@ikigai/system";
import { asSentence, inSentence } from "../model/as-sentence.ts";
import { findCause } from "../model/find-cause.ts";
import { ModelError, type ModelErrorCode } from "../model/model-error.ts";
import type { ServerContext } from "./provider-settings.ts";
import { codesIn, messageIn, rejectedTool, retryAfterMs, withoutJson } from "./server-words.ts";
import { brokenOff, networkError, unreadableEvent } from "./stream-errors.ts";

/** What the SDK reports about a failed request or an error in the stream. */
interface Failure {
  readonly message?: string;
  readonly url?: string;
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
  readonly isRetryable?: boolean;
  readonly type?: string;
  readonly code?: string | number;
}

/** How much of a server's message is shown, in characters. */
const maxMessageLength = 600;

/** The words of Anthropic, OpenAI, Google, xAI, Kimi, DashScope, Groq, Bedrock, GLM, llama.cpp, LM Studio, Ollama and gateways. */
const tooLongPattern =
  /context.{0,20}(length|window|size)|exceeds? (the )?context|prompt (is )?too long|prompt exceeds|maximum.{0,20}(context|tokens|prompt length)|too many (input )?tokens|input tokens exceed|token count.{0,40}exceeds|exceeded.{0,20}token limit|input is too long|range of input length|reduce the length of the (messages|prompt)/i;

/** GLM has a number. */
const tooLongCodes = new Set(["context_length_exceeded", "model_context_window_exceeded", "1261"]);

/** Google answers a bad key with 400, gateways with 403. */
const badKeyPattern =
  /api[ _-]?key.{0,20}(not valid|invalid|expired|missing)|(invalid|incorrect|expired|missing).{0,20}api[ _-]?key/i;

const billingPattern = /insufficient_quota|billing|credit balance|insufficient (credits|funds|balance)/i;

const overloadedPattern = /overloaded|unavailable|server_error|internal|api_error|rate_limit|exhausted/i;

/**
 * Converts any error of the SDK to a ModelError: one sentence without keys.
 *
 * @param toolNames the tools of the request, in its order.
 */
export function toModelError(error: unknown, context: ServerContext, toolNames: readonly string[] = []): ModelError {
  const own = findCause(error, (value): value is ModelError => value instanceof ModelError);
  if (own) return copyOf(own, redact(own.message, context.secrets));
  const failure = findCause(error, isFailure) ?? (typeof error === "string" ? { message: error } : {});
  const unreadable = findCause(error, isUnreadable);
  if (unreadable && (failure.statusCode ?? 0) < 400) return unreadableAnswer(unreadable, context);
  const broken = failure.statusCode === undefined ? findCause(error, isNetworkFailure) : undefined;
  if (broken) return brokenConnection(broken, failure, context);
  const words = shorten(redact(wordsOf(failure), context.secrets));
  const retryAfter = retryAfterMs(failure.responseHeaders);
  const status = failure.statusCode;
  const { code, text, isBilling = false } = classify(failure, words, context);
  const tool = code === "bad_request" ? rejectedTool(words, toolNames) : undefined;
  return new ModelError(code, text, {
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(tool !== undefined && { tool }),
    mayRejectContent: code === "bad_request" && tool === undefined && !isBilling && mayConcernContent(status, words),
    server: context.title,
    retryable: code === "rate_limited" || code === "unavailable" || (code === "bad_stream" && !failure.statusCode),
    ...(code === "bad_stream" && { maxRetries: 1 }),
  });
}

/** The error of a `fetch` that is not ikigai's when the connection fails. */
interface NetworkFailure {
  readonly code: string;
  readonly message: string;
}

function isNetworkFailure(value: unknown): value is NetworkFailure {
  const { code, message } = value as Partial<NetworkFailure>;
  return typeof code === "string" && typeof message === "string" && networkCode.test(code);
}

const networkCode = /^(?:E[A-Z]{3,}|ERR_(?:TLS|SSL)|UND_ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

function brokenConnection(
  broken: NetworkFailure,
  { url = "" }: Failure,
  { title, secrets }: ServerContext,
): ModelError {
  if (URL.canParse(url)) return networkError(broken, new URL(url));
  const text = `The connection to ${inSentence(title)} failed: ${broken.message} (${broken.code}).`;
  return new ModelError("network", redact(text, secrets), { retryable: true });
}

interface Classified {
  readonly code: ModelErrorCode;
  readonly text: string;
  readonly isBilling?: true;
}

function classify(failure: Failure, words: string, context: ServerContext): Classified {
  const { title, keyAdvice, model } = context;
  const status = failure.statusCode ?? 0;
  const codes = [failure.type ?? "", String(failure.code ?? ""), ...codesIn(failure.responseBody ?? "")];
  const kind = codes.join(" ");
  const says = words ? `: ${words}` : ".";
  if (status === 401 || ((status === 400 || status === 403) && badKeyPattern.test(words))) {
    return {
      code: "unauthorized",
      text: `${asSentence(`${title} rejected the API key (${status})${says}`)} ${keyAdvice}`,
    };
  }
  if (status !== 429 && (tooLongPattern.test(words) || codes.some((code) => tooLongCodes.has(code)))) {
    const text = asSentence(`The conversation exceeds the context window of ${model}${says}`);
    return { code: "context_too_long", text };
  }
  if (status === 413 || /request_too_large/.test(kind)) {
    const text = asSentence(`${title} refuses a request of this size${status ? ` (${status})` : ""}${says}`);
    return { code: "request_too_large", text: `${text} A proxy or gateway may limit it.` };
  }
  if (status === 402 || billingPattern.test(`${kind} ${words}`)) {
    const text = asSentence(`${title} reports a billing problem${says}`);
    const advice = "Check your account's plan and credit, or use another model.";
    return { code: "bad_request", text: `${text} ${advice}`, isBilling: true };
  }
  if (status === 403) {
    const advice = `Check that your account may use ${model}.`;
    return { code: "unauthorized", text: `${asSentence(`${title} denied access (403)${says}`)} ${advice}` };
  }
  if (status === 407) return { code: "network", text: "The proxy requires authentication (407)." };
  if (status === 429) return { code: "rate_limited", text: `Rate limited by ${inSentence(title)} (429)${says}` };
  if ([408, 409, 425].includes(status) || status >= 500 || (status === 0 && overloadedPattern.test(kind))) {
    return { code: "unavailable", text: `${title} is unavailable${status ? ` (${status})` : ""}${says}` };
  }
  if (status === 404) {
    const text = asSentence(`${title} has no model ${model} at this URL (404)${says}`);
    return { code: "bad_request", text: `${text} To list the models: ikigai models` };
  }
  if (status >= 400) return { code: "bad_request", text: `${title} rejected the request (${status})${says}` };
  return { code: "bad_stream", text: `${title} sent a response that cannot be read${says}` };
}

/** Servers reject messages with these statuses and any words, or images with another status and words that name them. */
function mayConcernContent(status: number | undefined, words: string): boolean {
  return [400, 415, 422].includes(status ?? 0) || /image|vision|multi-?modal|modalit/i.test(words);
}

/** The SDK's error for an event that is not JSON or does not match the known format. */
interface Unreadable {
  readonly name: string;
  readonly message?: string;
  readonly value?: unknown;
}

const unreadableNames = new Set(["AI_JSONParseError", "AI_TypeValidationError", "AI_InvalidResponseDataError"]);

function isUnreadable(value: unknown): value is Unreadable {
  return unreadableNames.has(String((value as { name?: unknown } | null)?.name));
}

/** Names only the type of what could not be read: the SDK's own message is a dump of its validation. */
function unreadableAnswer({ name, message, value }: Unreadable, { title, secrets }: ServerContext): ModelError {
  // What a package says at the end of a stream that ended too early.
  if (/without a finish reason/i.test(message ?? "")) return brokenOff();
  const { type } = (value ?? {}) as { type?: unknown };
  const why = name === "AI_JSONParseError" ? "is not JSON" : "does not follow the provider's format";
  return unreadableEvent(title, { ...(typeof type === "string" && { type: redact(type, secrets) }), why });
}

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && ("statusCode" in value || "message" in value);
}

/** The server's own words: those in its body, else the package's message, which may only be the status text. Never JSON. */
function wordsOf({ message = "", responseBody = "" }: Failure): string {
  const body = responseBody.trim();
  return (/^[{[]/.test(body) && messageIn(body)) || withoutJson(message);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxMessageLength ? `${textStart(line, maxMessageLength)}…` : line;
}

function copyOf(error: ModelError, message: string): ModelError {
  const { status, retryAfterMs: wait, retryable, maxRetries, mayRejectContent, server } = error;
  return new ModelError(error.code, message, {
    ...(status !== undefined && { status }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(server !== undefined && { server }),
    mayRejectContent,
    retryable,
  });
}
