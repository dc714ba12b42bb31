import { setImmediate } from "node:timers/promises";
import { textStart } from "@ikigai/protocol";
import { LightStream } from "./light-streams.ts";
import { unreadableEvent } from "./stream-errors.ts";

/** Filters the events of one response, in order. */
export interface EventFilter {
  /** Returns what kind of thing is unknown, for the log; `undefined` if the event is known. */
  unknownKind(data: Readonly<Record<string, unknown>>): string | undefined;
}

const newline = 0x0a;

/** Longest kind that is kept, in characters. */
const maxKindLength = 80;

export interface SkipOptions {
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
