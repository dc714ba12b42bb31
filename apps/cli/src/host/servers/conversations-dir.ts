import { join } from "node:path";

/** The directory of the directories that conversations have for as long as they are open. @param home the user's, `~/.ikigai`. */
export function conversationsDir(home: string): string {
  return join(home, "cache", "conversations");
}
