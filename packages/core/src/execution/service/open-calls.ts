import { maxOverflowBytes, type Progress, textStart } from "@ikigai/protocol";
import type { Exit } from "../../process/start-process.ts";
import type { OutputCollector } from "../output-collector.ts";
import { limiter } from "../read-progress.ts";
import { readyMs } from "./service-limits.ts";
import { type ServiceListener, ServiceReader, type ServiceReply } from "./service-reader.ts";

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
