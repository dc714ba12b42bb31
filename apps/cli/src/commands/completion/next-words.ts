import { commandRows } from "../../help/explain-command.ts";
import type { Candidate } from "./candidate.ts";

/** The next word of the commands that begin so. A word that begins several is told of once. */
export function nextWords(prefix: string): Candidate[] {
  const found = new Map<string, string>();
  for (const [command, summary] of commandRows(prefix)) {
    const [word = ""] = command.slice(prefix.length).split(" ");
    found.set(word, found.has(word) ? "list, show, call, check, write and add tools" : summary);
  }
  return [...found].map(([value, description]) => ({ value, description }));
}
