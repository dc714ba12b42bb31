// The tools of a registry for OpenAI's APIs: chat completions, then responses. For each, the tools and the answers to calls.

import type { Registry } from "@ikigai/core";
import { type CallOptions, callRunner } from "./run-calls.ts";

export type { CallOptions, ModelCall } from "./run-calls.ts";

/** A tool of the Chat Completions API. */
export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** The answer to a call of a chat completion. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** A tool of the Responses API. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** The answer to a call of a response. */
export interface ResponsesToolOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** Returns the tools of a registry for `client.chat.completions.create`, in a fixed order. Never throws. */
export function chatTools(registry: Registry): ChatTool[] {
  return registry.tools.map(({ name, schema: { description, parameters } }) => {
    return { type: "function", function: { name, description, parameters: { ...parameters } } };
  });
}

/**
 * Runs the calls of an answer in parallel and returns one message for each, in their order. Skips calls of other types than
 * `function`. Never rejects, unless `permit` does.
 *
 * @param registry the tools that may be called.
 * @param calls the `tool_calls` of the answer's message.
 * @param options limits, directory, environment and permission of the calls; all have defaults.
 */
export async function chatToolMessages(
  registry: Registry,
  calls: readonly { readonly type: string }[] = [],
  options: CallOptions = {},
): Promise<ChatToolMessage[]> {
  const run = callRunner(registry, options);
  return Promise.all(
    calls.filter(isChatCall).map(async ({ id, function: call }) => {
      return { role: "tool" as const, tool_call_id: id, content: (await run(call)).json };
    }),
  );
}

/**
 * Returns the tools of a registry for `client.responses.create`, in a fixed order. Not strict, because strict tools cannot have
 * optional parameters. Never throws.
 */
export function responsesTools(registry: Registry): ResponsesTool[] {
  return registry.tools.map(({ name, schema: { description, parameters } }) => {
    return { type: "function", name, description, parameters: { ...parameters }, strict: false };
  });
}

/**
 * Runs the calls of a response in parallel and returns one item for each, in their order: part of the next input. Skips other
 * items. Never rejects, unless `permit` does.
 *
 * @param registry the tools that may be called.
 * @param output the output of the response.
 * @param options limits, directory, environment and permission of the calls; all have defaults.
 */
export async function responsesToolOutputs(
  registry: Registry,
  output: readonly { readonly type: string }[],
  options: CallOptions = {},
): Promise<ResponsesToolOutput[]> {
  const run = callRunner(registry, options);
  return Promise.all(
    output.filter(isFunctionCall).map(async ({ call_id, name, arguments: args }) => {
      return { type: "function_call_output" as const, call_id, output: (await run({ name, arguments: args })).json };
    }),
  );
}

interface ChatCall {
  readonly type: "function";
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

function isChatCall(call: { readonly type: string }): call is ChatCall {
  return call.type === "function";
}

interface FunctionCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

function isFunctionCall(item: { readonly type: string }): item is FunctionCall {
  return item.type === "function_call";
}
