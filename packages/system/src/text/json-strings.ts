/** Returns the offset after the closing quote of the JSON string that starts at `start`. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

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

/**
 * Returns the first name that an object in a valid JSON text has twice: a parsed value keeps only the last one. `undefined` if there
 * are only different ones.
 *
 * @param levels in how many levels of objects and arrays to look; 1 is the outermost object
 */
export function duplicateName(json: string, levels = Number.POSITIVE_INFINITY): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const end = endOfString(json, at);
      last = json.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":" && open.length <= levels) {
      const name = JSON.parse(last) as string;
      const seen = open.pop() ?? new Set();
      open.push(seen);
      if (seen.has(name)) return name;
      seen.add(name);
    }
  }
  return undefined;
}

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
