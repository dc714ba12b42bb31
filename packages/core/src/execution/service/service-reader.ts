import { maxOverflowBytes, type Progress, readProgressFields, readServeReply, type ServeReply } from "@ikigai/protocol";
import { GrowingBytes, readJsonObject } from "@ikigai/system";
import type { OutputCollector } from "../output-collector.ts";
import { LineReader, type LineSink, type ReplyLine } from "../wire/line-reader.ts";

/** What a service says to a call. The collector has the answer. */
export type ServiceReply = { readonly kind: "answered" } | { readonly kind: "refused"; readonly reason: string };

/** Gets what a service prints. */
export interface ServiceListener {
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
