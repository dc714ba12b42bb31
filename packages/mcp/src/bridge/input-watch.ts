import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** How often to look, in milliseconds. */
const lookMs = 250;

/**
 * Notices that a process has closed its input while it owes an answer: the system says so only to a program that writes, and the next
 * message may be minutes away. The stream then emits its error.
 */
export class InputWatch {
  readonly #input: Writable;
  readonly #unanswered = new Set<unknown>();
  #timer: NodeJS.Timeout | undefined;

  constructor(input: Writable) {
    this.#input = input;
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#unanswered.add(message.id);
    else if (message.method === "notifications/cancelled") this.#unanswered.delete(message.params?.requestId);
    this.#adapt();
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message) && this.#unanswered.delete(message.id)) this.#adapt();
  }

  stop(): void {
    this.#unanswered.clear();
    this.#adapt();
  }

  #adapt(): void {
    if (this.#unanswered.size > 0) this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Writes nothing, which fails like any write. A write that is still waiting would fail anyway. */
  #look(): void {
    if (this.#input.writable && this.#input.writableLength === 0) this.#input.write("");
  }
}
