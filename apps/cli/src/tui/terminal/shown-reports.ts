/**
 * Asks the terminal for its status, which it answers after everything that was written before. Unlike that of the position, no key looks
 * like the answer, which may thus come late.
 */
export const isAllShown = "\u001b[5n";
const answer = "\u001b[0n";

/** How long an answer is waited for, in milliseconds. */
const answerMs = 10_000;

/** How long before it is asked, in milliseconds: keys that have waited for a list come first. After Ctrl-Z, a shell would take the answer. */
const askMs = 20;

/** Tells what is on the screen. A line that stalls has taken it long before. */
export interface ShownReports {
  /**
   * Calls `shown` once everything that was written is on the screen. Asks once for each subject until then. A terminal that has never
   * answered is believed at once, and one that does not answer any more, after ten seconds.
   */
  ask(subject: object, shown: () => void): void;
  /** Forgets the open questions: another program has the terminal, and may take the answers. */
  forget(): void;
  /** Takes an answer; false if the input is something else. */
  take(typed: string): boolean;
}

interface Asked {
  readonly subject: object;
  readonly shown: () => void;
}

export function createShownReports(print: (text: string) => void): ShownReports {
  const asked: Asked[] = [];
  let isAnswering = false;
  /** Settles a question, and those before it, whose answers were lost. */
  const settle = (last: Asked | undefined) => {
    const settled = last ? asked.splice(0, asked.indexOf(last) + 1) : [];
    for (const { shown } of settled) shown();
  };
  return {
    ask(subject, shown) {
      if (!isAnswering) return shown();
      if (asked.some((question) => question.subject === subject)) return;
      const question = { subject, shown };
      asked.push(question);
      setTimeout(() => settle(question), answerMs).unref();
      setTimeout(() => asked.includes(question) && print(isAllShown), askMs).unref();
    },
    forget: () => void asked.splice(0),
    take(typed) {
      if (typed !== answer) return false;
      isAnswering = true;
      settle(asked[0]);
      return true;
    },
  };
}
