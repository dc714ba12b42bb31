// What a call leaves in the conversation besides its result: what is needed to repeat it, and the tools that it introduces.

import { findTool, type Outcome, type Registry } from "@ikigai/core";
import { type prepareCall, takesCatalog } from "@ikigai/core/internal";
import { hashTool } from "@ikigai/core/trust";
import { textStart } from "@ikigai/protocol";
import type { Conversation, SessionEvent, ToolStart } from "@ikigai/session";

/** Returns what is needed to repeat a call. */
export async function callStart({ tool, options, variables }: ReturnType<typeof prepareCall>): Promise<ToolStart> {
  const { path, scope, launcher } = tool;
  const { cwd, sandbox } = options;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd,
    ...(sha256 !== undefined && { sha256 }),
    // A tool with a launcher runs elsewhere, without this sandbox.
    ...(sandbox && !launcher && { sandbox: { network: sandbox.network } }),
    ...(launcher && { launched: true }),
    env: variables,
  };
}

/** How many tools an answer introduces. */
const maxNames = 128;

/** How many names that no tool has a notice shows, and how much of each, in characters: they may be any text. */
const maxToldNames = 10;
const maxToldLength = 64;

/** Where the result of a call goes. */
interface IntroductionPlace {
  readonly conversation: Conversation;
  readonly registry: Registry;
  readonly record: (event: SessionEvent) => void;
}

/**
 * Introduces the tools that an answer names, if its tool may do so: their schemas are part of the requests from now on.
 *
 * @returns the names that no tool has.
 */
export function introduceTools(
  { conversation, registry, record }: IntroductionPlace,
  caller: string,
  { envelope }: Pick<Outcome, "envelope">,
): readonly string[] {
  const tool = findTool(registry, caller);
  if (!tool || !takesCatalog(tool) || !envelope.tool_success || !Array.isArray(envelope.result.introduces)) return [];
  const named = [...new Set(envelope.result.introduces)].filter((name) => typeof name === "string").slice(0, maxNames);
  const known = new Set(registry.tools.map(({ name }) => name));
  const names = named.filter((name) => known.has(name) && !conversation.introduced.includes(name));
  if (names.length > 0) {
    record({ type: "introduced", names });
    conversation.introduced.push(...names);
  }
  return named.filter((name) => !known.has(name));
}

/** Tells the user about names that no tool has. */
export function unknownToolsText(caller: string, unknown: readonly string[]): string {
  const names = unknown.slice(0, maxToldNames).map((name) => JSON.stringify(textStart(name, maxToldLength)));
  const more = unknown.length > maxToldNames ? ` and ${unknown.length - maxToldNames} more` : "";
  return `${caller} named tools that do not exist: ${names.join(", ")}${more}.`;
}
