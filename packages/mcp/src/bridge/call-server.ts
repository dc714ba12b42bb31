// One call of a server's tool. In order: the request and its time, the check of the arguments, the server's result as an answer, its
// failures, and requests that the server completes in several rounds.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  coerceArguments,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  kindOf,
  type Progress,
} from "@ikigai/protocol";
import { makePrivateDirectory, privateFileMode, redact } from "@ikigai/system";
import {
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Progress as ServerProgress,
} from "@modelcontextprotocol/client";
import { type AddedTool, removeOldest } from "../server/server-file.ts";
import { BridgeError, errorWords, shortened } from "./bridge-error.ts";
import { type Connection, projectRoots } from "./connect.ts";
import { serverFailure } from "./http/server-failure.ts";
import type { ServerPlace } from "./server-place.ts";

/** A call of a server's tool. */
export interface ServerCall {
  readonly tool: AddedTool;
  readonly arguments: JsonObject;
  /** How long it may take, in milliseconds. Progress does not extend it. */
  readonly timeoutMs: number;
  /** Cancels it, also on the server. */
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
}

/**
 * Makes one call, once: the library would repeat one that it gives no definition of.
 *
 * @returns the answer.
 * @throws BridgeError; the signal's reason.
 */
export async function callServer(connection: Connection, place: ServerPlace, call: ServerCall): Promise<JsonObject> {
  const { signal, tool } = call;
  const onprogress = reporting(call.report);
  const options = (timeoutMs: number) => ({
    signal,
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    onprogress,
    allowInputRequired: true,
  });
  try {
    await connection.rootsTaken();
    signal.throwIfAborted();
    if (tool.isResource) return await readResources(connection, place, call, options);
    const { name, inputSchema } = tool.definition;
    // Without the schema of the answer, which the library would check and then drop the answer.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
    const result = await untilComplete(place, call, (answers, timeoutMs) => {
      const params = { name, arguments: call.arguments, ...answers };
      return connection.client.callTool(params, { ...options(timeoutMs), toolDefinition });
    });
    const answer = toAnswer(result, saveBelow(place.dataDir));
    const isMissingFile = /\bENOENT\b|no such file/i.test(String(answer.error ?? ""));
    if (!isMissingFile || !("cwd" in place.target)) return answer;
    return { ...answer, hint: `The MCP server runs in ${place.target.cwd}: give it absolute paths.` };
  } catch (error) {
    signal.throwIfAborted();
    throw await requestFailure(connection, place, error, "call");
  }
}

/** Lists the resources of a server, or reads one. */
async function readResources(
  { client }: Connection,
  place: ServerPlace,
  call: ServerCall,
  options: (timeoutMs: number) => RequestOptions,
): Promise<JsonObject> {
  const { uri } = call.arguments;
  const cacheMode = "bypass";
  const save = saveBelow(place.dataDir);
  if (typeof uri === "string") {
    const { contents } = await untilComplete(place, call, (answers, timeoutMs) =>
      client.readResource({ uri, ...answers }, { ...options(timeoutMs), cacheMode }),
    );
    const parts = Array.isArray(contents) ? contents.filter(isJsonObject) : [];
    return { output: parts.map((part) => resourceText(part, save)).join("\n") };
  }
  const { resources } = await untilComplete(place, call, (_, timeoutMs) =>
    client.listResources(undefined, { ...options(timeoutMs), cacheMode }),
  );
  const lines = (Array.isArray(resources) ? resources.filter(isJsonObject) : []).map(
    ({ uri: address, name, description }) =>
      [address, name, description].filter((part) => typeof part === "string").join("  "),
  );
  return { output: lines.join("\n") };
}

/** The longest message of a report, in characters: with its "…", what the SDK passes on. */
const maxMessageLength = 999;

/** How many reports of progress are passed on in a second: a server may send any number. */
const maxReports = 50;

/** Passes on what the protocol has of reports of progress. */
function reporting(report: ServerCall["report"]): (progress: ServerProgress) => void {
  let [reports, sinceMs] = [0, 0];
  return ({ progress, total, message }) => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > 1_000) [reports, sinceMs] = [0, nowMs];
    if (++reports > maxReports) return;
    report({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: shortened(message, maxMessageLength) }),
    });
  };
}

/** How many files of results are kept; the oldest go first. A result cannot have more. */
const maxFiles = 64;

/** The name of a file: other files in the directory are not ours. */
const ownName = /^\d+-\d+-\d+\.[a-z0-9]+$/;

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/json": "json",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** Returns a function that stores what comes with results below a data directory. @throws the system's error when it is called. */
function saveBelow(dataDir: string): SaveFile {
  let saved = 0;
  return (bytes, mimeType) => {
    if (saved === maxFiles) return undefined;
    const directory = join(dataDir, "files");
    makePrivateDirectory(directory);
    const ending = Object.hasOwn(endings, mimeType) ? endings[mimeType] : "bin";
    const path = join(directory, `${Date.now()}-${process.pid}-${++saved}.${ending}`);
    writeFileSync(path, bytes, { mode: privateFileMode, flag: "wx" });
    removeOldest(directory, maxFiles, ownName);
    return path;
  };
}

/** What a call without a host may take, in milliseconds. */
const defaultMs = 120_000;

/** The call is cancelled on the server before the host gives up, in milliseconds. */
const reserveMs = 500;

/** How long to wait for the host to end a call that has run out of time, in milliseconds: the host's result names the limit. */
const patienceMs = 3_000;

/** How long a server may take for a call, in milliseconds. */
export function serverTimeMs({ IKIGAI_TIMEOUT_MS: given }: Readonly<Record<string, string | undefined>>): number {
  const ms = Number(given);
  return Math.max(1, (Number.isInteger(ms) && ms > 0 ? ms : defaultMs) - reserveMs);
}

/** Waits until the host ends a call that has run out of time, if there is a host. */
export async function untilHostEnds(
  { IKIGAI_TIMEOUT_MS: given }: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  if (given === undefined) return;
  await sleep(patienceMs, undefined, { signal }).catch(() => {});
}

/** The arguments to send, or why the call is refused. */
export type CheckedArguments = { readonly arguments: JsonObject } | { readonly refusal: string };

/**
 * Checks what a tool has to refuse itself: required parameters and the types of the others, at the top level. Drops a `null` that the
 * schema does not allow, which means an absent parameter, and what a server with a closed schema would reject. Reads values of a wrong type
 * as those that they spell.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): CheckedArguments {
  const { properties: declared, required, additionalProperties } = schema;
  const properties = isJsonObject(declared) ? declared : {};
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const kept = Object.entries(given).filter(([name, value]) => {
    if (!isKnown(name)) return additionalProperties !== false;
    return value !== null || typesOf(properties[name]).includes("null") || typesOf(properties[name]).length === 0;
  });
  const args = coerceArguments(Object.fromEntries(kept), schema);
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(args, name))
      return { refusal: `Expected ${JSON.stringify(name)} to be ${expectation(properties[name])}, got nothing.` };
  }
  for (const [name, value] of Object.entries(args)) {
    const types = isKnown(name) ? typesOf(properties[name]) : [];
    if (types.length > 0 && !types.some((type) => isOfType(value, type)))
      return {
        refusal: `Expected ${JSON.stringify(name)} to be ${expectation(properties[name])}, got ${kindOf(value)}.`,
      };
  }
  return { arguments: args };
}

/** The types that a schema names; none if it describes its values in another way. */
function typesOf(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  return [schema.type].flat().filter((type): type is string => typeof type === "string");
}

function expectation(schema: JsonValue | undefined): string {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length === 0) return "given";
  return types.map((type) => `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`).join(" or ");
}

/** A type that is not one of JSON Schema allows everything: the server decides. */
function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

/** Stores bytes that came with a result; returns their path, or `undefined` if the result has too many files. */
export type SaveFile = (bytes: Buffer, mimeType: string) => string | undefined;

/** The kinds of images that an answer may show to the model. */
const shownImages = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An image of an answer. */
interface Shown {
  readonly path: string;
  readonly mime_type: string;
}

/** Translates the result of a call into the answer of a tool. */
export function toAnswer(result: JsonObject, save: SaveFile): JsonObject {
  const { content, structuredContent: structured, isError } = result;
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const images: Shown[] = [];
  const texts = blocks.map((block) => textOf(block, save, images));
  const output = texts.join("\n");
  if (isError === true) return { error: output || errorIn(structured), error_code: toolError };
  const isRepeated = structured !== undefined && texts.length === 1 && isSame(output, structured);
  return {
    ...(!isRepeated && (structured === undefined || output !== "") && { output }),
    ...(structured !== undefined && { structured }),
    ...(images.length > 0 && { images: images.map((image) => ({ ...image })) }),
  };
}

/** What an error without a text says. */
function errorIn(structured: JsonValue | undefined): string {
  return structured === undefined ? "The tool reported an error without a message." : JSON.stringify(structured);
}

const toolError = "MCP_TOOL_ERROR";

/** Servers repeat the structured result as text, for clients that do not know it. */
function isSame(text: string, structured: JsonValue): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

/** A block of content as text. */
function textOf(block: JsonObject, save: SaveFile, images: Shown[]): string {
  const { type, text, data, mimeType, resource, uri, name } = block;
  const mime = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  if (type === "text") return typeof text === "string" ? text : "";
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return savedText(type, Buffer.from(data, "base64"), { mime, save, images });
  }
  if (type === "resource" && isJsonObject(resource)) return resourceText(resource, save, images);
  if (type === "resource_link") return `[resource ${String(name ?? "")} ${String(uri ?? "")}]`;
  return JSON.stringify(block);
}

/** The content of a resource as text: where it is from, then what it says. */
export function resourceText(resource: JsonObject, save: SaveFile, images: Shown[] = []): string {
  const { uri, text, blob, mimeType } = resource;
  const origin = `[${String(uri ?? "")}]`;
  if (typeof text === "string") return `${origin}\n${text}`;
  if (typeof blob !== "string") return origin;
  const mime = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  return `${origin}\n${savedText("file", Buffer.from(blob, "base64"), { mime, save, images })}`;
}

/** Stores a file of a result; returns the text that stands for it. */
function savedText(
  kind: string,
  bytes: Buffer,
  { mime, save, images }: { readonly mime: string; readonly save: SaveFile; readonly images: Shown[] },
): string {
  const path = save(bytes, mime);
  if (path === undefined) return `[${kind} left out: the result has too many files]`;
  if (shownImages.includes(mime)) images.push({ path, mime_type: mime });
  return `[${kind} ${path}]`;
}

/** Says why a request to a server has failed; returns what is a bug as it is. */
export async function requestFailure(
  { howEnded, lastWords }: Pick<Connection, "howEnded" | "lastWords">,
  place: ServerPlace,
  error: unknown,
  what: "call" | "list",
): Promise<unknown> {
  const { name, secrets, target } = place;
  const known = "url" in target ? await serverFailure(place, error, "failed") : undefined;
  if (known) return known;
  if (error instanceof BridgeError)
    return error.code === "MCP_REQUEST_FAILED" ? failed(`The MCP server ${name} failed: ${error.message}`) : error;
  if (error instanceof ProtocolError)
    return failed(`The MCP server ${name} answered with error ${error.code}: ${shortened(error.message)}`);
  if (!(error instanceof SdkError)) return error;
  switch (error.code) {
    case SdkErrorCode.ConnectionClosed:
      return new BridgeError(
        "SERVICE_DIED",
        `The MCP server ${name} ${howEnded()} during the ${what}. ${lastWords()}`.trim(),
      );
    case SdkErrorCode.RequestTimeout:
      return new BridgeError(
        "TOOL_TIMEOUT",
        `The MCP server ${name} did not answer in time. The ${what} was cancelled.`,
      );
    default:
      return failed(`The MCP server ${name} failed: ${errorWords(error)}`);
  }

  function failed(text: string): BridgeError {
    return new BridgeError("MCP_REQUEST_FAILED", redact(text, secrets));
  }
}

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
