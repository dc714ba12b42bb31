import {
  type Config,
  defaultModels,
  modelProblem,
  type ProviderName,
  providerInUse,
  providerNames,
  providerTable,
} from "@ikigai/agent/internal";
import { ownModels } from "../../host/choose-model.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { broken, fine, type Line, note, type Section } from "./doctor-sections.ts";

/** Which model is used, whether it can be, and what is known of each provider. No server is asked. */
export function checkModels(config: Config, env: NodeJS.ProcessEnv): Section {
  const model = config.model === undefined ? `${usedModel(config, env)}, as none is configured` : config.model;
  const problem = modelProblem({ config, env, ownModels: ownModels(process.cwd()) });
  return {
    title: "Models",
    lines: [
      fine(`model: ${sanitiseLine(model)}`),
      ...(problem === undefined ? [] : [broken(sanitiseLine(problem))]),
      ...providerNames.flatMap((provider) => checkProvider(provider, config, env)),
    ],
  };
}

function checkProvider(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): Line[] {
  const { keyVariable: keyName, baseUrlVariable: addressName } = providerTable[provider];
  const { apiKey, baseUrl } = config.providers?.[provider] ?? {};
  const address = env[addressName]?.trim() || baseUrl;
  // Any server: it has no address of its own, and may want no key.
  const isAnyServer = provider === "openai-compatible";
  if (isAnyServer && !address) return [fine(`${provider}: no address (${addressName})`)];
  const key = env[keyName] ? `key from ${keyName}` : apiKey ? "key from the configuration" : `no key (${keyName})`;
  const isOptional = isAnyServer && key.startsWith("no key");
  return [fine(`${provider}: ${key}${isOptional ? ", optional" : ""}`), ...(address ? [place(provider, address)] : [])];
}

/** An address may hold a name and a password. */
function place(provider: ProviderName, address: string): Line {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return fine(`${provider}: at ${sanitiseLine(url.origin + url.pathname)}`);
  return note(`${provider}: invalid base URL. Write it like https://host/v1`);
}

/** What is talked to when nobody says to what. */
function usedModel(config: Config, env: NodeJS.ProcessEnv): string {
  const provider = providerInUse(config, env);
  if (provider === undefined) return "that of a running Ollama, else none: -p fails and the REPL opens offline";
  const model = defaultModels[provider];
  return model === undefined ? `the first that ${provider} offers` : `${provider}/${model}`;
}
