import { endOfString } from "./end-of-string.ts";

/** Removes the white space between the values of a valid JSON text. All else stays, such as escapes and duplicate names. */
export function compactJson(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start);
    pieces.push(json.slice(done, start).replace(/\s+/g, ""), json.slice(start, end));
    done = end;
  }
  return pieces.join("") + json.slice(done).replace(/\s+/g, "");
}
