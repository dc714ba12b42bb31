/** What stands at the end of a string that was cut because an answer was too long. */
export function cutNote(path: string, leftOutBytes: number): string {
  return `\n… ${leftOutBytes} bytes left out; the whole answer is in ${path}`;
}

const pattern = /\n… \d+ bytes left out; the whole answer is in .*$/;

/** A string of an answer without its note; `undefined` when it was not cut. */
export function withoutCutNote(text: string): string | undefined {
  return pattern.test(text) ? text.replace(pattern, "") : undefined;
}
