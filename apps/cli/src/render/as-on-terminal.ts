import { withoutEnd } from "@ikigai/system";

// biome-ignore lint/suspicious/noControlCharactersInRegex: how programs style text and erase lines
const looks = /\u001b\[[\d;:]*[mK]/g;

/** Removes a program's styles and line erasures. Other control sequences stay, for `sanitise` to make visible. */
export function withoutLooks(printed: string): string {
  return printed.replace(looks, "");
}

/** As `withoutLooks`, for the last state of a line that was overwritten, as progress is. */
export function asOnTerminal(line: string): string {
  return withoutLooks(lastState(line));
}

/** The last state of a line that was overwritten, with its styles. */
export function lastState(line: string): string {
  const end = withoutEnd(line, "\r");
  return end.slice(end.lastIndexOf("\r") + 1);
}

/** All states of a line that was overwritten: what a terminal hides, the model has read. */
export function statesOf(line: string): string[] {
  return withoutEnd(line, "\r").split(/\r+/);
}
