// A model behind a package of the AI SDK: one request after another, over the endpoints that a server may have, with what its errors
// teach. Then a model that the caller has made with the SDK, and the four wire formats: only the package of the one in use is loaded.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { findCause, inSentence, ModelError } from "./errors.ts";
import { anthropicEvents, chatEvents, chatFacts, skipUnknown } from "./event-stream.ts";
import type { LanguageModel, Model, ModelEvent, ModelRequest } from "./model.ts";
import type { ApiName } from "./providers.ts";
import { type ServerContext, toModelError } from "./server-errors.ts";
import { type KnownServer, knownServer, profileOf } from "./server-profiles.ts";
import { toModelEvents, withoutTags } from "./to-model-events.ts";
import { promptWriter, wellFormed, wellFormedOnce } from "./to-prompt.ts";

interface SdkModelOptions {
  readonly context: ServerContext;
  readonly server: KnownServer;
  /**
   * Creates the endpoints to try, the most likely first: a server may support only one of a provider's APIs. They serve one
   * request at a time; `onSkip` receives the kinds of events skipped in its response.
   */
  readonly routes: (onSkip: (kind: string) => void) => readonly LanguageModelV4[];
  /** Additional options for one provider. */
  readonly extra?: (request: ModelRequest) => Partial<LanguageModelV4CallOptions>;
  /** Additional tool options for the provider. */
  readonly toolExtra?: { readonly strict?: boolean };
}

/** How many kinds of unknown events are counted separately. */
const maxSkippedKinds = 20;

/** A model behind an AI SDK provider. The SDK's own retries are off. */
export function sdkModel({ context, server, routes, extra, toolExtra }: SdkModelOptions): Model {
  // The endpoint that last worked. Concurrent requests only read it.
  let working = 0;
  const idle: Endpoints[] = [];
  const id = `${context.provider}/${context.model}`;
  const promptWithFiles = promptWriter({ server, model: id, takesFiles: true });
  const promptWithoutFiles = promptWriter({ server, model: id });
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { abortSignal, ...said } = toCallOptions(request, toolExtra);
    const optionsFor = ({ provider }: LanguageModelV4) => {
      const toPrompt = takesFiles(provider) ? promptWithFiles : promptWithoutFiles;
      return { ...said, prompt: toPrompt(request), ...wellFormed(extra?.(request)), abortSignal };
    };
    const endpoints = idle.pop() ?? createEndpoints(routes);
    const skipped = new Map<string, number>();
    endpoints.skipped = skipped;
    const { ways } = endpoints;
    const start = working;
    let first: ModelError | undefined;
    try {
      for (let tried = 0; ; tried++) {
        const route = (start + tried) % ways.length;
        const languageModel = ways[route];
        if (!languageModel || tried === ways.length) {
          throw first ?? new ModelError("configuration", `No base URL for ${inSentence(context.title)}.`);
        }
        const options = optionsFor(languageModel);
        try {
          const events = toModelEvents(partsOf((await languageModel.doStream(options)).stream));
          for await (const event of server.profile.hasTags ? withoutTags(events) : events) {
            working = route;
            if (event.type === "finish" && skipped.size > 0)
              yield { type: "skipped", kinds: Object.fromEntries(skipped) };
            yield event;
          }
          return;
        } catch (error) {
          if (request.signal.aborted) throw error;
          const failure = toModelError(
            error,
            context,
            request.tools.map(({ name }) => name),
          );
          if ((failure.status === 400 || failure.status === 422) && server.learn(failure.message)) {
            tried--;
            continue;
          }
          if (failure.status !== 404 && failure.status !== 405 && !isOtherApi(error)) throw failure;
          first ??= failure;
        }
      }
    } finally {
      idle.push(endpoints);
    }
  }
  return { id, stream };
}

/** The endpoints of one request at a time. Used again: creating one takes more than a millisecond. */
interface Endpoints {
  readonly ways: readonly LanguageModelV4[];
  /** How often each kind of event was skipped in the current request. */
  skipped: Map<string, number>;
}

function createEndpoints(routes: SdkModelOptions["routes"]): Endpoints {
  const ways = routes((kind) => {
    const { skipped } = endpoints;
    const key = skipped.has(kind) || skipped.size < maxSkippedKinds ? kind : "others";
    skipped.set(key, (skipped.get(key) ?? 0) + 1);
  });
  const endpoints: Endpoints = { ways, skipped: new Map() };
  return endpoints;
}

/** Whether a provider's API has images and documents in tool results. The chat API of OpenAI has not; its package would send them as text. */
function takesFiles(provider: string): boolean {
  return /^(?:anthropic|google)\.|\.responses$/.test(provider);
}

/** Whether the server responded in the format of OpenAI's chat API, the next endpoint. */
function isOtherApi(error: unknown): boolean {
  const isChatChunk = (value: unknown): value is object =>
    (value as { data?: { object?: unknown } }).data?.object === "chat.completion.chunk";
  return findCause(error, isChatChunk) !== undefined;
}

function toCallOptions(request: ModelRequest, toolExtra: object = {}) {
  const tools = request.tools.map(wellFormedOnce).map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: parameters,
    ...toolExtra,
  }));
  return {
    ...(tools.length > 0 && { tools, toolChoice: { type: "auto" as const } }),
    ...(request.thinking && { reasoning: request.thinking }),
    abortSignal: request.signal,
  };
}

/** Reads a stream; after the last event, drains it so that the connection can be reused. */
async function* partsOf(stream: ReadableStream<LanguageModelV4StreamPart>): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  let finished = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      finished = value.type === "finish";
      yield value;
    }
  } finally {
    if (finished) void drain(reader);
    else reader.cancel().catch(() => {});
  }
}

/** How long a stream may continue after its finish event, in milliseconds. */
const drainMs = 1_000;

async function drain(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), drainMs);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // Nothing after the finish event matters.
  } finally {
    clearTimeout(timer);
  }
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

/** What a provider's module needs to create a model. */
export interface ProviderSettings {
  readonly context: ServerContext;
  readonly server: KnownServer;
  readonly apiKey: string | undefined;
  /** The URLs to try, with their version path. */
  readonly baseUrls: readonly [string, ...string[]];
  readonly fetch: typeof fetch;
}

/**
 * Maximum size of a response, in tokens. The SDK lowers it for models with a smaller limit; for models it does not know it
 * would request 4,096, too few for a file.
 */
const maxOutputTokens = 32_000;

async function anthropicModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return sdkModel({
    context,
    server,
    routes: (onSkip) => [
      createAnthropic({
        apiKey,
        baseURL,
        fetch: skipUnknown(fetch, anthropicEvents, { title: context.title, onSkip }),
      })(context.model),
    ],
    // Bedrock and gateways reject its field, `eager_input_streaming`.
    extra: () => ({
      maxOutputTokens,
      ...(!server.profile.isOwn && { providerOptions: { anthropic: { toolStreaming: false } } }),
    }),
  });
}

/** Uses the Responses API; on servers without it, the older chat API. */
async function openaiModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI({ apiKey, baseURL, fetch });
  const responses = provider.responses(context.model);
  const routes = server.profile.isOwn ? [responses] : [responses, provider.chat(context.model)];
  return sdkModel({
    context,
    server,
    routes: () => routes,
    // The provider stores nothing: a session must keep working after the provider's copy is gone.
    extra: ({ sessionId }) => ({ providerOptions: { openai: { store: false, promptCacheKey: sessionId } } }),
    // Otherwise all parameters of a tool are required.
    toolExtra: { strict: false },
  });
}

async function googleModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createGoogle } = await import("@ai-sdk/google");
  const provider = createGoogle({ apiKey, baseURL, fetch });
  return sdkModel({ context, server, routes: () => [provider(context.model)] });
}

/** Marks the whole conversation for the cache. */
const cached = { providerOptions: { openaiCompatible: { cache_control: { type: "ephemeral" } } } };

/** Any server with OpenAI's chat API: Ollama, llama.cpp, vLLM, and many paid services. */
async function openaiCompatibleModel({ context, server, apiKey, baseUrls, fetch }: ProviderSettings): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const transformRequestBody = (body: Record<string, unknown>) => {
    const rejected: readonly string[] = server.profile.rejects;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !rejected.includes(name)));
  };
  return sdkModel({
    context,
    server,
    routes: (onSkip) => {
      const known = skipUnknown(fetch, chatEvents, { title: context.title, onSkip });
      return baseUrls.map((baseURL) => {
        const metadataExtractor = { extractMetadata: async () => undefined, createStreamExtractor: chatFacts };
        const more = { includeUsage: true, metadataExtractor, transformRequestBody };
        const options = { name: "openai-compatible", baseURL, fetch: known, ...more };
        return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
      });
    },
    extra: () => (server.profile.cachesOnRequest ? cached : {}),
  });
}

/** The model of each wire format. Its package is loaded here, the only place where one is. */
export const formats: Readonly<Record<ApiName, (settings: ProviderSettings) => Promise<Model>>> = {
  anthropic: anthropicModel,
  openai: openaiModel,
  google: googleModel,
  "openai-compatible": openaiCompatibleModel,
};
