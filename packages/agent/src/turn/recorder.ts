import type { Conversation, SessionEvent } from "@ikigai/session";

/** Returns a function that writes to a conversation's log. @param tell called once for each new problem with the log. */
export function recorder({ log }: Conversation, tell: (problem: string) => void): (event: SessionEvent) => void {
  const reported = new Set([log.problem]);
  return (event) => {
    log.append(event);
    const { problem } = log;
    if (problem === undefined || reported.has(problem)) return;
    reported.add(problem);
    tell(problem);
  };
}
