import type { OutputCollector } from "../output-collector.ts";

/** The reply to a call: the collector has the answer, the call is invalid, or the collector has a line that is no reply. */
export type Reply = { readonly kind: "answered" | "strayed" } | { readonly kind: "refused"; readonly reason: string };

/** Gets what a process that answers several calls prints. */
export interface ReplyListener {
  /** The process accepts a call. */
  ready(): void;
  /** The process has replied to the open call. */
  replied(reply: Reply): void;
  /** The process has printed something else while no call was open. */
  strayed(): void;
}

/** The call whose answer comes next. */
export interface OpenCall {
  /** Its id on the wire. */
  readonly id: string;
  readonly output: OutputCollector;
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
type Line = "id first" | "answer first" | "other";

/**
 * Reads the lines of a process that answers several calls. An answer goes to the call's collector as it arrives, byte for byte
 * and without the rest of its line, so that a long one is never in memory.
 */
export class ReplyReader {
  readonly #listener: ReplyListener;
  #open: OpenCall | undefined;
  #line: Line | undefined;
  /** The end of what has arrived of the current line; not passed on yet. */
  #held: Buffer = Buffer.alloc(0);

  constructor(listener: ReplyListener) {
    this.#listener = listener;
  }

  /** Makes the next line the reply to this call. */
  expect(call: OpenCall): void {
    this.#open = call;
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
   * Ends the open call: the process will print no more.
   *
   * @param isComplete whether a last line without its line break counts; otherwise it goes to the collector as printed.
   */
  end(isComplete: boolean): void {
    if (isComplete && this.#open && this.#held.length > 0) this.#finish();
    this.#open?.output.add(this.#held);
    this.#open = undefined;
  }

  #take(part: Buffer): void {
    if (this.#line !== undefined) {
      this.#passOn(part);
      return;
    }
    const bytes = Buffer.concat([this.#held, part]);
    this.#held = bytes;
    if (bytes.length < maxHeadBytes) return;
    this.#begin();
    if (!this.#open) {
      this.#listener.strayed();
      return;
    }
    const { length } = this.#held;
    const rest = this.#held.subarray(length - Math.min(length, maxTailBytes));
    this.#open.output.add(this.#held.subarray(0, length - rest.length));
    this.#held = Buffer.from(rest);
  }

  /** Finds out what the line is, and drops what is before an answer. */
  #begin(): void {
    const head = this.#held.toString("latin1", 0, maxHeadBytes);
    const [idFirst, id] = callThenAnswer.exec(head) ?? [];
    const isAnswer = idFirst !== undefined && id === this.#open?.id;
    const start = isAnswer ? idFirst : answerFirst.exec(head)?.[0];
    this.#line = start === undefined ? "other" : isAnswer ? "id first" : "answer first";
    this.#held = this.#held.subarray(start?.length ?? 0);
  }

  /** Passes on all but the end, which may not belong to the answer. */
  #passOn(part: Buffer): void {
    const output = this.#open?.output;
    if (part.length >= maxTailBytes) {
      output?.add(this.#held);
      output?.add(part.subarray(0, -maxTailBytes));
      this.#held = Buffer.from(part.subarray(-maxTailBytes));
      return;
    }
    const bytes = Buffer.concat([this.#held, part]);
    const endBytes = Math.min(bytes.length, maxTailBytes);
    output?.add(bytes.subarray(0, bytes.length - endBytes));
    this.#held = bytes.subarray(bytes.length - endBytes);
  }

  #finish(): void {
    if (this.#line === undefined) this.#begin();
    const [line, held, open] = [this.#line, this.#held, this.#open];
    this.#line = undefined;
    this.#held = Buffer.alloc(0);
    this.#open = undefined;
    if (!open) {
      if (isReady(held)) this.#listener.ready();
      else this.#listener.strayed();
      return;
    }
    open.output.add(held.subarray(0, line === "other" ? held.length : answerEnd(held, line, open.id)));
    this.#listener.replied(line === "other" ? otherReply(open) : { kind: "answered" });
  }
}

/** Returns how much of the end of a line belongs to the answer; all of it if the line does not end as it should. */
function answerEnd(bytes: Buffer, line: Line | undefined, id: string): number {
  const text = bytes.toString("latin1");
  const end = line === "id first" ? endOfLine.exec(text) : callThenEnd.exec(text);
  return end && (line === "id first" || end[1] === id) ? end.index : bytes.length;
}

function isReady(bytes: Buffer): boolean {
  try {
    return JSON.parse(bytes.toString("utf8"))?.ready === true;
  } catch {
    return false;
  }
}

function otherReply({ id, output }: OpenCall): Reply {
  const { answer } = output;
  const { call, refused } = answer?.ok ? answer.value : {};
  return call === id && typeof refused === "string" ? { kind: "refused", reason: refused } : { kind: "strayed" };
}
