import { resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { RegisteredTool } from "@ikigai/core";
import type { ToolAccess } from "@ikigai/protocol";
import { parseObject } from "../render/json.ts";

const kinds: Readonly<Record<ToolAccess["kind"], ToolKind>> = {
  "run-command": "execute",
  "read-file": "read",
  "write-file": "edit",
  "edit-file": "edit",
  "list-files": "search",
  "search-files": "search",
};

/** The kind of call, which editors show as an icon. What others declare about their own tools does not count. */
export function kindOf(tool: RegisteredTool | undefined): ToolKind {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  return access ? kinds[access.kind] : "other";
}

/** The file that a call of a system tool names, for editors that follow along. */
export function callLocations(tool: RegisteredTool | undefined, text: string, cwd: string): ToolCallLocation[] {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  if (!access || !("path" in access) || kinds[access.kind] === "search") return [];
  const path = parseObject(text)?.[access.path];
  return typeof path === "string" ? [{ path: resolve(cwd, path) }] : [];
}
