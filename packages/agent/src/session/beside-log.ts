import type { Conversation } from "./conversation.ts";

/** Returns the directory of the files that a session's log names: images, and the old content of files. */
export function filesDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".files");
}

/** Returns the directory of results that were moved out of a conversation to make room; `undefined` if it is not saved. */
export function outputsDir({ log }: Conversation): string | undefined {
  return log.path?.replace(/\.jsonl$/, ".outputs");
}
