import {
  type Config,
  defaultModels,
  expectedMessage,
  isKey,
  type ProviderName,
  providerNames,
  providerTable,
} from "@ikigai/agent/internal";
import {
  accessTo,
  changeSettings,
  keyedAccess,
  listOllamaModels,
  listProviderModels,
  ollamaUrl,
  type ProviderAccess,
  type SettingChange,
  storeKey,
} from "@ikigai/agent/setup";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { nearestWord } from "@ikigai/system";
import { keyPlace, keySource } from "../../host/key-source.ts";
import { readAnswer } from "../../host/read-answer.ts";
import { printError } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { CommandContext } from "../command.ts";
import { configWithKeys } from "../keys/login.ts";

/** What can be chosen. */
interface Choice {
  readonly label: string;
  /** Tests it; returns what to write, or `undefined` when the user wants to choose again. */
  settings(): Promise<readonly SettingChange[] | undefined>;
}

/**
 * Asks which model to use, tests the choice, and writes it to the configuration. Until then nothing is written but a key.
 *
 * @returns whether a choice was written; not when the user leaves with Esc or Ctrl-C.
 * @throws AgentError or the system's error when the configuration cannot be written.
 */
export async function runSetup(context: CommandContext): Promise<boolean> {
  const choices = await choicesFor(configWithKeys(context), context);
  for (;;) {
    const choice = await choose(choices);
    if (choice === undefined) return false;
    const settings = await attempt(choice);
    if (settings === undefined) continue;
    changeSettings(context.places.home, settings);
    const path = shortPath(`${context.places.home}/config.json`, context.places);
    printError(`Saved in ${path}: model = ${sanitiseLine(String(settings[0]?.value))}\n`);
    return true;
  }
}

async function choose(choices: readonly Choice[]): Promise<Choice | undefined> {
  const rows = choices.map(({ label }, index) => `  ${index + 1}  ${label}\n`);
  printError(`Which model should ikigai use?\n${rows.join("")}`);
  for (;;) {
    const answer = await readAnswer("Number [1], Esc to decide later: ");
    if (answer === undefined) return undefined;
    const choice = choices[Number(answer === "" ? "1" : answer) - 1];
    if (choice) return choice;
  }
}

/** What went wrong is shown, and the user chooses again. */
async function attempt(choice: Choice): Promise<readonly SettingChange[] | undefined> {
  try {
    return await choice.settings();
  } catch (error) {
    printError(`${sanitise(expectedMessage(error))}\n\n`);
    return undefined;
  }
}

async function choicesFor(config: Config, context: CommandContext): Promise<Choice[]> {
  const { env } = context;
  const ollama = await listOllamaModels(env);
  const { baseUrl } = accessTo("openai-compatible", config, env);
  const named = providerNames.filter((name) => name !== "openai-compatible");
  const withKey = named.filter((name) => keySource(name, config, env) !== undefined);
  const listed = async (provider: ProviderName, access: ProviderAccess) =>
    modelSetting(provider, await listProviderModels(provider, { access, config, env }));
  return [
    ...withKey.map((name) => ({
      label: `${providerTable[name].title} (key from ${keySource(name, config, env)})`,
      settings: async () => listed(name, await keyedAccess(name, config, env)),
    })),
    ...(ollama.length === 0
      ? []
      : [{ label: `Ollama (at ${new URL(ollamaUrl(env)).host})`, settings: () => modelSetting("ollama", ollama) }]),
    ...(baseUrl === undefined
      ? []
      : [
          {
            label: "The OpenAI-compatible server that is configured",
            settings: async () => listed("openai-compatible", await keyedAccess("openai-compatible", config, env)),
          },
        ]),
    ...named
      .filter((name) => !withKey.includes(name))
      .map((name) => ({
        label: `${providerTable[name].title}, with an API key`,
        settings: () => withNewKey(name, accessTo(name, config, env).baseUrl, { listed, context }),
      })),
    { label: "A server that speaks OpenAI's format (base URL)", settings: () => withAddress({ listed, context }) },
    {
      label: "Offline: no language model, only plain requests",
      settings: async () => [{ key: "model", value: "offline" }],
    },
  ];
}

interface NewAccess {
  /** Lists the models, and asks for one. */
  listed(provider: ProviderName, access: ProviderAccess): Promise<readonly SettingChange[] | undefined>;
  readonly context: CommandContext;
}

/** The key is stored when it has been tested. */
async function withNewKey(
  provider: ProviderName,
  baseUrl: string | undefined,
  { listed, context }: NewAccess,
): Promise<readonly SettingChange[] | undefined> {
  const question =
    provider === "openai-compatible"
      ? "API key (not shown; Enter for none): "
      : `API key of ${providerTable[provider].title} (not shown): `;
  const typed = await readAnswer(question, { isHidden: true });
  if (typed === undefined || (typed === "" && provider !== "openai-compatible")) return undefined;
  if (typed !== "" && !isKey(typed)) throw new IkigaiError("key_not_stored", "This is not an API key.");
  const settings = await listed(provider, { apiKey: typed === "" ? undefined : typed, baseUrl });
  if (settings === undefined || typed === "") return settings;
  const { place } = await storeKey(provider, typed, { ...context.places, env: context.env });
  printError(`The key is stored in ${keyPlace(place)}.\n`);
  return settings;
}

async function withAddress(access: NewAccess): Promise<readonly SettingChange[] | undefined> {
  const baseUrl = await readAnswer("Base URL, for instance http://127.0.0.1:8080/v1: ");
  if (baseUrl === undefined || baseUrl === "") return undefined;
  const settings = await withNewKey("openai-compatible", baseUrl, access);
  return settings && [...settings, { key: "providers.openai-compatible.baseUrl", value: baseUrl }];
}

/** Asks which of a provider's models to use; Enter takes the usual one. */
async function modelSetting(
  provider: ProviderName | "ollama",
  names: readonly string[],
): Promise<readonly SettingChange[] | undefined> {
  const usual = provider === "ollama" ? undefined : defaultModels[provider];
  const first = usual !== undefined && names.includes(usual) ? usual : names[0];
  for (;;) {
    const answer = await readAnswer(first === undefined ? "Model: " : `Model [${sanitiseLine(first)}]: `);
    if (answer === undefined) return undefined;
    const name = answer === "" ? first : answer;
    if (name === undefined) continue;
    if (names.length === 0 || names.includes(name)) return [{ key: "model", value: `${provider}/${name}` }];
    const nearest = nearestWord(name, names);
    const shown = nearest === undefined ? names.slice(0, 10).join(", ") : `Did you mean ${nearest}?`;
    printError(`There is no model ${JSON.stringify(sanitiseLine(name))}. ${sanitiseLine(shown)}\n`);
  }
}
