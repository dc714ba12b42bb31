import { isAbsolute } from "node:path";
import { shellWord } from "@ikigai/core";
import type { MadeCall } from "./made-call.ts";

/** What the tools that come with ikigai read; the commands that bash runs are not given these. */
const limits = ["IKIGAI_TIMEOUT_MS", "IKIGAI_MAX_OUTPUT_BYTES"];

/**
 * The line that makes a call again, for any POSIX shell: the same bytes to the same executable in the same directory. A tool
 * that did not come with ikigai may read any of the protocol's variables, so it gets all of them. What has no path was run
 * somewhere else, and is the words of a command line already.
 */
export function shellLine({ arguments: args, cwd, path, scope, env }: MadeCall): string {
  const variables = Object.entries(env)
    .filter(([name]) => scope !== "system" || limits.includes(name))
    .map(([name, value]) => `${name}=${shellWord(value)} `);
  return `cd ${shellWord(cwd)} && ${print(args)} | ${variables.join("")}${isAbsolute(path) ? shellWord(path) : path}`;
}

/** `echo` makes of a backslash what it likes; `printf %s` does not. */
function print(text: string): string {
  return `${text.includes("\\") ? "printf %s" : "echo"} ${shellWord(text)}`;
}
