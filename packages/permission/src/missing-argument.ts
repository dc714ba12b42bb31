import type { RegisteredTool } from "@ikigai/core";
import type { CallFacts } from "./call-facts.ts";
import { isFileAccess } from "./declared-access.ts";

/**
 * Returns the argument without which it is unknown what a call would do: one that the system tool requires, or the command, file
 * or address that its rules are about. No rule must come from such a call: it would be about all calls of the tool.
 */
export function missingArgument({ tool, declared, args }: CallFacts): string | undefined {
  const { access, by } = declared;
  if (by !== "system") return undefined;
  const subject = access?.kind === "run-command" ? access.command : isFileAccess(access) ? access.path : undefined;
  if (subject !== undefined && typeof args[subject] !== "string") return subject;
  const { required } = (tool.system === "unknown" ? undefined : tool.system)?.parameters ?? {};
  return Array.isArray(required)
    ? required.find((name): name is string => typeof name === "string" && !Object.hasOwn(args, name))
    : undefined;
}

/** Whether the tool itself knows a parameter: one that overrides a system tool may have other parameters. */
export function hasParameter({ schema }: Pick<RegisteredTool, "schema">, name: string): boolean {
  const { properties } = schema.parameters;
  return typeof properties === "object" && properties !== null && Object.hasOwn(properties, name);
}
