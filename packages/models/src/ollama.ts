// The user's Ollama: where it is (`OLLAMA_HOST`), whether it runs, and which of its models suits an agent. It speaks OpenAI's chat API, so
// a request to one of its models is one to a compatible server; only what is here is its own. access.ts, which every command loads, does
// without it.

import { withoutEnd, withoutPassword } from "@ikigai/system";
import { configName, type ProviderAccess } from "./access.ts";
import { ModelError } from "./errors.ts";
import { type Environment, getJson } from "./http.ts";

const usualHost = "127.0.0.1:11434";

/** Returns what is wrong with `OLLAMA_HOST`, which is then ignored; `undefined` if nothing is. */
export function ollamaHostProblem(env: Environment): string | undefined {
  const text = env.OLLAMA_HOST?.trim() || usualHost;
  const url = withScheme(text);
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return undefined;
  return `Expected OLLAMA_HOST to be like ${usualHost}, got ${JSON.stringify(withoutPassword(text))}. It is ignored.`;
}

function withScheme(text: string): string {
  return text.includes("://") ? text : `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`;
}

/** Returns Ollama's URL: `OLLAMA_HOST`, in the forms that Ollama itself accepts. */
export function ollamaUrl(env: Environment): string {
  if (ollamaHostProblem(env) !== undefined) return `http://${usualHost}`;
  const text = env.OLLAMA_HOST?.trim() || usualHost;
  const full = withScheme(text);
  const url = new URL(full);
  const hasPort = /:\d+\/?$/.test(full);
  if (!hasPort && url.protocol === "http:" && !text.includes("://")) url.port = "11434";
  // A server that listens on all addresses is reached on this one.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return withoutEnd(url.href, "/");
}

/** Returns how to reach Ollama: without the key of the configured compatible server. */
export function ollamaAccess(env: Environment): ProviderAccess {
  return { apiKey: undefined, baseUrl: ollamaUrl(env) };
}

/**
 * How long Ollama may take to list its models, in milliseconds. The first prompt waits for this only if a server is
 * listening; otherwise the connection is refused immediately. A busy machine needs more than a few hundred.
 */
const probeMs = 2_000;

/** How long it may take to describe one model, in milliseconds. */
const describeMs = 1_000;

/** How many models are checked before one is used unchecked. */
const maxDescribed = 5;

/** An entry of the list, as far as it is used; a server can send anything. */
interface ListedModel {
  readonly name?: unknown;
  readonly details?: { readonly family?: unknown } | null;
}

/** Returns whether Ollama responds. */
async function isOllamaRunning(env: Environment): Promise<boolean> {
  return (await getJson(`${ollamaUrl(env)}/api/tags`, { timeoutMs: probeMs, env })) !== undefined;
}

/** Lists the chat models of a running Ollama; `undefined` if it is not running. */
export async function listOllamaModels(env: Environment): Promise<string[] | undefined> {
  const list = (await getJson(`${ollamaUrl(env)}/api/tags`, { timeoutMs: probeMs, env })) as
    | { models?: (ListedModel | null)[] }
    | null
    | undefined;
  if (!Array.isArray(list?.models)) return undefined;
  return list.models.flatMap((model) => chatModel(model) ?? []);
}

/**
 * Returns the model of a running Ollama that suits an agent best: the first that can call tools; `undefined` if it is not
 * running.
 */
export async function findOllamaModel(env: Environment): Promise<string | undefined> {
  const names = (await listOllamaModels(env)) ?? [];
  for (const model of names.slice(0, maxDescribed)) {
    const body = { model };
    const shown = (await getJson(`${ollamaUrl(env)}/api/show`, { timeoutMs: describeMs, body, env })) as {
      capabilities?: unknown;
    };
    // Old versions do not report capabilities.
    if (!Array.isArray(shown?.capabilities)) return model;
    if (shown.capabilities.includes("tools")) return model;
  }
  return names[0];
}

/** The name of a chat model; `undefined` for anything else. */
function chatModel(model: ListedModel | null): string | undefined {
  const name = model?.name;
  const family = model?.details?.family;
  if (typeof name !== "string" || /embed|rerank/i.test(name)) return undefined;
  return typeof family === "string" && /bert/i.test(family) ? undefined : name;
}

/** @throws ModelError `configuration` if Ollama is not running. */
export async function needOllama(env: Environment): Promise<void> {
  if (await isOllamaRunning(env)) return;
  const { host } = new URL(ollamaUrl(env));
  throw new ModelError("configuration", `Ollama at ${host} does not answer. To start it: ollama serve`);
}

/** The default base URL of a compatible server is a running Ollama. */
export async function ollamaInstead(env: Environment): Promise<string> {
  const url = ollamaUrl(env);
  if (await isOllamaRunning(env)) return url;
  throw new ModelError(
    "configuration",
    `openai-compatible needs a base URL: set OPENAI_COMPATIBLE_BASE_URL, or providers.openai-compatible.baseUrl in ${configName(env)}. Without one it uses Ollama, which is not running at ${new URL(url).host}.`,
  );
}
