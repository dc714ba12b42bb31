import type { Question } from "@ikigai/agent/internal";
import { serverOfTool } from "../host/server-of-tool.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";

/** A line of a question: the MCP server that answers the call, if one does. */
export function serverFact(tool: Question["tool"]): string[] {
  const server = serverOfTool(tool);
  return server ? [sanitiseStrictly(sanitiseLine(`server ${server.name}: ${server.target}`))] : [];
}
