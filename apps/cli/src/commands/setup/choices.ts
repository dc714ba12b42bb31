import { type ProviderName, providerNames, providerTable } from "@ikigai/agent/internal";
import { accessTo, listOllamaModels, ollamaUrl, type SettingChange } from "@ikigai/agent/setup";
import { keySource } from "../../render/key-source.ts";
import { shownSetting } from "../../render/render-settings.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { askForModel } from "./ask-for-model.ts";
import { printWrapped } from "./menu.ts";
import { type SetupContext, withConfigured, withNewKey, withServer } from "./new-access.ts";

/** What can be chosen. */
export interface Choice {
  readonly label: string;
  /** The first word of the models that it sets. */
  readonly provider: ProviderName | "ollama" | "offline";
  /** It takes a base URL. */
  readonly takesUrl?: boolean;
  /** Tests it; returns what to write, or `undefined` when the user wants to choose again. */
  settings(url?: string): Promise<readonly SettingChange[] | undefined>;
}

/** Everything that can be chosen: first what needs no key, then the providers with a new key, a server, and offline. */
export async function choicesFor(setup: SetupContext): Promise<Choice[]> {
  const { config, context } = setup;
  const { env } = context;
  const ollama = await listOllamaModels(env);
  const named = providerNames.filter((name) => name !== "openai-compatible");
  const withKey = named.filter((name) => keySource(name, config, env) !== undefined);
  const configured = (provider: ProviderName) => withConfigured(provider, setup);
  const { baseUrl } = accessTo("openai-compatible", config, env);
  return [
    ...withKey.map((provider) => ({
      label: `${providerTable[provider].title} (key from ${keySource(provider, config, env)})`,
      provider,
      settings: () => configured(provider),
    })),
    ...(ollama === undefined ? [] : [ollamaChoice(ollama, setup)]),
    ...(baseUrl === undefined ? [] : [serverChoice(baseUrl, configured)]),
    ...named
      .filter((name) => !withKey.includes(name))
      .map((provider) => ({
        label: `${providerTable[provider].title}, with an API key`,
        provider,
        settings: () => withNewKey(provider, setup),
      })),
    {
      label: `${baseUrl === undefined ? "An" : "Another"} OpenAI-compatible server (base URL)`,
      provider: "openai-compatible",
      takesUrl: true,
      settings: (url) => withServer(url, setup),
    },
    {
      label: "Offline: no language model, only simple commands",
      provider: "offline",
      settings: async () => [{ key: "model", value: "offline" }],
    },
  ];
}

function ollamaChoice(names: readonly string[], { config, context }: SetupContext): Choice {
  const remark = names.length === 0 ? ", without a model" : "";
  const label = `Ollama (at ${new URL(ollamaUrl(context.env)).host}${remark})`;
  return {
    label,
    provider: "ollama",
    async settings() {
      // One may have been fetched since.
      const now = names.length > 0 ? names : ((await listOllamaModels(context.env)) ?? []);
      if (now.length > 0) return askForModel("ollama", now, config.model);
      printWrapped(
        "Ollama has no model. Fetch one in another shell, for example with ollama pull qwen3, and choose Ollama again.",
      );
      return undefined;
    },
  };
}

function serverChoice(baseUrl: string, configured: (provider: ProviderName) => ReturnType<Choice["settings"]>): Choice {
  const label = `The OpenAI-compatible server at ${sanitiseLine(String(shownSetting("baseUrl", baseUrl)))}`;
  return { label, provider: "openai-compatible", settings: () => configured("openai-compatible") };
}
