/** Trims JSON white space. `trim` would also remove a byte order mark, which is not white space in JSON. */
export function trimJson(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Puts a JSON text on one line: line breaks and the indentation after them are never part of a value. */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n][ \t\r\n]*/g, "");
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
