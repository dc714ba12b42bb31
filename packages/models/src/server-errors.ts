// What a refusal means, in one sentence without keys: `toModelError` sorts it by status, code and the server's words; then how these words
// are found in a body; then the errors of connections and of streams that break off.

import { ProxyError } from "@ikigai/http";
import { textStart } from "@ikigai/protocol";
import { redact, withoutEnd } from "@ikigai/system";
import { asSentence, findCause, inSentence, ModelError, type ModelErrorCode } from "./errors.ts";
import { profileOf, type ServerProfile } from "./server-profiles.ts";

/** What error messages need to know about the server. */
export interface ServerContext {
  /** The first part of the model's id. */
  readonly provider: string;
  /** The provider's name for people. */
  readonly title: string;
  readonly model: string;
  /** What to do about a rejected key, one sentence. */
  readonly keyAdvice: string;
  /** Strings that must never be shown. */
  readonly secrets: readonly string[];
}

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

/** Where servers and gateways put their error messages, the most specific first. OpenRouter has the provider's own body in `metadata.raw`. */
const messageKeys =
  "error errors metadata raw message detail error_description error_message msg description reason".split(" ");

/** How many levels of JSON are searched; servers use at most five, and one that nests without end must not end ikigai. */
const maxDepth = 10;

/** The error message in a JSON text, which may itself hold JSON; `undefined` without one. */
export function messageIn(json: string): string | undefined {
  return messageAt(json, 0);
}

function messageAt(json: string, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  const found = findMessage(parsed(json), 0);
  return found === undefined ? undefined : wordsAt(found, depth) || undefined;
}

/** A text for people: JSON in it is replaced by the error message that it contains, or dropped. */
function withoutJson(text: string): string {
  return wordsAt(text, 0);
}

function wordsAt(text: string, depth: number): string {
  const start = text.search(/\{\s*["}]|\[\s*\{/);
  if (start < 0) return text;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const before = text.slice(0, start).trim();
  const message = messageAt(text.slice(start, end), depth + 1);
  if (message === undefined) return withoutEnd(before, " \t\n\r:(,-");
  return before === "" ? message : `${before} ${message}`;
}

/** The codes and types in the body of an error, also in JSON strings in it: `context_length_exceeded`, `1261`. */
function codesIn(body: string): string[] {
  return [...body.matchAll(/\\*"(?:code|type)\\*"\s*:\s*\\*"?([\w.-]{1,64})/g)].map(([, code = ""]) => code);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function findMessage(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) return value.length > 0 ? findMessage(value[0], depth + 1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of messageKeys) {
    const message = Object.hasOwn(fields, key) ? findMessage(fields[key], depth + 1) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Returns the delay that a server asks for, in milliseconds: HTTP's seconds or date, or the providers' own header. */
export function retryAfterMs(headers: Readonly<Record<string, string>> = {}, now = Date.now()): number | undefined {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Returns the name of the tool that a server gives as the reason for rejecting a request; `undefined` if it names none.
 *
 * Servers name the tool by its place in the request (`tools.3.custom.input_schema`, `function_declarations[3].parameters`) or by its
 * quoted name (`Invalid schema for function 'weather'`). Arguments that a model wrote are no reason to blame the schema, and the messages
 * about them do not quote the name. Nor is a field that every tool has (`tools.0.custom.eager_input_streaming`, `tools.0.strict`).
 *
 * @param words the server's message.
 * @param names the tools of the request, in its order.
 */
function rejectedTool(words: string, names: readonly string[]): string | undefined {
  const [, place, field = "name"] = placePattern.exec(words) ?? [];
  if (place !== undefined) return ownFields.has(field) ? names[Number(place)] : undefined;
  return names.find((name) => [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => isBlamed(words, quoted)));
}

/** What a tool's author decides. */
const ownFields = new Set(["name", "description", "input_schema", "parameters", "parametersJsonSchema"]);

/** Google has one list of declarations in the first of its tools. */
const placePattern =
  /(?:\bfunction_?declarations(?:\[|\.)|\btools(?:\[|\.)(?!\d+\]?\.function_?declarations\b))(\d{1,4})\b\]?(?:\.(?:custom|function)\b)*(?:\.([a-z_]+))?/i;

function isBlamed(words: string, quoted: string): boolean {
  const at = words.indexOf(quoted);
  return at >= 0 && /\b(?:function|tool)s?[\s:(]*$/i.test(words.slice(0, at));
}

/** Error codes of connections that were closed or reset by the server, before or during the response. */
const closedCodes = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);

/**
 * Explains a network error. Refused connections and unknown hosts are not retried: waiting does not start a server.
 */
export function networkError(
  error: unknown,
  url: URL,
  profile = profileOf({ provider: "", baseUrl: url.href }),
): ModelError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return new ModelError("network", refused(url, profile));
  if (code === "ENOTFOUND") {
    return new ModelError("network", `Host not found: ${url.hostname}. Check the network and the base URL.`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code)) {
    const advice = /SELF_SIGNED|UNABLE_TO/.test(code) ? ` ${trustAdvice}` : "";
    return new ModelError("network", `Rejected the certificate of ${url.host}: ${message} (${code}).${advice}`);
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return new ModelError("network", `${url.host} does not use TLS. Should the base URL begin with http://?`);
  }
  const what = closedCodes.has(code) ? "closed the connection" : `cannot be reached: ${message}`;
  return new ModelError("network", `${url.host} ${what}${code && !what.includes(code) ? ` (${code})` : ""}.`, {
    retryable: true,
  });
}

/** Node reads this variable when it starts. */
const trustAdvice = "If you trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate.";

function refused(url: URL, { start }: ServerProfile): string {
  const problem = `${url.host} refused the connection (ECONNREFUSED).`;
  return start ? `${start.title} at ${problem} To start it: ${start.command}` : `${problem} Is the server running?`;
}

/** Returns a proxy's error as one of a model request; any other error unchanged. */
export function proxyFailure(error: unknown): unknown {
  return error instanceof ProxyError ? new ModelError(error.code, error.message, error.options) : error;
}

/** The error for a response that ended before the model had finished. */
export function brokenOff(): ModelError {
  return new ModelError("bad_stream", "The response broke off: the connection closed before the model finished.", {
    retryable: true,
  });
}

/** Longest type name that is shown, in characters. */
const maxTypeLength = 60;

/** An event that cannot be read. Retried only once, because retries cost money and rarely help. */
export function unreadableEvent(title: string, { type, why }: { type?: string; why: string }): ModelError {
  const kind = type === undefined ? "" : ` of type ${textStart(type, maxTypeLength)}`;
  const text = `${title} sent an event${kind} that ${why}. Check the base URL, and that any gateway is up to date.`;
  return new ModelError("bad_stream", text, { retryable: true, maxRetries: 1 });
}
