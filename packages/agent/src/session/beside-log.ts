import type { Conversation } from "./conversation.ts";

/** The directory of the files that a session's log names: images, and what files held before they were changed. */
export function filesDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".files");
}

/** The directory of the results that left a conversation to make room; `undefined` when it is not saved. */
export function outputsDir({ log }: Conversation): string | undefined {
  return log.path?.replace(/\.jsonl$/, ".outputs");
}
