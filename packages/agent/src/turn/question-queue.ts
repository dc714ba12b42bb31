// The questions of a turn to the user: one at a time, in the order in which they came. An answer can decide other calls that wait.

import type { Answer, PendingCall, Question } from "@ikigai/permission";

/** The questions of a turn. */
export class QuestionQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting: Question[] = [];
  // Not by the calls' IDs, which a server can use again.
  readonly #decided = new WeakMap<PendingCall, "allow" | "deny">();
  #answerCount = 0;

  /** Asks when the questions before it are answered. */
  next<Value>(ask: () => Promise<Value>): Promise<Value> {
    const asked = this.#last.then(ask);
    this.#last = asked.catch(() => {});
    return asked;
  }

  /** Asks about a call when the questions before it are answered. Until then, an answer to one of these can decide it. */
  nextAbout<Value>(question: Question, ask: () => Promise<Value>): Promise<Value> {
    this.#waiting.push(question);
    return this.next(() => {
      this.#waiting.splice(this.#waiting.indexOf(question), 1);
      return ask();
    });
  }

  /** The questions about the calls that wait until they can be asked about. More may come. */
  get waiting(): readonly Question[] {
    return this.#waiting;
  }

  /** Counts an answer, and keeps what it says about calls that wait. */
  answered(answer: Answer | undefined): void {
    this.#answerCount++;
    for (const { call } of this.#waiting)
      if (answer?.others?.includes(call.id)) this.#decided.set(call, answer.allow ? "allow" : "deny");
  }

  /** How many questions have been answered: what they allowed may have changed what a call does. */
  get answerCount(): number {
    return this.#answerCount;
  }

  /** Returns what the user has said about a call with the answer to an earlier question. */
  decided(call: PendingCall): "allow" | "deny" | undefined {
    return this.#decided.get(call);
  }
}
