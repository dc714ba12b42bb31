// The lines between the host and a process that answers several calls: the line that makes one, and the one reader of what comes back, which
// passes answers on as they arrive. What the lines mean is in served/replies.ts, for one open call, and service/replies.ts, for many.
import { onOneLine } from "@ikigai/system";
import { limitVariables } from "../call/arguments.ts";
import type { PreparedCall } from "../call/options.ts";
import { mayLeaveJob } from "../jobs/jobs.ts";

/**
 * Returns the line that makes a call in a process that answers several. The arguments are the model's text: parsed and printed,
 * they would lose big numbers.
 *
 * @param own variables that this call has besides those of every call.
 */
export function callFrame(
  id: string,
  { tool, text, limits, options, sandbox }: PreparedCall,
  own: Readonly<Record<string, string>> = {},
): string {
  const env = {
    ...own,
    ...sandbox?.place.callVariables?.(options.callId, options.env ?? process.env),
    IKIGAI_CALL_ID: options.callId,
    ...limitVariables(limits),
    ...(mayLeaveJob(tool, options) && { IKIGAI_JOBS: "1" }),
  };
  const head = JSON.stringify({ call: id, tool: tool.name, env });
  return `${head.slice(0, -1)},"arguments":${onOneLine(text)}}\n`;
}

/** Takes the bytes of a line. */
export interface LineSink {
  /** @param chunk valid until this returns. */
  add(chunk: Buffer): void;
}

/** A line of a process that answers several calls, after its end. */
export interface ReplyLine {
  /** Whether it began as an answer; its sink has only that. */
  readonly isAnswer: boolean;
  /** The call's id, if it is an answer that ended as it should, or had its id first. */
  readonly id: string | undefined;
  /** Where its bytes went: those of the answer, or of the whole line. */
  readonly sink: LineSink | undefined;
  /** The last bytes; all of a short line, also without a sink. */
  readonly rest: Buffer;
}

/** Gets the lines of a process that answers several calls. */
interface LineListener {
  /** Returns where the answer to this call goes; `undefined` if there is no such call. */
  sinkOf(id: string): LineSink | undefined;
  /** Returns where the bytes of another line go, and of an answer whose id comes at the end. */
  otherSink(): LineSink | undefined;
  /** A line without a sink is too long to be anything but an answer. */
  unexpected(): void;
  /** A line has ended. */
  finished(line: ReplyLine): void;
}

const lineEnd = 0x0a;

/** The answer itself begins within this many bytes of its line. */
const maxHeadBytes = 256;

/** What follows the answer on its line is at most this long, in bytes. */
const maxTailBytes = 64;

const callThenAnswer = /^[ \t]*\{[ \t]*"call"[ \t]*:[ \t]*"([^"\\]*)"[ \t]*,[ \t]*"answer"[ \t]*:/;
const answerFirst = /^[ \t]*\{[ \t]*"answer"[ \t]*:/;
const endOfLine = /[ \t]*\}[ \t\r]*$/;
const callThenEnd = /[ \t]*,[ \t]*"call"[ \t]*:[ \t]*"([^"\\]*)"[ \t]*\}[ \t\r]*$/;

/** The beginning of a line: an answer with the id before or after it, or anything else. */
interface Line {
  readonly kind: "id first" | "answer first" | "other";
  readonly id: string | undefined;
  readonly sink: LineSink | undefined;
}

/**
 * Splits what a process prints into lines. An answer goes to its call as it arrives, byte for byte and without the rest of its
 * line, so that a long one is never in memory.
 */
export class LineReader {
  readonly #listener: LineListener;
  #line: Line | undefined;
  /** The end of what has arrived of the current line; not passed on yet. */
  #held: Buffer = Buffer.alloc(0);

  constructor(listener: LineListener) {
    this.#listener = listener;
  }

  /** Takes what the process has printed. @param chunk valid until this returns. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, start)) {
      this.#take(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  /**
   * The process will print no more.
   *
   * @param isComplete whether a last line without its line break counts; otherwise its bytes are passed on as printed.
   */
  end(isComplete: boolean): void {
    if (isComplete && this.#held.length > 0) this.#finish();
    const sink = this.#line ? this.#line.sink : this.#listener.otherSink();
    sink?.add(this.#held);
    this.#line = undefined;
    this.#held = Buffer.alloc(0);
  }

  #take(part: Buffer): void {
    if (this.#line !== undefined) {
      this.#passOn(part, this.#line.sink);
      return;
    }
    const bytes = Buffer.concat([this.#held, part]);
    this.#held = bytes;
    if (bytes.length < maxHeadBytes) return;
    const { sink } = this.#begin();
    if (!sink) this.#listener.unexpected();
    const { length } = this.#held;
    const rest = this.#held.subarray(length - Math.min(length, maxTailBytes));
    sink?.add(this.#held.subarray(0, length - rest.length));
    this.#held = Buffer.from(rest);
  }

  /** Finds out what the line is, and drops what is before an answer. */
  #begin(): Line {
    const head = this.#held.toString("latin1", 0, maxHeadBytes);
    const [idFirst, id] = callThenAnswer.exec(head) ?? [];
    const sink = id === undefined ? undefined : this.#listener.sinkOf(id);
    const start = sink ? idFirst : answerFirst.exec(head)?.[0];
    const kind = start === undefined ? "other" : sink ? "id first" : "answer first";
    const line: Line = { kind, id: sink && id, sink: sink ?? this.#listener.otherSink() };
    this.#line = line;
    if (line.sink) this.#held = this.#held.subarray(start?.length ?? 0);
    return line;
  }

  /** Passes on all but the end, which may not belong to the answer. */
  #passOn(part: Buffer, sink: LineSink | undefined): void {
    if (part.length >= maxTailBytes) {
      sink?.add(this.#held);
      sink?.add(part.subarray(0, -maxTailBytes));
      this.#held = Buffer.from(part.subarray(-maxTailBytes));
      return;
    }
    const bytes = Buffer.concat([this.#held, part]);
    const endBytes = Math.min(bytes.length, maxTailBytes);
    sink?.add(bytes.subarray(0, bytes.length - endBytes));
    this.#held = bytes.subarray(bytes.length - endBytes);
  }

  #finish(): void {
    const { kind, id, sink } = this.#line ?? this.#begin();
    const rest = this.#held;
    this.#line = undefined;
    this.#held = Buffer.alloc(0);
    const end = kind === "other" ? undefined : this.#endOf(rest, kind, id);
    sink?.add(rest.subarray(0, end?.index ?? rest.length));
    this.#listener.finished({ isAnswer: kind !== "other", id: end?.id ?? id, sink, rest });
  }

  /** Returns how much of the end of a line belongs to the answer; `undefined` if the line does not end as it should. */
  #endOf(bytes: Buffer, kind: Line["kind"], id: string | undefined) {
    const end = (kind === "id first" ? endOfLine : callThenEnd).exec(bytes.toString("latin1"));
    const found = kind === "id first" ? id : end?.[1];
    if (!end || found === undefined) return undefined;
    return kind === "id first" || this.#listener.sinkOf(found) ? { index: end.index, id: found } : undefined;
  }
}
