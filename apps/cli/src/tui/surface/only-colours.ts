// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const notOurs = /\u001b(?!\[[\d;]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g;

/**
 * A line as it may be drawn: nothing in it but text and colours, whatever way it came. What others say is made visible long
 * before; this is for what was overlooked, and for what libraries make of it.
 */
export function onlyColours(line: string): string {
  return line.replaceAll("\t", "    ").replace(notOurs, "");
}
