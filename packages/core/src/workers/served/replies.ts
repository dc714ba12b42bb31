// What a served process prints: the reply to the one call that is open, or that it is ready for the next.
import type { OutputCollector } from "../../call/output.ts";
import { LineReader } from "../lines.ts";

/** The reply to a call: the collector has the answer, the call is invalid, or the collector has a line that is not a reply. */
export type Reply = { readonly kind: "answered" | "strayed" } | { readonly kind: "refused"; readonly reason: string };

/** Gets what a process that answers several calls prints. */
interface ReplyListener {
  /** The process accepts a call. */
  ready(): void;
  /** The process has replied to the open call. */
  replied(reply: Reply): void;
  /** The process has printed something else while no call was open. */
  strayed(): void;
}

/** The call whose answer comes next. */
interface OpenCall {
  /** Its id on the wire. */
  readonly id: string;
  readonly output: OutputCollector;
}

/** Reads the lines of a process that answers several calls, one at a time. */
export class ReplyReader {
  readonly #listener: ReplyListener;
  #open: OpenCall | undefined;
  readonly #lines = new LineReader({
    sinkOf: (id) => (id === this.#open?.id ? this.#open.output : undefined),
    otherSink: () => this.#open?.output,
    unexpected: () => this.#listener.strayed(),
    finished: ({ isAnswer, rest }) => this.#finished(isAnswer, rest),
  });

  constructor(listener: ReplyListener) {
    this.#listener = listener;
  }

  /** Makes the next line the reply to this call. */
  expect(call: OpenCall): void {
    this.#open = call;
  }

  /** Takes what the process has printed. @param chunk valid until this returns. */
  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /**
   * Ends the open call: the process will print no more.
   *
   * @param isComplete whether a last line without its line break counts; otherwise it goes to the collector as printed.
   */
  end(isComplete: boolean): void {
    this.#lines.end(isComplete && this.#open !== undefined);
    this.#open = undefined;
  }

  #finished(isAnswer: boolean, rest: Buffer): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) this.#listener.replied(isAnswer ? { kind: "answered" } : otherReply(open));
    else if (isReady(rest)) this.#listener.ready();
    else this.#listener.strayed();
  }
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
