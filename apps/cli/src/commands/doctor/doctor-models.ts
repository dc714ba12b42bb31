import { type Config, defaultModels, modelProblem, type ProviderName, providerNames } from "@ikigai/agent/internal";
import { ownModels } from "../../host/offline/own-models.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { broken, fine, type Line, note, type Section } from "./doctor-sections.ts";

/** The variables of each provider: its key, and where it is. */
const variables: Readonly<Record<ProviderName, readonly [string, string]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
  openai: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
  google: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  "openai-compatible": ["OPENAI_COMPATIBLE_API_KEY", "OPENAI_COMPATIBLE_BASE_URL"],
};

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
  const [keyName, addressName] = variables[provider];
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

/** What is talked to when nobody says to what: the first provider that is set up. */
function usedModel({ providers }: Config, env: NodeJS.ProcessEnv): string {
  const provider = providerNames.find((name) => {
    const [keyName, addressName] = variables[name];
    const { apiKey, baseUrl } = providers?.[name] ?? {};
    return name === "openai-compatible" ? env[addressName] || baseUrl : env[keyName] || apiKey;
  });
  if (provider === undefined) return "that of a running Ollama, else none: -p fails and the REPL opens offline";
  const model = defaultModels[provider];
  return model === undefined ? `the first that ${provider} offers` : `${provider}/${model}`;
}
