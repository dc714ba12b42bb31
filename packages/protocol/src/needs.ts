// What a tool needs besides the project: `ikigai.needs` of its schema. In a sandbox it gets this and nothing else, once the user has
// agreed. Unlike the rest of `ikigai`, needs that cannot be read make the schema unusable: the user must not agree to half of them.

import { isJsonObject, type JsonValue, kindOf } from "./json.ts";

/** What a tool needs besides the project. */
export interface ToolNeeds {
  /** Hosts that it connects to: `HOST` or `*.HOST`, ports 80 and 443, or `HOST:PORT`. */
  readonly hosts?: readonly string[];
  /** Files and directories that it reads: absolute, or from the home (`~/`). */
  readonly read?: readonly string[];
  /** The same for those that it changes. */
  readonly write?: readonly string[];
  /** Names of environment variables, also those with a model provider's key. */
  readonly env?: readonly string[];
}

/** The most entries of a list: more than a person reads before they agree. */
export const maxNeeds = 32;

/** The longest entry, in characters: that of a name in the DNS. */
const maxNeedLength = 253;

const hostName =
  /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?::([1-9]\d{0,4}))?$/i;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with an entry: the end of a sentence, `undefined` if it is fine. */
type Check = (entry: string) => string | undefined;

const checks: Readonly<Record<keyof ToolNeeds, Check>> = {
  hosts: hostProblem,
  read: pathProblem,
  write: pathProblem,
  env: (name) => (variableName.test(name) ? undefined : "is not the name of a variable; write it without a value"),
};

/** What is wrong with an entry of a list, and what to write instead: the end of a sentence. `undefined` if it is fine. Never throws. */
export function needProblem(list: keyof ToolNeeds, entry: string): string | undefined {
  if (entry.length > maxNeedLength) return `has more than ${maxNeedLength} characters`;
  return checks[list](entry);
}

/** Reads `ikigai.needs` of a schema, or says what is wrong with it and what to write instead. Never throws. */
export function readToolNeeds(declared: JsonValue): { readonly needs: ToolNeeds } | { readonly problem: string } {
  if (!isJsonObject(declared)) return { problem: `"ikigai.needs": expected an object, got ${kindOf(declared)}` };
  for (const [key, list] of Object.entries(declared)) {
    const at = `"ikigai.needs.${key}"`;
    if (!Object.hasOwn(checks, key))
      return { problem: `${at} is unknown; it has the lists ${Object.keys(checks).join(", ")}` };
    if (!Array.isArray(list) || !list.every((entry) => typeof entry === "string"))
      return { problem: `${at}: expected a list of strings, got ${JSON.stringify(list).slice(0, 60)}` };
    if (list.length > maxNeeds)
      return { problem: `${at}: has ${list.length} entries, at most ${maxNeeds} are allowed` };
    for (const entry of list) {
      const problem = needProblem(key as keyof ToolNeeds, entry);
      if (problem !== undefined) return { problem: `${at}: ${JSON.stringify(entry.slice(0, 60))} ${problem}` };
    }
  }
  const lists = Object.entries(declared as Record<string, string[]>).filter(([, list]) => list.length > 0);
  return { needs: Object.fromEntries(lists) };
}

/** The network of this computer is the user's: only a rule of theirs opens a port of it. */
function hostProblem(host: string): string | undefined {
  if (host === "*") return 'is every host; name the hosts, "api.example.com" or "*.example.com"';
  const [, port = "1"] = hostName.exec(host) ?? [];
  if (!hostName.test(host) || Number(port) > 65_535)
    return 'is not a host; write "api.example.com", "*.example.com" or "api.example.com:8443", without https:// and a path';
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost") || /^[\d.]+$/.test(name))
    return "is an address, or this computer; name a host, and ask the user for a rule host(…) otherwise";
  return undefined;
}

function pathProblem(path: string): string | undefined {
  if (!/^(?:~\/|\/)/.test(path)) return 'is not absolute; begin it with "/" or "~/"';
  if (/\p{C}/u.test(path)) return "has invisible characters";
  if (/[*?[\]{}$]/.test(path)) return "has a wildcard or a variable, which is not expanded; name the file or directory";
  const parts = path.split("/").filter((part) => part !== "" && part !== "~");
  if (parts.some((part) => part === "." || part === "..")) return 'has "." or ".."; write the path without';
  if (parts.length === 0 || /^\/(?:home|Users|root)(?:\/[^/]*)?\/?$/.test(path))
    return "is everything; name the files or directories in it";
  if (/^~\/\.ikigai(?:\/|$)/.test(path)) return "is ikigai's own; a tool keeps its data in IKIGAI_DATA_DIR";
  return undefined;
}
