import { commandRows } from "../../help/explain-command.ts";

/** What a shell may offer. Shells that cannot show a description leave it out. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What is offered; `paths` says that the shell is to offer files or directories of its own. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  readonly paths?: "file" | "directory";
}

/** The next word of the commands that begin so. A word that begins several is told of once. */
export function nextWords(prefix: string): Candidate[] {
  const found = new Map<string, string>();
  for (const [command, summary] of commandRows(prefix)) {
    const [word = ""] = command.slice(prefix.length).split(" ");
    found.set(word, found.has(word) ? "list, show, call, check, write and add tools" : summary);
  }
  return [...found].map(([value, description]) => ({ value, description }));
}
