/** Counts lines. A last line without a newline counts. */
export function countLines(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; lines++) index = text.indexOf("\n", index) + 1 || text.length;
  return lines;
}

/** Returns `count` lines with their newlines, from the line `from` on, which counts from 1. */
export function selectLines(text: string, from: number, count: number): string {
  const start = passLines(text, 0, from - 1);
  return text.slice(start, passLines(text, start, count));
}

/** Where the text continues after `count` lines. */
function passLines(text: string, start: number, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return text.length;
  let index = start;
  for (let left = count; left > 0 && index < text.length; left--) index = text.indexOf("\n", index) + 1 || text.length;
  return index;
}
