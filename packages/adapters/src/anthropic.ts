// Tools and results for Anthropic's Messages API.

import type { Registry } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import { type CallOptions, callRunner } from "./run-calls.ts";

export type { CallOptions, ModelCall } from "./run-calls.ts";

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/** The answer to a `tool_use` block. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

/** Returns the tools of a registry for `client.messages.create`, in a fixed order. Never throws. */
export function anthropicTools(registry: Registry): AnthropicTool[] {
  return registry.tools.map(({ name, schema: { description, parameters } }) => {
    return { name, description, input_schema: { ...parameters, type: "object" } };
  });
}

/**
 * Runs the calls of an answer in parallel and returns one result for each, in their order: the content of the next user message.
 * Skips other blocks. Never rejects, unless `permit` does.
 *
 * @param registry the tools that may be called.
 * @param content the content of the answer.
 * @param options limits, directory, environment and permission of the calls; all have defaults.
 */
export async function anthropicToolResults(
  registry: Registry,
  content: readonly { readonly type: string }[],
  options: CallOptions = {},
): Promise<AnthropicToolResult[]> {
  const run = callRunner(registry, options);
  return Promise.all(
    content.filter(isToolUse).map(async ({ id, name, input }) => {
      const { envelope, json } = await run({ name, arguments: JSON.stringify(input ?? {}) });
      return { type: "tool_result" as const, tool_use_id: id, content: json, is_error: !envelope.tool_success };
    }),
  );
}

interface ToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input?: JsonObject;
}

function isToolUse(block: { readonly type: string }): block is ToolUse {
  return block.type === "tool_use";
}
