import { getJson } from "../providers/get-json.ts";
import type { Environment } from "../providers/provider-access.ts";

/**
 * How long Ollama may take to list its models, in milliseconds. The first prompt waits for it, but only where something
 * listens: otherwise the connection is refused at once. A busy machine needs more than a few hundred.
 */
const probeMs = 2_000;

/** How long it may take to describe one of them, in milliseconds. */
const describeMs = 1_000;

/** How many models are looked at before one is taken as it is. */
const maxDescribed = 5;

interface ListedModel {
  readonly name?: string;
  readonly details?: { readonly family?: string };
}

/** Where Ollama is: what OLLAMA_HOST says, in the forms that Ollama itself reads. */
export function ollamaUrl(env: Environment): string {
  const text = env.OLLAMA_HOST?.trim() || "127.0.0.1:11434";
  const withScheme = text.includes("://") ? text : `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`;
  if (!URL.canParse(withScheme)) return "http://127.0.0.1:11434";
  const url = new URL(withScheme);
  const hasPort = /:\d+\/?$/.test(withScheme);
  if (!hasPort && url.protocol === "http:" && !text.includes("://")) url.port = "11434";
  // A server that listens everywhere is reached here.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return url.href.replace(/\/+$/, "");
}

/** Whether an Ollama answers there. */
export async function isOllamaRunning(env: Environment): Promise<boolean> {
  return (await getJson(`${ollamaUrl(env)}/api/tags`, { timeoutMs: probeMs, env })) !== undefined;
}

/** The models of a running Ollama that one can talk with; none when there is no Ollama. */
export async function listOllamaModels(env: Environment): Promise<string[]> {
  const list = (await getJson(`${ollamaUrl(env)}/api/tags`, { timeoutMs: probeMs, env })) as
    | { models?: ListedModel[] }
    | undefined;
  if (!Array.isArray(list?.models)) return [];
  return list.models.filter(isChatModel).map(({ name }) => String(name));
}

/** The model of a running Ollama that suits an agent best: the first that can call tools; `undefined` when none runs. */
export async function findOllamaModel(env: Environment): Promise<string | undefined> {
  const names = await listOllamaModels(env);
  for (const model of names.slice(0, maxDescribed)) {
    const body = { model };
    const shown = (await getJson(`${ollamaUrl(env)}/api/show`, { timeoutMs: describeMs, body, env })) as {
      capabilities?: unknown;
    };
    // Old versions do not tell what a model can do.
    if (!Array.isArray(shown?.capabilities)) return model;
    if (shown.capabilities.includes("tools")) return model;
  }
  return names[0];
}

function isChatModel({ name, details }: ListedModel): boolean {
  return typeof name === "string" && !/embed|rerank/i.test(name) && !/bert/i.test(details?.family ?? "");
}
