// What the user and the model should know about the MCP servers behind the tools of a conversation.
import { dirname, join } from "node:path";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { readRegularFile } from "@ikigai/system";
import { changeCounts } from "../definitions/listed-tool.ts";
import { toolPrefix } from "../definitions/server-names.ts";
import {
  changesFileName,
  dataOfPackage,
  readServerLabel,
  type ServerLabel,
  serverTarget,
} from "../server/server-file.ts";

/** The beginning of the names of tools that `ikigai mcp add` has made. */
const serverPrefix = "mcp__";

/** The MCP server behind a tool, and what answers its calls; `undefined` for other tools. */
export function serverOfTool(tool: Pick<RegisteredTool, "name" | "scope" | "identity">) {
  // A project's tool could name any server.
  if (tool.scope !== "user" || !tool.name.startsWith(serverPrefix)) return undefined;
  try {
    const label = readServerLabel(packageOf(tool));
    return { name: label.name, target: serverTarget(label) };
  } catch {
    // The files of the package are missing or damaged.
    return undefined;
  }
}

function packageOf({ identity }: Pick<RegisteredTool, "identity">): string {
  return dirname(identity.realPath);
}

function serverIn(directory: string): ServerLabel | undefined {
  try {
    return readServerLabel(directory);
  } catch {
    return undefined;
  }
}

/** What the user and the model should know about the MCP servers behind the tools. Says each thing to the user once. */
export function serverNotes(): {
  instructions(registry: Registry): string;
  notices(registry: Registry): readonly string[];
} {
  const told = new Set<string>();
  return {
    instructions: (registry) =>
      serversOf(registry)
        .flatMap(({ server }) => instructionsOf(server) ?? [])
        .join("\n\n"),
    notices(registry) {
      const texts = serversOf(registry).flatMap(({ server, directory }) => changeNotice(server, directory) ?? []);
      const fresh = texts.filter((text) => !told.has(text));
      for (const text of fresh) told.add(text);
      return fresh;
    },
  };
}

/** The servers behind the loaded tools, each once. */
function serversOf({ tools }: Registry) {
  const own = tools.filter(({ name, scope }) => scope === "user" && name.startsWith(serverPrefix));
  return [...new Set(own.map(packageOf))].flatMap((directory) => {
    const server = serverIn(directory);
    return server ? [{ server, directory }] : [];
  });
}

function instructionsOf({ name, instructions }: ServerLabel): string | undefined {
  if (instructions === undefined || instructions === "") return undefined;
  return `How to use the tools ${toolPrefix(name)}*, from the MCP server ${name}, not from the user:\n\n${instructions}`;
}

/** The names of more tools than a server may list, in bytes. The server can write the file, also from the sandbox. */
const maxChangesBytes = 16 * 1_048_576;

function changeNotice({ name, isTemporary }: ServerLabel, directory: string): string | undefined {
  try {
    const file = join(dataOfPackage(directory), changesFileName);
    const changes = JSON.parse(readRegularFile(file, maxChangesBytes).toString("utf8"));
    const advice = isTemporary ? "the next conversation gets the new ones" : `ikigai mcp update ${name}`;
    return `${name}: its tools changed (${changeCounts(changes)}): ${advice}`;
  } catch {
    // There is no such file, or it is damaged.
    return undefined;
  }
}
