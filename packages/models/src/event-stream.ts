// The bytes of an event stream on their way to the provider's package: checked as they pass (is this an event stream, has it ended), and
// without the events that the package does not know. Then what is known for each format.

import { setImmediate } from "node:timers/promises";
import { textStart } from "@ikigai/protocol";
import { asSentence, ModelError } from "./errors.ts";
import { LightStream } from "./light-streams.ts";
import { messageIn, unreadableEvent } from "./server-errors.ts";

/** Maximum size of an event, in bytes. A whole file in one delta is far smaller; a runaway server is not. */
const maxEventBytes = 16 * 1_048_576;

/** How much of a line is kept, in bytes: enough to recognise it, and to read a short error in it. */
const prefixBytes = 512;

/** How much of a line is shown, in characters. */
const maxShown = 64;

/** What a chunk of an event stream contained. */
export interface Seen {
  /** Data, or part of it. */
  readonly data: boolean;
  /** The end marker. */
  readonly done: boolean;
  /** The end marker came before any other data. */
  readonly isEmpty: boolean;
}

/** Checks the chunks of a stream, and its end. */
interface EventWatch {
  look(chunk: Uint8Array): Seen;
  end(): void;
}

/**
 * Checks an event stream without decoding it: tells data from pings, and rejects anything else.
 *
 * @throws ModelError `not_a_model` if the first bytes are not an event stream, `bad_stream` if later ones are not or an
 * event exceeds `maxEventBytes`.
 */
export function watchEvents(server: string): EventWatch {
  let prefix = "";
  let eventBytes = 0;
  let sawLine = false;
  let data = false;
  let done = false;
  let sawData = false;

  const append = (bytes: Uint8Array) => {
    if (prefix.length < prefixBytes) prefix += Buffer.from(bytes.subarray(0, prefixBytes)).toString("latin1");
    eventBytes += bytes.length;
    if (eventBytes > maxEventBytes) {
      throw new ModelError("bad_stream", `${server} sent an event of more than ${maxEventBytes} bytes.`);
    }
    if (prefix.startsWith("data:") && !pingPattern.test(prefix)) data = true;
  };

  const endLine = () => {
    const line = prefix.replace(/\r$/, "").replace(sawLine ? "" : /^\xef\xbb\xbf/, "");
    prefix = "";
    if (line === "") eventBytes = 0;
    else if (!linePattern.test(line)) throw badLine(server, line, sawLine);
    else sawLine = true;
    if (/^data: ?\[DONE\]/.test(line)) done = true;
    else if (/^data:./.test(line)) sawData = true;
  };

  return {
    look(chunk) {
      data = false;
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        append(chunk.subarray(start, end));
        endLine();
        start = end + 1;
      }
      append(chunk.subarray(start));
      return { data, done, isEmpty: done && !sawData };
    },
    // A stream that breaks off within a line is still an event stream.
    end: () => void (sawLine || endLine()),
  };
}

/** A field, known or unknown (the standard ignores unknown ones), or a comment. */
const linePattern = /^(:|[A-Za-z][\w-]{0,30}(:|$))/;

const pingPattern = /^data: ?(\{ ?"type" ?: ?"(ping|keepalive)"|$)/;

/** The first bytes of gzip data. */
const gzipStart = "\u001f\u008b";

function badLine(server: string, line: string, sawLine: boolean): ModelError {
  if (line.startsWith(gzipStart)) {
    return new ModelError("not_a_model", `${server} sent a compressed response without a content-encoding header.`);
  }
  const shown = shownLine(line);
  return sawLine
    ? new ModelError("bad_stream", `${server} sent a line that is not part of an event stream: ${asSentence(shown)}`, {
        retryable: true,
        maxRetries: 1,
      })
    : new ModelError(
        "not_a_model",
        `${server} answered with something other than an event stream: ${asSentence(shown)}`,
      );
}

/** The error message in a line of JSON, or the beginning of any other line, quoted. */
function shownLine(line: string): string {
  const text = Buffer.from(line, "latin1").toString();
  return /^[{[]/.test(text) ? (messageIn(text) ?? "JSON") : JSON.stringify(textStart(text, maxShown));
}

/** Filters the events of one response, in order. */
interface EventFilter {
  /** Returns what kind of thing is unknown, for the log; `undefined` if the event is known. */
  unknownKind(data: Readonly<Record<string, unknown>>): string | undefined;
}

const newline = 0x0a;

/** Longest kind that is kept, in characters. */
const maxKindLength = 80;

interface SkipOptions {
  /** The provider's name for people. */
  readonly title: string;
  /** Called for each skipped event. */
  readonly onSkip: (kind: string) => void;
}

/**
 * Wraps a `fetch` so that event streams contain only events that the SDK knows. Providers add new kinds at any time, and the
 * SDK fails on them. Each skipped event is reported to `onSkip`. Data that is not JSON ends the stream with a ModelError.
 */
export function skipUnknown(
  fetch: typeof globalThis.fetch,
  newFilter: () => EventFilter,
  { title, onSkip }: SkipOptions,
): typeof globalThis.fetch {
  const filtered = async (...args: Parameters<typeof fetch>) => {
    const response = await fetch(...args);
    if (!response.ok || !response.body) return response;
    return { ...response, body: new LightStream(knownEvents(response.body, newFilter(), { title, onSkip })) };
  };
  return filtered as typeof fetch;
}

async function* knownEvents(
  chunks: AsyncIterable<Uint8Array>,
  filter: EventFilter,
  { title, onSkip }: SkipOptions,
): AsyncGenerator<Uint8Array> {
  const lines: Uint8Array[] = [];
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const whole: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
      rest = [];
      start = end + 1;
      lines.push(line);
      if (line.toString("latin1").trim() !== "") continue;
      const event = Buffer.concat(lines.splice(0));
      const data = dataOf(event);
      if (data === unreadable) {
        if (whole.length > 0) yield Buffer.concat(whole);
        // A stream's error discards what has not been read yet; the data before this event must be kept.
        await setImmediate();
        throw unreadableEvent(title, { why: "is not JSON" });
      }
      const kind = data && filter.unknownKind(data);
      if (kind === undefined) whole.push(event);
      else onSkip(textStart(kind, maxKindLength));
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    if (whole.length > 0) yield Buffer.concat(whole);
  }
  // The response broke off; the SDK decides what that means.
  if (lines.length + rest.length > 0) yield Buffer.concat([...lines, ...rest]);
}

const unreadable = Symbol("unreadable");

/** Returns the object in an event's data, if it is one. */
function dataOf(event: Buffer): Readonly<Record<string, unknown>> | typeof unreadable | undefined {
  const data = event
    .toString("utf8")
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []))
    .join("\n");
  if (data.trim() === "" || data.trim() === "[DONE]") return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return unreadable;
  }
}

const events = new Set([
  ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
  ...["message_delta", "message_stop", "ping", "error"],
]);

/** Blocks that ikigai can receive: it uses none of the provider's own tools. */
const blocks = new Set(["text", "thinking", "redacted_thinking", "tool_use", "compaction", "fallback"]);

const deltas = new Set([
  ...["input_json_delta", "text_delta", "thinking_delta", "signature_delta"],
  ...["compaction_delta", "citations_delta"],
]);

/** Recognises the events of Anthropic's format. Every event of an unknown block is unknown. */
export function anthropicEvents(): EventFilter {
  const skippedBlocks = new Set<unknown>();
  return {
    unknownKind({ type, index, content_block: block, delta }) {
      if (typeof type !== "string") return undefined;
      if (!events.has(type)) return `event ${type}`;
      if (type === "content_block_start") {
        const kind = typeOf(block);
        skippedBlocks.delete(index);
        if (kind === undefined || blocks.has(kind)) return undefined;
        skippedBlocks.add(index);
        return `block ${kind}`;
      }
      if (type !== "content_block_delta" && type !== "content_block_stop") return undefined;
      if (skippedBlocks.has(index)) return `part of an unknown block`;
      const kind = typeOf(delta);
      return kind === undefined || deltas.has(kind) ? undefined : `delta ${kind}`;
    },
  };
}

function typeOf(value: unknown): string | undefined {
  const type = (value as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" ? type : undefined;
}

/** Recognises the events of OpenAI's chat format. An event of another type without choices is not part of a response. */
export function chatEvents(): EventFilter {
  return {
    unknownKind({ type, object, choices, error }) {
      if (choices !== undefined || error !== undefined || type === "error") return undefined;
      const kind = type ?? object;
      return typeof kind === "string" ? `event ${kind}` : undefined;
    },
  };
}

/** What a response says that the package does not pass on. */
export interface ChatFacts {
  /** The response had reasoning in the field `reasoning`, not `reasoning_content`. */
  readonly hasReasoningField?: boolean;
  /** An ID of a call began more than one: then one may be a repetition. */
  readonly repeatsIds?: boolean;
  /** The IDs of the calls. */
  readonly ids?: readonly string[];
}

/** The part of an event that is looked at. */
interface ChatEvent {
  readonly choices?: readonly {
    readonly delta?: {
      readonly reasoning?: unknown;
      readonly reasoning_content?: unknown;
      readonly tool_calls?: readonly { readonly id?: unknown; readonly function?: { readonly name?: unknown } }[];
    };
  }[];
}

/** Looks at the events of a response in OpenAI's chat format. */
export function chatFacts() {
  const begun = new Set<string>();
  let hasReasoningField = false;
  let repeatsIds = false;
  return {
    processChunk(event: unknown) {
      const delta = (event as ChatEvent | null)?.choices?.[0]?.delta;
      if (delta?.reasoning && !delta.reasoning_content) hasReasoningField = true;
      for (const { id, function: called } of delta?.tool_calls ?? []) {
        if (typeof id !== "string" || id === "" || !called?.name) continue;
        repeatsIds ||= begun.has(id);
        begun.add(id);
      }
    },
    buildMetadata: () => ({ ikigai: { hasReasoningField, repeatsIds, ids: [...begun] } satisfies ChatFacts }),
  };
}
