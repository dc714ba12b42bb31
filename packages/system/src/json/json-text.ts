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

/** Returns the offset after the closing quote of the JSON string that starts at `start`. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
