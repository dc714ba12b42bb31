// Asks a provider which models it has. An entry of its own, loaded when it is needed.

import http from "node:http";
import { redact } from "@ikigai/system";
import {
  baseUrlsOf,
  keyHeaders,
  type ModelConfig,
  missingKey,
  noBaseUrl,
  noKeyAdvice,
  ownBaseUrl,
  type ProviderAccess,
  secretsOf,
  serverTitle,
  withheldKey,
} from "./access.ts";
import { ModelError } from "./errors.ts";
import { type Environment, reachJson } from "./http.ts";
import type { ProviderName } from "./providers.ts";
import { toModelError } from "./server-errors.ts";

/** How long a server may take to list its models, in milliseconds. */
const askMs = 5_000;

/**
 * Asks for the whole list: 20 models come unless asked for more, and 50.
 * https://docs.anthropic.com/en/api/models-list, https://ai.google.dev/api/models#method:-models.list
 */
const wholeList: Partial<Record<ProviderName, string>> = { anthropic: "?limit=1000", google: "?pageSize=1000" };

/** Models for other uses than a conversation. */
const otherKinds = /embed|rerank|whisper|tts|audio|realtime|image|dall-e|moderation|transcribe|sora|imagen|veo|aqa/i;

interface ListModelsOptions {
  readonly access: ProviderAccess;
  readonly config: ModelConfig;
  readonly env: Environment;
}

/**
 * The models that a provider lists, by its own names. The cheapest request that needs a key, so it tests one too.
 *
 * @throws ModelError that says what is wrong: the key, the address, the network, or the answer.
 */
export async function listProviderModels(
  provider: ProviderName,
  { access, config, env }: ListModelsOptions,
): Promise<string[]> {
  const { apiKey, baseUrl = ownBaseUrl(provider, env) } = access;
  if (baseUrl === undefined) throw new ModelError("configuration", noBaseUrl(provider, env));
  const secrets = [...secretsOf(config, env), ...(apiKey ? [apiKey] : [])];
  const keyAdvice = apiKey ? "Check the key." : (withheldKey(provider, config, env) ?? noKeyAdvice(provider));
  const [first, second] = baseUrlsOf(provider, baseUrl);
  if (!apiKey && provider !== "openai-compatible") throw missingKey(provider, config, env);
  const title = serverTitle({ provider, baseUrl: first });
  const context = { provider, title, model: "the list of models", keyAdvice, secrets };
  const ask = async (url: string) => {
    const { status, text } = await reachJson(`${url}/models${wholeList[provider] ?? ""}`, {
      headers: keyHeaders(provider, apiKey),
      timeoutMs: askMs,
      env,
    });
    return { url, status, text };
  };
  const answered = await ask(first);
  const { url, status, text } = answered.status === 404 && second ? await ask(second) : answered;
  if (status === 404) throw notAList(url, "has no list of models at this URL (404)", status);
  if (status !== 200) {
    const message = http.STATUS_CODES[status] ?? "";
    throw toModelError({ message, url, statusCode: status, responseBody: text }, context);
  }
  const names = namesIn(text);
  if (names) return names.filter((name) => !otherKinds.test(name)).map((name) => redact(name, secrets));
  throw notAList(url, "answers, but not with a list of models");
}

function notAList(url: string, problem: string, status?: number): ModelError {
  const text = `${new URL(url).host} ${problem}. Some servers have no such list: name the model, untested. With any other, the base URL is wrong.`;
  return new ModelError("not_a_model", text, status === undefined ? {} : { status });
}

/** Google lists `models` with a `name`, the others `data` with an `id`; `undefined` when there is no such list. */
function namesIn(text: string): string[] | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data, models } = (answer ?? {}) as { data?: unknown; models?: unknown };
  const entries = [data, models].find((list): list is unknown[] => Array.isArray(list));
  return entries?.flatMap((entry) => {
    const { id, name } = (entry ?? {}) as { id?: unknown; name?: unknown };
    const found = id ?? name;
    return typeof found === "string" ? [found.replace(/^models\//, "")] : [];
  });
}
