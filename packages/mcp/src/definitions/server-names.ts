// The names of servers and their tools: which are allowed, how a server's own become one, and which tools the user wants.

import { createHash } from "node:crypto";

/** The longest name: a tool's name has 64 characters, most of them for the tool itself. */
const maxLength = 20;

const pattern = /^[a-z][a-z0-9-]*$/;

/**
 * Says what is wrong with a server's name; `undefined` if nothing is. Two dashes, or one at the end, would become the `__` that ends
 * the server's part of a tool's name: a rule `mcp__x__*` would then also be one for the server `x--y`.
 */
export function serverNameProblem(name: string): string | undefined {
  const isShort = name.length <= maxLength;
  if (isShort && pattern.test(name) && !name.includes("--") && !name.endsWith("-")) return undefined;
  return `Expected a server name of at most ${maxLength} letters (a to z), digits and single dashes that begins with a letter and does not end in a dash, got ${JSON.stringify(name)}.`;
}

/** The beginning of the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll("-", "_")}__`;
}

/**
 * Makes a server's name of one that another program allows: in lower case, with dashes for other characters, cut at the longest length; with `mcp-` in
 * front if it does not begin with a letter. `undefined` if it has neither letters nor digits.
 */
export function nearServerName(given: string): string | undefined {
  const plain = given
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "");
  if (plain === "") return undefined;
  const whole = /^[a-z]/.test(plain) ? plain : `mcp-${plain}`;
  return whole.slice(0, maxLength).replace(/-$/, "");
}

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

/** Which of a server's tools are used, by their real names; patterns with `*` and `?`. */
export interface NameFilter {
  /** Empty: all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Whether a tool is used. */
export function isWanted(name: string, { include, exclude }: NameFilter): boolean {
  const matches = (pattern: string) => matchesPattern(name, pattern);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** Takes time proportional to the product of both lengths, whatever the pattern. */
function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let star: { readonly pattern: number; text: number } | undefined;
  for (let index = 0; index < text.length; ) {
    if (pattern[at] === "*") star = { pattern: at++, text: index };
    else if (pattern[at] === "?" || pattern[at] === text[index]) {
      at++;
      index++;
    } else if (star) {
      at = star.pattern + 1;
      index = ++star.text;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
