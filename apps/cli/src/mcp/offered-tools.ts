import { namesTool } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import type { Tool } from "@modelcontextprotocol/server";
import { UsageError } from "../args/usage-error.ts";

/** Names of tools, each as in a rule: with a trailing `*`, all that begin so. Absent: all but those of MCP servers. */
export type WantedTools = readonly string[] | undefined;

/** How the names of tools begin that `ikigai mcp add` makes: a client has its own way to their servers. */
const serverPrefix = "mcp__";

/** The tools that a client gets, sorted by name. */
export function offeredTools({ tools }: Registry, wanted: WantedTools): RegisteredTool[] {
  return tools.filter(({ name }) =>
    wanted === undefined ? !name.startsWith(serverPrefix) : wanted.some((tool) => namesTool({ tool }, name)),
  );
}

/**
 * Reads `--tools`.
 *
 * @throws UsageError for an empty list.
 */
export function readToolNames(given: string | undefined): WantedTools {
  if (given === undefined) return undefined;
  const names = given.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw new UsageError(`Expected --tools to be names with commas between them, got ${JSON.stringify(given)}.`);
}

/** @throws UsageError if a name means no tool that is loaded. */
export function requireTools({ tools, failed }: Registry, wanted: readonly string[]): void {
  for (const tool of wanted) {
    if (tools.some(({ name }) => namesTool({ tool }, name))) continue;
    const failure = failed.find(({ name }) => name === tool);
    const why = failure
      ? `--tools: ${tool} is not loaded (${failure.reason})`
      : tool === "agent"
        ? "--tools: agent works only in a conversation of ikigai"
        : `--tools: no tool ${JSON.stringify(tool)}`;
    const known = tools.map(({ name }) => name);
    throw new UsageError(`${why}. Known: ${known.join(", ")}.`, { got: tool, known });
  }
}

/** What a client learns about a tool. */
export function toMcpTool({ name, schema }: RegisteredTool): Tool {
  const { description, title, parameters, outputSchema, annotations } = schema;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: objectSchema(parameters),
    ...(outputSchema && { outputSchema: objectSchema(outputSchema) }),
    ...(annotations && { annotations }),
  };
}

/** A property `true` or `false` is valid in JSON Schema; clients of 2025 refuse a whole list because of it. */
function objectSchema({ properties, ...rest }: JsonObject) {
  const entries = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, schema]): [string, JsonValue] => {
      return [name, typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema];
    },
  );
  return { ...rest, type: "object" as const, properties: Object.fromEntries(entries) };
}
