import { endOfString } from "./end-of-string.ts";

/**
 * Replaces the values of an object's members with a name, however the name is escaped, and leaves all other text as it is: parsing and
 * printing again would change numbers that JavaScript does not have.
 *
 * @param json a valid JSON text of an object.
 * @param replace returns the new text for an old one.
 */
export function replaceMember(json: string, name: string, replace: (value: string) => string): string {
  const pieces: string[] = [];
  let done = 0;
  let depth = 0;
  let isKey = true;
  let key = "";
  let start = 0;
  const end = (at: number) => {
    if (key === name && !isKey) {
      pieces.push(json.slice(done, start), replace(json.slice(start, at)));
      done = at;
    }
    isKey = true;
  };
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const next = endOfString(json, at);
      if (depth === 1 && isKey) key = JSON.parse(json.slice(at, next));
      at = next - 1;
    } else if (character === ":" && depth === 1 && isKey) {
      isKey = false;
      start = at + 1;
    } else if (character === "," && depth === 1) end(at);
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) end(at);
  }
  return pieces.join("") + json.slice(done);
}
