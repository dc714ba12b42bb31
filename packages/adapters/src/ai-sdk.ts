// The tools of a registry for the AI SDK, as its `dynamicTool` wants them.

import type { Registry } from "@ikigai/core";
import type { Envelope, JsonObject } from "@ikigai/protocol";
import { type CallOptions, callRunner } from "./run-calls.ts";

export type { CallOptions, ModelCall } from "./run-calls.ts";

/** The two functions of the package `ai` that make a tool; `import * as ai from "ai"` has them. */
export interface AiSdk<Schema, Tool> {
  /** Marks a JSON Schema as the schema of a tool. */
  jsonSchema(schema: JsonObject): Schema;
  /** Makes a tool whose types are not known before it runs. */
  dynamicTool(definition: AiToolDefinition<Schema>): Tool;
}

/** The argument of `dynamicTool`. */
export interface AiToolDefinition<Schema> {
  /** What the tool does, for the model. */
  readonly description: string;
  /** The schema of the arguments, as `jsonSchema` returned it. */
  readonly inputSchema: Schema;
  /** Runs one call and returns its envelope. Never rejects, unless `permit` does. */
  readonly execute: (input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }) => Promise<Envelope>;
  /** `ai` 5 passes the envelope itself, later versions an object with the envelope as `output`. */
  readonly toModelOutput: (end: unknown) => { type: "text" | "error-text"; value: string };
}

/**
 * Returns the tools of a registry by name, for `generateText`, `streamText` and agents of the AI SDK (`ai` 5, 6 and 7, each tested).
 *
 * The program gets the envelope of a call and the model its exact text, as an error if the tool itself failed. The SDK's abort signal
 * ends the call.
 *
 * @throws what `sdk.dynamicTool` or `sdk.jsonSchema` throws. The calls never reject, unless `permit` does.
 */
export function aiTools<Schema, Tool>(
  sdk: AiSdk<Schema, Tool>,
  registry: Registry,
  options: CallOptions = {},
): Record<string, Tool> {
  const run = callRunner(registry, options);
  const texts = new WeakMap<object, string>();
  const tools = registry.tools.map(({ name, schema }) => {
    const tool = sdk.dynamicTool({
      description: schema.description,
      inputSchema: sdk.jsonSchema(schema.parameters),
      async execute(input, { abortSignal }) {
        const { envelope, json } = await run({ name, arguments: JSON.stringify(input ?? {}) }, abortSignal);
        texts.set(envelope, json);
        return envelope;
      },
      toModelOutput(end) {
        const envelope = envelopeIn(end as Envelope | { readonly output: Envelope });
        // An envelope that was stored and read again has lost its text.
        const value = texts.get(envelope) ?? JSON.stringify(envelope);
        return { type: envelope.tool_success ? "text" : "error-text", value };
      },
    });
    return [name, tool] as const;
  });
  return Object.fromEntries(tools);
}

function envelopeIn(end: Envelope | { readonly output: Envelope }): Envelope {
  return "tool_success" in end ? end : end.output;
}
