import { createHash } from "node:crypto";
import { toolPrefix } from "./server-name.ts";

/** What needs a name. */
export interface Nameless {
  /** Its real name, of which the hash is made. */
  readonly id: string;
  /** The name that it should get. */
  readonly wanted: string;
}

/** The name of a tool. */
export interface ToolName {
  readonly id: string;
  /** `undefined` if no name is left for it: the server lists it twice. */
  readonly name: string | undefined;
  /** Whether a hash had to be added. */
  readonly isHashed: boolean;
}

/** The longest name that every model provider accepts. */
const maxNameLength = 64;
const hashDigits = 6;

/**
 * Names the tools of a server: `mcp__SERVER__TOOL`, with `_` for everything that a name must not have. A name that would be too long,
 * or that several tools would get, ends in the hash of the real name, whatever their order: a server must not be able to move
 * a name from one of its tools to another by listing them differently. Names differ by more than case, because file names do.
 */
export function nameTools(server: string, tools: readonly Nameless[]): readonly ToolName[] {
  const plain = tools.map(({ wanted }) => toolPrefix(server) + wanted.replace(/[^A-Za-z0-9_]/g, "_"));
  const isShared = repeated(plain);
  const named = tools.map(({ id }, index) => {
    const name = plain[index] ?? "";
    const isHashed = name.length > maxNameLength || isShared(name);
    return { id, name: isHashed ? hashed(name, id) : name, isHashed };
  });
  const isTaken = repeated(named.map(({ name }) => name));
  return named.map((tool) => (isTaken(tool.name) ? { ...tool, name: undefined } : tool));
}

function hashed(name: string, id: string): string {
  const hash = createHash("sha256").update(id).digest("hex").slice(0, hashDigits);
  return `${name.slice(0, maxNameLength - hashDigits - 1)}_${hash}`;
}

/** Returns whether a name occurs more than once, regardless of case. */
function repeated(names: readonly string[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  return (name) => (counts.get(name.toLowerCase()) ?? 0) > 1;
}
