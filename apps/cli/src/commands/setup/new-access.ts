import { type Config, isKey, ModelError, type ProviderName } from "@ikigai/agent/internal";
import {
  accessTo,
  keyedAccess,
  listProviderModels,
  type ProviderAccess,
  type SettingChange,
  storeKey,
} from "@ikigai/agent/setup";
import { keyPlace, keySource } from "../../host/key-source.ts";
import { printError } from "../../host/stdout.ts";
import { shownSetting } from "../../render/render-settings.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import type { CommandContext } from "../command.ts";
import { isKeyUntested, keyQuestion, untestedQuestion } from "../keys/key-question.ts";
import { askForModel } from "./ask-for-model.ts";
import { askWrapped, isBaseUrl, printWrapped } from "./menu.ts";

export interface SetupContext {
  readonly config: Config;
  readonly context: CommandContext;
}

/** What was tried, and the error; without one the models are listed, or the user takes it untested. */
interface Tried {
  readonly names: readonly string[];
  readonly error?: ModelError;
}

const server: ProviderName = "openai-compatible";

/**
 * Tests a provider or server with the key that it has. A stored key that is rejected is asked for again. `undefined` leads back to
 * the menu.
 */
export async function withConfigured(provider: ProviderName, setup: SetupContext) {
  const { config, context } = setup;
  const access = await keyedAccess(provider, config, context.env);
  const { names, error } = await tryAccess(provider, access, setup, "Use it untested?");
  if (error === undefined) return askForModel(provider, names, config.model);
  const { storedKeys: _, ...others } = config;
  const source = keySource(provider, others, context.env);
  if (error.code === "unauthorized" && access.apiKey && source === undefined) return withNewKey(provider, setup);
  const isElsewhere = error.code === "unauthorized" && source !== undefined;
  printWrapped(isElsewhere ? `This key comes from ${source}: change it there, and run ikigai setup again.\n` : "");
  return undefined;
}

/** Asks for a provider's key until it works. It is stored when a model is chosen. `undefined` leads back to the menu. */
export async function withNewKey(provider: ProviderName, setup: SetupContext) {
  const { baseUrl } = accessTo(provider, setup.config, setup.context.env);
  for (;;) {
    const apiKey = await askForKey(provider);
    if (!apiKey) return undefined;
    const { names, error } = await tryAccess(provider, { apiKey, baseUrl }, setup, untestedQuestion);
    if (error === undefined) return withModel(provider, { names, apiKey, baseUrl }, setup);
  }
}

/** Asks for the base URL and the key of a server, and again for the one that fails. `undefined` leads back to the menu. */
export async function withServer(
  pasted: string | undefined,
  setup: SetupContext,
): Promise<readonly SettingChange[] | undefined> {
  let baseUrl = pasted ?? (await askForBaseUrl());
  let apiKey = baseUrl && (await askForKey(server, "not shown; Enter for none"));
  while (baseUrl !== undefined && apiKey !== undefined) {
    const question = apiKey ? untestedQuestion : "Use this server untested?";
    const { names, error } = await tryAccess(server, { apiKey: apiKey || undefined, baseUrl }, setup, question);
    if (error === undefined) {
      const settings = await withModel(server, { names, apiKey, baseUrl }, setup);
      return settings && [...settings, { key: `providers.${server}.baseUrl`, value: baseUrl }];
    }
    if (error.code === "unauthorized") apiKey = (await askForKey(server)) || undefined;
    else baseUrl = await askForBaseUrl(baseUrl);
  }
  return undefined;
}

/** Asks for a base URL; Enter takes the one that was tried before. */
async function askForBaseUrl(before?: string): Promise<string | undefined> {
  const shown = before && sanitiseLine(String(shownSetting("baseUrl", before)));
  const question = shown ? `Base URL [${shown}], Esc for the menu: ` : "Base URL, for example http://127.0.0.1:8080: ";
  for (;;) {
    const typed = await askWrapped(question);
    const answer = typed || (typed === "" ? before : undefined);
    if (typed === "" && answer === undefined) printWrapped("No base URL was typed.\n");
    if (answer === undefined || isBaseUrl(answer)) return answer;
    printWrapped("A base URL begins with http:// or https://, for example http://127.0.0.1:8080");
  }
}

/** Asks for a key until it looks like one; empty for none. */
async function askForKey(provider: ProviderName, note?: string): Promise<string | undefined> {
  for (;;) {
    const typed = await askWrapped(keyQuestion(provider, note), { isHidden: true });
    if (!typed || isKey(typed)) return typed;
    printWrapped("This is not an API key: it contains white space, control characters or characters beyond ASCII.");
  }
}

/** Lists the models; if the server cannot be tested, asks whether to take it anyway. */
async function tryAccess(
  provider: ProviderName,
  access: ProviderAccess,
  setup: SetupContext,
  question: string,
): Promise<Tried> {
  const { config, context } = setup;
  try {
    return { names: await listProviderModels(provider, { access, config, env: context.env }) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    printWrapped(sanitise(error.message));
    const isTaken = isKeyUntested(error) && /^y(es)?$/i.test((await askWrapped(`${question} y/N `)) ?? "");
    return isTaken ? { names: [] } : { names: [], error };
  }
}

async function withModel(
  provider: ProviderName,
  {
    names,
    apiKey,
    baseUrl,
  }: { readonly names: readonly string[]; readonly apiKey: string; readonly baseUrl?: string | undefined },
  { config, context }: SetupContext,
): Promise<readonly SettingChange[] | undefined> {
  const settings = await askForModel(provider, names, config.model);
  if (settings === undefined || apiKey === "") return settings;
  const { place } = await storeKey(provider, apiKey, { ...context.places, env: context.env }, { baseUrl });
  printError(`The key is stored in ${keyPlace(place)}.\n`);
  return settings;
}
