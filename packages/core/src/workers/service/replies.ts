// What a service prints: its limits, the lines of several calls at once, and the calls that wait for them.
import {
  maxOverflowBytes,
  type Progress,
  readProgressFields,
  readServeReply,
  type ServeReply,
  textStart,
} from "@ikigai/protocol";
import { GrowingBytes, readJsonObject } from "@ikigai/system";
import type { OutputCollector } from "../../call/output.ts";
import { limiter } from "../../process/read-output.ts";
import type { Exit } from "../../process/start-process.ts";
import { LineReader, type LineSink, type ReplyLine } from "../lines.ts";

/** How many services a host runs at once. */
export const maxServices = 16;

/** How long a service has to get ready, in milliseconds. */
export const readyMs = 60_000;

/** A service that ends unasked this often in this period, in milliseconds, is no longer started. */
export const maxDeaths = 3;
export const deathsMs = 60_000;

/** What a service says to a call. The collector has the answer. */
export type ServiceReply = { readonly kind: "answered" } | { readonly kind: "refused"; readonly reason: string };

/** Gets what a service prints. */
interface ServiceListener {
  /** It accepts calls. */
  ready(): void;
  /** It cannot start, and this is the answer to the calls that wait for it. */
  failed(answer: Buffer): void;
  /** @param id the call's; `undefined` for the progress of its start. */
  progressed(id: string | undefined, progress: Progress): void;
  replied(id: string, reply: ServiceReply): void;
  /** It has printed something else. */
  strayed(line: Buffer): void;
  /** It has printed too long a line, which is not the answer to an open call. */
  flooded(): void;
}

/** Reads the lines of a service, which may work on several calls at once. */
export class ServiceReader {
  readonly #listener: ServiceListener;
  readonly #open = new Map<string, Redirected>();
  /** The calls that the host no longer waits for: late answers to them are dropped. */
  readonly #dropped = new Set<string>();
  readonly #lines = new LineReader({
    sinkOf: (id) => (this.#dropped.has(id) ? this.#limited() : this.#open.get(id)),
    otherSink: () => this.#limited(),
    unexpected: () => {},
    finished: (line) => this.#finished(line),
  });
  #isReady = false;
  #isIgnoring = false;
  #calls = 0;

  constructor(listener: ServiceListener) {
    this.#listener = listener;
  }

  /** Opens a call; returns its id on the wire. */
  open(output: OutputCollector): string {
    const id = `c${++this.#calls}`;
    this.#open.set(id, new Redirected(output));
    return id;
  }

  /** The host no longer waits for this call: its collector gets nothing more. */
  drop(id: string): void {
    this.#open.get(id)?.redirect(this.#limited());
    this.#open.delete(id);
    this.#dropped.add(id);
  }

  /** Takes what the service has printed. @param chunk valid until this returns. */
  push(chunk: Buffer): void {
    if (!this.#isIgnoring) this.#lines.push(chunk);
  }

  /** Ignores all further lines, also those that have arrived with this one: whether they do is chance. */
  ignoreRest(): void {
    this.#isIgnoring = true;
  }

  /** The service will print no more. @param isComplete whether a last line without its line break counts. */
  end(isComplete: boolean): void {
    this.#lines.end(isComplete);
  }

  #limited(): Limited {
    return new Limited(() => this.#listener.flooded());
  }

  #finished({ id, sink }: ReplyLine): void {
    if (this.#isIgnoring) return;
    const kept = sink instanceof Limited ? sink.bytes : Buffer.alloc(0);
    if (id === undefined) this.#other(kept);
    else if (!this.#dropped.has(id)) {
      // With the id at the end, the answer had to be kept until now.
      this.#open.get(id)?.add(kept);
      this.#reply(id, { kind: "answered" });
    }
  }

  #reply(id: string, reply: ServiceReply): void {
    this.#open.delete(id);
    this.#listener.replied(id, reply);
  }

  /** A line that is not an answer. */
  #other(line: Buffer): void {
    const reading = readJsonObject(line);
    const said = reading.ok ? readServeReply(reading.value) : undefined;
    if (said === undefined || !this.#takes(said, line)) this.#listener.strayed(line);
  }

  /** Whether a reply is one that is expected now. */
  #takes(said: ServeReply, line: Buffer): boolean {
    if ("ready" in said) {
      if (this.#isReady) return false;
      this.#isReady = true;
      this.#listener.ready();
      return true;
    }
    if ("error" in said) {
      if (!this.#isReady) this.#listener.failed(line);
      return !this.#isReady;
    }
    const { call } = said;
    const isOpen = call !== undefined && this.#open.has(call);
    if (call !== undefined && !(/^c[1-9]\d*$/.test(call) && Number(call.slice(1)) <= this.#calls)) return false;
    if ("progress" in said) {
      const progress = readProgressFields(said.progress);
      // Of a call that is over, it is too late, and harmless. Without a call, once it is ready, no call waits for it.
      if (progress && (isOpen || call === undefined)) this.#listener.progressed(call, progress);
      return true;
    }
    if ("refused" in said && isOpen) this.#reply(said.call, { kind: "refused", reason: said.refused });
    return "refused" in said && (isOpen || this.#dropped.has(said.call));
  }
}

/** A sink that can be replaced in the middle of a line. */
class Redirected implements LineSink {
  #sink: LineSink;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  redirect(sink: LineSink): void {
    this.#sink = sink;
  }

  add(chunk: Buffer): void {
    this.#sink.add(chunk);
  }
}

/** Keeps a line, up to the longest answer. */
class Limited implements LineSink {
  readonly #flooded: () => void;
  readonly #kept = new GrowingBytes();

  constructor(flooded: () => void) {
    this.#flooded = flooded;
  }

  get bytes(): Buffer {
    return this.#kept.bytes;
  }

  add(chunk: Buffer): void {
    if (this.#kept.length + chunk.length > maxOverflowBytes) this.#flooded();
    else this.#kept.push(chunk);
  }
}

/** Why a service is over: it exited, or the host ended it, as asked, for what it printed, or because it did not get ready. */
export type Cause = "exited" | "asked" | "strayed" | "flooded" | "late";

const bytesPerMib = 1_048_576;

/** The longest quote of a line in the log, in characters. */
const maxQuotedLength = 200;

/** Why the host stops a service: the end of a sentence, for the log. @param line what it printed. */
export function whyStopped(cause: "strayed" | "flooded" | "late", line: Buffer): string {
  if (cause === "late") return `it was not ready after ${readyMs / 1_000} seconds`;
  if (cause === "flooded") return `it printed a line of more than ${maxOverflowBytes / bytesPerMib} MiB`;
  const text = line.toString("utf8");
  const end = text.length > maxQuotedLength ? "…" : "";
  return `it printed ${JSON.stringify(textStart(text, maxQuotedLength))}${end}, which is not a reply to a call`;
}

/** The end of a service. */
export interface ServiceEnd {
  readonly kind: "ended";
  readonly cause: Cause;
  readonly exit: Exit | undefined;
  /** The line that is not a reply, if it printed one. */
  readonly line: Buffer;
}

/** A call that a service is working on. */
export interface OpenCall {
  readonly id: string;
  readonly reply: Promise<ServiceReply | ServiceEnd>;
}

/** Gets progress reports. */
export type Report = (progress: Progress) => void;

/** The calls that a service is working on, and what it prints about them. */
export class OpenCalls {
  readonly #reader: ServiceReader;
  readonly #calls = new Map<string, { settle(end: ServiceReply | ServiceEnd): void; readonly report: Report }>();

  /** @param listener gets what is not about an open call. */
  constructor(listener: Omit<ServiceListener, "replied">) {
    this.#reader = new ServiceReader({
      ...listener,
      progressed: (id, progress) => {
        if (id === undefined) listener.progressed(id, progress);
        else this.#calls.get(id)?.report(progress);
      },
      replied: (id, reply) => this.#settle(id, reply),
    });
  }

  /** Takes what the service has printed. @param chunk valid until this returns. */
  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  /** Opens a call. */
  open(output: OutputCollector, report: Report): OpenCall {
    const allow = limiter();
    const id = this.#reader.open(output);
    const reply = new Promise<ServiceReply | ServiceEnd>((settle) => {
      this.#calls.set(id, { settle, report: (progress) => void (allow() && report(progress)) });
    });
    return { id, reply };
  }

  /** Forgets a call: a later answer is dropped. */
  drop(id: string): void {
    if (this.#calls.delete(id)) this.#reader.drop(id);
  }

  /** Ignores what the service prints from now on, even if it is the answer to an open call. */
  ignoreRest(): void {
    this.#reader.ignoreRest();
  }

  /** The service prints no more. @param isComplete whether a last line without its line break counts. */
  endOutput(isComplete: boolean): void {
    this.#reader.end(isComplete);
  }

  /** Settles all calls. */
  end(end: ServiceEnd): void {
    for (const id of [...this.#calls.keys()]) this.#settle(id, end);
  }

  #settle(id: string, end: ServiceReply | ServiceEnd): void {
    this.#calls.get(id)?.settle(end);
    this.#calls.delete(id);
  }
}
