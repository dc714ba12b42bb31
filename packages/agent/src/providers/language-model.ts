import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { sdkModel } from "./sdk-model.ts";
import { knownServer, profileOf } from "./server-profiles.ts";

/** A language model of the AI SDK 7 (specification v4), for instance `createAnthropic()("claude-opus-4-5")`. */
export interface LanguageModel {
  /** The version of the AI SDK's specification that it implements. */
  readonly specificationVersion: "v4";
  /** The provider's name, for instance `anthropic.messages`. */
  readonly provider: string;
  /** The model's name at the provider. */
  readonly modelId: string;
  /** Starts a request and streams its answer. */
  doStream(options: object): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/**
 * Wraps an AI SDK model. Its ID is `provider/model`, with the first part of the provider's name. The SDK makes the
 * connections, so ikigai's proxy settings and timeouts do not apply.
 *
 * @param secrets strings to remove from errors.
 * @throws ModelError `configuration` for a model of another specification.
 */
export function fromLanguageModel(model: LanguageModel, secrets: readonly string[]): Model {
  const { specificationVersion, provider, modelId } = model;
  if (specificationVersion !== "v4") {
    const version = JSON.stringify(specificationVersion);
    const text = `Expected a language model of the AI SDK 7 (specification "v4"), got ${version}. Update its package.`;
    throw new ModelError("configuration", text);
  }
  const [name = provider] = provider.split(".");
  return sdkModel({
    context: {
      provider: name,
      title: provider,
      model: modelId,
      keyAdvice: "Check the key that the model was created with.",
      secrets,
    },
    server: knownServer(profileOf({ provider: name, model: modelId })),
    routes: () => [model as LanguageModelV4],
  });
}
