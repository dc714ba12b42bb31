import type { ListedTool } from "./listed-tool.ts";
import { isWanted, type NameFilter } from "./name-filter.ts";
import { nameTools } from "./name-tools.ts";
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

export interface DefineOptions extends Omit<SchemaTarget, "name"> {
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
