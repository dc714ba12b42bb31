import { endOfString } from "./end-of-string.ts";

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
