// biome-ignore lint/suspicious/noControlCharactersInRegex: how programs set off text, and erase what they overwrite
const looks = /\u001b\[[\d;:]*[mK]/g;

/** What a program printed, without its colours. What else drives a terminal stays, and is made visible by `sanitise`. */
export function withoutLooks(printed: string): string {
  return printed.replace(looks, "");
}

/** The same of a line that may have been overwritten, as progress is: what it was in the end. */
export function asOnTerminal(line: string): string {
  const end = line.replace(/\r+$/, "");
  return withoutLooks(end.slice(end.lastIndexOf("\r") + 1));
}
