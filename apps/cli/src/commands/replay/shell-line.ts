import { isAbsolute } from "node:path";
import { shellWord } from "@ikigai/system";
import { sanitise } from "../../render/sanitise.ts";
import type { MadeCall } from "./made-call.ts";

/** What the tools that come with ikigai read; the commands that bash runs are not given these. */
const limits = ["IKIGAI_TIMEOUT_MS", "IKIGAI_MAX_OUTPUT_BYTES"];

/**
 * The line that makes a call again, for any POSIX shell: the same bytes to the same executable in the same directory. A tool
 * that did not come with ikigai may read any of the protocol's variables, so it gets all of them. What has no path was run
 * somewhere else, and is the words of a command line already. One line, with no character that drives a terminal or hides
 * something.
 */
export function shellLine({ arguments: args, cwd, path, scope, env }: MadeCall, { isWhole = false } = {}): string {
  const variables = Object.entries(env)
    .filter(([name]) => isWhole || scope !== "system" || limits.includes(name))
    .map(([name, value]) => `${name}=${visibleWord(value)} `);
  const tool = isAbsolute(path) ? visibleWord(path) : inVisibleText(path);
  return `cd ${visibleWord(cwd)} && ${print(args)} | ${variables.join("")}${tool}`;
}

/** `echo` makes of a backslash, and of what looks like an option, what it likes; `printf %s` does not. */
function print(text: string): string {
  if (!isVisible(text)) return `printf ${shellWord(format(text))}`;
  return `${/^-|\\/.test(text) ? "printf %s" : "echo"} ${shellWord(text)}`;
}

/** A word that says the same by escapes. */
function visibleWord(text: string): string {
  return isVisible(text) ? shellWord(text) : `"$(printf ${shellWord(format(text))})"`;
}

function inVisibleText(text: string): string {
  return isVisible(text) ? text : visibleWord(text);
}

function isVisible(text: string): boolean {
  return !/[\n\t]/.test(text) && sanitise(text) === text;
}

/** What `printf` prints as this text: its own signs doubled, and what cannot be seen as octal numbers of its bytes. */
function format(text: string): string {
  const parts = [...text].map((character) => {
    if (character === "\\" || character === "%") return character.repeat(2);
    if (isVisible(character)) return character;
    return octal(character);
  });
  // The first word of printf may be an option.
  return parts.join("").replace(/^-/, octal);
}

function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
