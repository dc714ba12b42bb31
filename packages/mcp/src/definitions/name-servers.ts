import { createHash } from "node:crypto";

/** As `serverNameProblem` demands. */
const maxLength = 20;
const hashDigits = 6;

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
  const words = text
    .slice(0, maxGivenLength)
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const name = cut((words ?? []).join("-").replace(/^[^a-z]+/, ""), maxLength);
  return name === "" ? fallback : name;
}

function hashed(name: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, hashDigits);
  return `${cut(name, maxLength - hashDigits - 1)}-${hash}`;
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/-$/, "");
}

function repeated(names: readonly string[]): (name: string) => boolean {
  const more = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return (name) => more.has(name);
}
