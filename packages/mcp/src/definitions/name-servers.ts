import { createHash } from "node:crypto";
import { nearServerName } from "./server-name.ts";

const hashDigits = 6;

/** How much of a name is left before its hash, in characters: a server name has at most 20. */
const maxStemLength = 13;

/** The name of a server whose given name has no usable character. */
const fallback = "server";

/** How much of a given name counts for the nearest one, in characters. */
const maxGivenLength = 200;

/**
 * Returns a valid server name for each of these texts; `undefined` for one that occurs before. A name that different texts would get
 * ends in a hash of the text, whatever their order: otherwise one server could get the rules of another.
 */
export function nameServers(given: readonly string[]): readonly (string | undefined)[] {
  const plain = new Map(given.map((text) => [text, nearestName(text)]));
  const isShared = repeated([...plain.values()]);
  const names = new Map([...plain].map(([text, name]) => [text, isShared(name) ? hashed(name, text) : name]));
  const taken = new Set<string>();
  return given.map((text) => {
    const name = names.get(text);
    if (name === undefined || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
}

function nearestName(text: string): string {
  return nearServerName(text.slice(0, maxGivenLength)) ?? fallback;
}

function hashed(name: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, hashDigits);
  return `${name.slice(0, maxStemLength).replace(/-$/, "")}-${hash}`;
}

function repeated(names: readonly string[]): (name: string) => boolean {
  const more = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return (name) => more.has(name);
}
