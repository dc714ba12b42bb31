import { sanitiseLine, sanitiseStrictly } from "../render/sanitise.ts";

/** A Markdown code block. Editors render Markdown, in which a command could hide parts of itself. */
export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Text in a Markdown code span, on one line. */
export function codeSpan(text: string): string {
  const line = sanitiseStrictly(sanitiseLine(text));
  const fence = "`".repeat(longestRun(line) + 1);
  const room = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
