import { type JsonObject, textStart } from "@ikigai/protocol";

/** What a call of a tool is called, and the parameter that says on what. */
const verbs: Readonly<Record<string, readonly [verb: string, parameter: string]>> = {
  file_read: ["reading", "file_path"],
  file_write: ["writing", "file_path"],
  file_edit: ["editing", "file_path"],
  glob: ["listing", "pattern"],
  grep: ["searching", "pattern"],
  bash: ["running", "command"],
  web_fetch: ["fetching", "url"],
  web_search: ["searching", "query"],
};

/** How much of a path or a command is shown, in characters. */
const shownLength = 60;

/** Describes a call in a few words: `reading src/x.ts`. */
export function activityOf(name: string, args: JsonObject): string {
  const [verb, parameter] = (Object.hasOwn(verbs, name) && verbs[name]) || [`calling ${name}`, ""];
  const value = args[parameter];
  const on = typeof value === "string" ? value.trim().replace(/\s+/g, " ") : "";
  if (on === "") return verb;
  const shown = textStart(on, shownLength);
  return `${verb} ${shown}${shown === on ? "" : "…"}`;
}

/** A readable number of tokens: `940`, `41 k`, `1.2 M`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)} k` : `${(tokens / 1_000_000).toFixed(1)} M`;
}
