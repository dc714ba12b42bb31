import { nearestWord } from "@ikigai/system";
import { accessTo, type Environment, hasKey, type ModelConfig } from "./access.ts";
import { ModelError } from "./errors.ts";
import { defaultModels } from "./known-models.ts";
import type { Model } from "./model.ts";
import {
  type ModelName,
  type ProviderName,
  parseModelName,
  providerMeant,
  providerNames,
  providerTable,
} from "./providers.ts";

/** Creates the caller's own models, by the part of the model name before the first slash. */
export type OwnModels = Readonly<Record<string, () => Promise<Model>>>;

/** Determines which model is used. */
export interface ModelChoiceOptions {
  readonly config: ModelConfig;
  readonly env: Environment;
  /** The model requested on the command line; takes precedence over the configuration. */
  readonly wanted?: string;
  /** Take precedence over the providers. */
  readonly ownModels?: OwnModels;
}

/** One of the caller's own models, or a provider's. */
export type ModelChoice = { readonly own: () => Promise<Model> } | { readonly name: ModelName };

/**
 * Returns the model to use, as far as it is known without querying a server: the requested one, else the configured one,
 * else that of the first provider that is set up; `undefined` without any of these.
 *
 * @throws ModelError `configuration` if the requested or configured name is not a model's.
 */
export function modelChoice(options: ModelChoiceOptions): ModelChoice | undefined {
  const { config, env, wanted = config.model } = options;
  if (wanted === undefined) {
    const provider = providerInUse(config, env);
    return provider && { name: { provider } };
  }
  const own = ownModel(wanted, options);
  return own ? { own } : { name: nameOf(wanted, options) };
}

/** Returns the provider to use if no model is named: the first with a key, or a compatible server with a base URL. */
export function providerInUse(config: ModelConfig, env: Environment): ProviderName | undefined {
  return providerNames.find((provider) => {
    if (provider === "openai-compatible") return accessTo(provider, config, env).baseUrl;
    return hasKey(provider, config, env);
  });
}

function ownModel(text: string, { ownModels = {} }: ModelChoiceOptions): (() => Promise<Model>) | undefined {
  const [name = ""] = text.trim().split("/");
  return Object.hasOwn(ownModels, name) ? ownModels[name] : undefined;
}

function nameOf(text: string, { config, env, ownModels = {} }: ModelChoiceOptions): ModelName {
  const name = parseModelName(text);
  if (name) return name;
  const known = [...providerNames, "ollama", ...Object.keys(ownModels)];
  const [provider = ""] = text.trim().split("/");
  if (!text.trim().endsWith("/") && accessTo("openai-compatible", config, env).baseUrl) {
    refuseTypo(text.trim(), provider, known);
    return { provider: "openai-compatible", model: text };
  }
  const isOther = /^[^/]+\/./.test(text.trim()) && !known.includes(provider);
  const problem = isOther
    ? `No provider is called "${provider}".`
    : `Expected a model as provider/model, got "${text}".`;
  const meant = advice(text.trim(), known);
  const ownServer = isOther && meant === "" ? ` On your own server, such names need ${addressVariable}.` : "";
  throw new ModelError("configuration", `${problem} Providers: ${known.join(", ")}.${meant}${ownServer}`);
}

const addressVariable = providerTable["openai-compatible"].baseUrlVariable;

/** What a text that is no model's name probably means, as a sentence. */
function advice(text: string, known: readonly string[]): string {
  const [head = ""] = text.split("/");
  const other = providerMeant(head);
  const provider = other ?? (head && nearestWord(head, known));
  if (!provider || provider === head) return "";
  const model = other && defaultModels[other];
  const isModel = head === text && model?.includes(text.toLowerCase());
  if (other && head === text && !isModel) return ` To list its models: ikigai models ${other}`;
  return ` Did you mean ${provider}${isModel ? `/${model}` : text.slice(head.length)}?`;
}

/** @throws ModelError `configuration` if the name before the first slash is one edit away from a known one. */
function refuseTypo(text: string, provider: string, known: readonly string[]): void {
  const meant = known.find((name) => nearestWord(provider, [name], 1 / Math.max(name.length, provider.length)));
  if (provider === "" || meant === undefined || meant === provider) return;
  throw new ModelError(
    "configuration",
    `No provider is called "${provider}". Did you mean ${meant}${text.slice(provider.length)}? ` +
      `For a model of that name: openai-compatible/${text}`,
  );
}

/** The variables of keys that need no base URL. */
const [firstKey = "", ...otherKeys] = providerNames
  .filter((name) => providerTable[name].baseUrl !== undefined)
  .map((name) => providerTable[name].keyVariable);

const ways = `  1. a provider's key:    export ${firstKey}=…   (or ${otherKeys.join(", ")})
  2. a compatible server: export ${addressVariable}=http://localhost:8080/v1
  3. Ollama:              ollama serve, and in another shell ollama pull qwen3   (found automatically)`;

/** The ways to set up a model. */
export const setupText = `To choose a language model, run ikigai setup, or do one of these and start again:\n${ways}`;

/** The same for a conversation, where none of it can be typed. */
export const setupTextInConversation = `To choose a language model, quit with ctrl-d and run ikigai setup, or do one of these in a shell and start again:\n${ways}`;

/** The same, as part of a sentence. */
export const shortSetupText = `run ikigai setup in a shell, set ${firstKey} (or ${otherKeys.join(", ")}), set ${addressVariable}, or start Ollama with a model (ollama pull qwen3)`;
