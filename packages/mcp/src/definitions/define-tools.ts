import { createHash } from "node:crypto";
import type { ListedTool } from "./listed-tool.ts";
import { isWanted, type NameFilter, toolPrefix } from "./server-names.ts";
import { resourceTool, type SchemaTarget, toolSchemaLine } from "./tool-schema-line.ts";

/** A tool of a server, ready to become a wrapper. */
export interface DefinedTool {
  /** As the model calls it. */
  readonly name: string;
  /** As the server lists it; the tool for resources is not the server's. */
  readonly listed: ListedTool;
  readonly isResource: boolean;
  /** What its wrapper prints for `--schema`. */
  readonly line: string;
  /** Whether the definition had to be shortened. */
  readonly isShortened: boolean;
  /** Whether its name ends in a hash. */
  readonly isHashed: boolean;
}

/** A tool that cannot be used. */
export interface LeftOutTool {
  readonly name: string;
  /** The end of a sentence. */
  readonly reason: string;
}

export interface Definitions {
  readonly tools: readonly DefinedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

interface DefineOptions extends Omit<SchemaTarget, "name"> {
  readonly filter: NameFilter;
  readonly hasResources: boolean;
}

/** The most tools of a server. */
export const maxTools = 200;

/** The id of the tool for resources: no tool of a server has its method's name. */
const resourceId = "resources/read";

/** Names the tools that a server lists, and writes their schemas. Names do not depend on the filter. */
export function defineTools(listed: readonly ListedTool[], options: DefineOptions): Definitions {
  const { server, filter, hasResources } = options;
  const all = [
    ...listed.map((tool) => ({ tool, id: tool.name, wanted: tool.name, isResource: false })),
    ...(hasResources ? [{ tool: resourceTool, id: resourceId, wanted: resourceTool.name, isResource: true }] : []),
  ];
  const names = nameTools(server, all);
  const tools: DefinedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  for (const [index, { tool, isResource }] of all.entries()) {
    if (!isWanted(tool.name, filter)) continue;
    const { name, isHashed = false } = names[index] ?? {};
    const schema = name === undefined ? twice : toolSchemaLine(tool, { ...options, name });
    if (name === undefined || "problem" in schema) {
      leftOut.push({ name: tool.name, reason: "problem" in schema ? schema.problem : "" });
    } else tools.push({ name, listed: tool, isResource, isHashed, ...schema });
  }
  return { tools, leftOut };
}

const twice = { problem: "the server lists two tools with this name" };

/** What needs a name. */
interface Nameless {
  /** Its real name, of which the hash is made. */
  readonly id: string;
  /** The name that it should get. */
  readonly wanted: string;
}

/** The name of a tool. */
interface ToolName {
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
