import { IkigaiError } from "@ikigai/core/ikigai-error";
import type { CommandErrorCode } from "../host/exit-codes.ts";
import type { Agent } from "../host/open-agent.ts";
import { printError } from "../host/stdout.ts";
import { sanitiseLine } from "../render/sanitise.ts";

/** Why MCP servers of a task cannot be used: the task may need them, so it does not begin. */
type ServersErrorCode = Extract<CommandErrorCode, "servers_unreadable" | "servers_not_started">;

/** @throws IkigaiError if there are problems, one sentence each. */
export function refuseServers(code: ServersErrorCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new IkigaiError<CommandErrorCode>(code, problems.map(sanitiseLine).join("\n"));
}

/**
 * Waits until the MCP servers of the task have said what they have, and their tools are loaded.
 *
 * @throws IkigaiError `servers_not_started` if one of them cannot be used.
 */
export async function requireServers({ servers, toolbox }: Agent): Promise<void> {
  if (!servers) return;
  await servers.untilLoaded();
  refuseServers("servers_not_started", servers.problems);
  for (const line of servers.takeNews()) printError(`${sanitiseLine(line)}\n`);
  await toolbox.current();
}
