import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, type ToolNeeds } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";
import { type ListedTool, readListedTool } from "../definitions/listed-tool.ts";
import type { NameFilter } from "../definitions/name-filter.ts";
import { readServerEntry, type ServerEntry } from "./server-entry.ts";
import { serverFileName } from "./server-label.ts";

/** The protocol that a server speaks: `legacy` up to 2025-11-25, `modern` since 2026-07-28. */
export type Era = "legacy" | "modern";

/** What a server said about itself when it was added. */
export interface ServerFacts {
  readonly era: Era;
  /** The version of MCP. */
  readonly protocolVersion: string;
  /** The answer of a modern server to `server/discover`, which need not be asked for again. */
  readonly discover?: JsonObject;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /** Whether it asks for the project's directory after the start, and has to have it before a call. */
  readonly asksForRoots: boolean;
  readonly hasResources: boolean;
}

/** A server that was added: `server.json` of its package. */
export interface ServerFile extends ServerFacts {
  readonly name: string;
  /** Without secrets. */
  readonly entry: ServerEntry;
  readonly filter: NameFilter;
  /** What the server needs in the sandbox besides the variables of its entry. */
  readonly needs?: ToolNeeds;
  /** The npm package that its program came from, as the user named it; the first of the entry's arguments is in the package. */
  readonly npm?: string;
  /** Set for a server of one conversation. */
  readonly isTemporary?: true;
  /** Set if `${VAR}` in the values of the entry is text like any other: an editor has filled them in. */
  readonly isLiteral?: true;
  /** When its tools were listed, in ISO 8601. */
  readonly listedAt: string;
}

/** A tool of an added server: an element of `tools.json` of its package. */
export interface AddedTool {
  /** As the model calls it. */
  readonly tool: string;
  readonly isResource: boolean;
  readonly definition: ListedTool;
}

export interface ToolsFile {
  readonly tools: readonly AddedTool[];
  /** By the server's names: why they are not tools. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** The size of the definitions. */
  readonly bytes: number;
}

/** A server's package. */
export interface ServerPackage {
  readonly path: string;
  readonly server: ServerFile;
  readonly tools: ToolsFile;
}

export const toolsFileName = "tools.json";

/** The name of a server's package, and of its data directory. */
export function packageName(server: string): string {
  return `mcp-${server}`;
}

/**
 * Reads a server's package.
 *
 * @throws the system's error, or a SyntaxError or TypeError, if a file is missing or damaged.
 */
export function readServerPackage(path: string): ServerPackage {
  const { tools = [], leftOut = {}, bytes = 0 } = readObject(join(path, toolsFileName));
  const { entry, ...facts } = readObject(join(path, serverFileName));
  const read = readServerEntry(entry, { allowsSecrets: true });
  if ("problem" in read) throw new TypeError(read.problem);
  return {
    path,
    // ikigai has written the file, and its hash is recorded.
    server: { ...(facts as unknown as Omit<ServerFile, "entry">), entry: read },
    tools: {
      tools: Array.isArray(tools) ? tools.flatMap(readAddedTool) : [],
      leftOut: textsIn(leftOut),
      bytes: Number(bytes),
    },
  };
}

function readAddedTool(value: JsonValue): AddedTool[] {
  if (!isJsonObject(value) || typeof value.tool !== "string") return [];
  const definition = readListedTool(value.definition);
  return definition ? [{ tool: value.tool, isResource: value.isResource === true, definition }] : [];
}

function textsIn(value: JsonValue): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

function readObject(path: string): JsonObject {
  const value: unknown = JSON.parse(readRegularFile(path).toString("utf8"));
  if (isJsonObject(value)) return value;
  throw new TypeError(`Expected ${path} to hold a JSON object.`);
}
