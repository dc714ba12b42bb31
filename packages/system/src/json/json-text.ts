/** Without the white space around it. `trim` would take a byte order mark along, which is no white space in JSON. */
export function trimJson(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** On one line, otherwise as it was: in a JSON text a line end is never part of a value, nor is the indentation behind it. */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n][ \t\r\n]*/g, "");
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
