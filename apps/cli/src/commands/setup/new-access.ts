// The steps of `ikigai setup` that give access to a provider: the menu, the key or the address, the model.

import type { Config } from "@ikigai/agent/internal";
import { isApiKey, type SettingChange, storeKey } from "@ikigai/agent/setup";
import {
  type AccountName,
  accessTo,
  accountNames,
  accounts,
  defaultModels,
  keyedAccess,
  listProviderModels,
  ModelError,
  noBaseUrl,
  ownBaseUrl,
  type ProviderAccess,
  type ProviderName,
  providerTable,
} from "@ikigai/models";
import { listAccountModels } from "@ikigai/models/accounts";
import { sanitise, sanitiseLine, wrapWords } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import { type AnswerOptions, readKeyedLine } from "../../host/terminal/ask-person.ts";
import { exitCodes, shutdown } from "../../host/terminal/exit.ts";
import { printError } from "../../host/terminal/stdout.ts";
import { keyPlace, keySource, shownSetting } from "../../render/render-settings.ts";
import type { CommandContext } from "../command.ts";
import { configWithKeys, isKeyUntested, keyQuestion, signIn, untestedQuestion } from "../sign-in.ts";

export interface SetupContext {
  readonly config: Config;
  readonly context: CommandContext;
}

/** What was tried, and the error; without one the models are listed, or the user takes it untested. */
interface Tried {
  readonly names: readonly string[];
  readonly error?: ModelError;
  /** The user wants the menu. */
  readonly isLeft?: boolean;
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
  const { env } = setup.context;
  const known = accessTo(provider, setup.config, env).baseUrl;
  const isMissing = known === undefined && ownBaseUrl(provider, env) === undefined;
  if (isMissing) printWrapped(noBaseUrl(provider, env));
  const baseUrl = isMissing ? await askForBaseUrl(undefined, "https://NAME.openai.azure.com") : known;
  if (isMissing && baseUrl === undefined) return undefined;
  for (;;) {
    const apiKey = await askForKey(provider);
    if (!apiKey) return undefined;
    const { names, error, isLeft } = await tryAccess(provider, { apiKey, baseUrl }, setup, untestedQuestion);
    if (isLeft) return undefined;
    if (error !== undefined) continue;
    const settings = await withModel(provider, { names, apiKey, baseUrl }, setup);
    return settings && isMissing ? [...settings, { key: `providers.${provider}.baseUrl`, value: baseUrl }] : settings;
  }
}

/** Signs in to an account, unless that was done, and asks for the model. */
export async function withSignIn(account: AccountName, { config, context }: SetupContext) {
  const { env } = context;
  if (!config.storedKeys?.isSignedIn(account)) await signIn(account, context);
  const names = await listAccountModels(account, { config: configWithKeys(context), env });
  return askForModel(account, names, config.model);
}

/** Asks which of these providers to use, then for its key. `undefined` leads back to the menu. */
export async function withOtherProvider(names: readonly ProviderName[], setup: SetupContext) {
  printMenu(
    "Which provider?",
    names.map((name) => providerTable[name].title),
  );
  const values = names.map((_, index) => String(index + 1));
  for (;;) {
    const answer = await askWrapped(`Number (Enter for 1)${toMenu}: `, { choices: { values, usual: 0 } });
    if (answer === undefined) return undefined;
    const provider = names.find((name) => name === answer) ?? names[Number(answer || 1) - 1];
    if (provider === undefined) printWrapped(`Type a number from 1 to ${names.length}.`);
    else if (keySource(provider, setup.config, setup.context.env) === undefined) return withNewKey(provider, setup);
    else return withConfigured(provider, setup);
  }
}

/**
 * Asks for the base URL and the key of a server, and again when they fail: a rejected key does not change the URL, and a refused
 * URL takes its key with it. `undefined` leads back to the menu.
 */
export async function withServer(
  pasted: string | undefined,
  setup: SetupContext,
): Promise<readonly SettingChange[] | undefined> {
  let baseUrl = pasted ?? (await askForBaseUrl());
  let apiKey = baseUrl && (await askForServerKey());
  while (baseUrl !== undefined && apiKey !== undefined) {
    const question = apiKey ? untestedQuestion : "Use this server untested?";
    const { names, error, isLeft } = await tryAccess(server, { apiKey: apiKey || undefined, baseUrl }, setup, question);
    if (error === undefined) {
      const settings = await withModel(server, { names, apiKey, baseUrl }, setup);
      return settings && [...settings, { key: `providers.${server}.baseUrl`, value: baseUrl }];
    }
    if (isLeft) return undefined;
    if (error.code !== "unauthorized") {
      baseUrl = await askForBaseUrl(baseUrl);
      apiKey = baseUrl && (await askForServerKey());
    } else apiKey = (await askForKey(server)) || undefined;
  }
  return undefined;
}

/** Asks for a base URL; Enter takes the one that was tried before. */
async function askForBaseUrl(before?: string, example = "http://127.0.0.1:8080"): Promise<string | undefined> {
  const shown = before && sanitiseLine(String(shownSetting("baseUrl", before)));
  const question = `Base URL${shown ? ` [${shown}]` : `, for example ${example}`}${toMenu}: `;
  let initial = "";
  for (;;) {
    const typed = await askWrapped(question, { initial });
    const answer = typed || (typed === "" ? before : undefined);
    if (typed === "" && answer === undefined) printWrapped("No base URL was typed.\n");
    const problem = answer === undefined ? undefined : baseUrlProblem(answer);
    if (answer === undefined || problem === undefined) return answer;
    printWrapped(problem);
    // The answer stays in the line, with the scheme that it probably lacks.
    initial = answer.includes("://") ? answer : `http://${answer}`;
  }
}

function askForServerKey(): Promise<string | undefined> {
  return askForKey(server, "not shown; Enter for none");
}

/** Asks for a key until it looks like one; empty for none. */
async function askForKey(provider: ProviderName, note?: string): Promise<string | undefined> {
  for (;;) {
    const typed = await askWrapped(keyQuestion(provider, note, toMenu), { isHidden: true });
    if (!typed || isApiKey(typed)) return typed;
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
    if (!isKeyUntested(error)) return { names: [], error };
    const isTaken = await askYesNo(question);
    if (isTaken === undefined && question === untestedQuestion) printWrapped(nothingStored);
    return isTaken ? { names: [] } : { names: [], error, isLeft: isTaken === undefined };
  }
}

/** Follows a key that was typed and is dropped. */
const nothingStored = "Nothing was stored.\n";

/** Asks until the answer is clear; an empty one is a no. `undefined` when the user leaves. */
async function askYesNo(question: string): Promise<boolean | undefined> {
  for (;;) {
    const answer = (await askWrapped(`${question} y/N${toMenu}: `))?.toLowerCase();
    if (answer === undefined) return undefined;
    if (answer === "y" || answer === "yes") return true;
    if (answer === "" || answer === "n" || answer === "no") return false;
    printWrapped("Type y or n.");
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
  if (settings === undefined && apiKey !== "") printWrapped(nothingStored);
  if (settings === undefined || apiKey === "") return settings;
  const { place } = await storeKey(provider, apiKey, { ...context.places, env: context.env }, { baseUrl });
  printError(`The key is stored in ${keyPlace(place, context.env)}.\n`);
  return settings;
}

/** How many models are shown. */
const maxShown = 10;

/**
 * Shows a provider's models and asks which one to use, by its number or name; Enter takes the current one, else the usual one, else
 * the first. An empty list allows any name.
 *
 * @param current the configured model, of any provider.
 */
export async function askForModel(
  provider: ProviderName | AccountName | "ollama",
  names: readonly string[],
  current: string | undefined,
): Promise<readonly SettingChange[] | undefined> {
  const own = current?.startsWith(`${provider}/`) ? current.slice(provider.length + 1) : undefined;
  const account = accountNames.find((name) => name === provider);
  const usual = account ? accounts[account].model : defaultModels[provider as ProviderName];
  const wanted = [own, usual].filter((name) => name !== undefined);
  const first = wanted.find((name) => names.length === 0 || names.includes(name)) ?? names[0];
  const ordered = first === undefined ? names : [first, ...names.filter((name) => name !== first)];
  const shown = ordered.slice(0, maxShown);
  const more = ordered.length > maxShown ? [`… ${ordered.length - maxShown} more`] : [];
  const [missing] = wanted;
  if (missing !== undefined && names.length > 0 && !names.includes(missing))
    printWrapped(`${sanitiseLine(missing)}, the ${own ? "current" : "usual"} model, is not in the server's list.`);
  if (names.length > 0) printMenu("Models:", shown.map(sanitiseLine));
  else printWrapped("The server has listed no models, so the name is not tested.");
  if (more.length > 0) printWrapped(`${more[0]}, by name`);
  for (;;) {
    const question = `Model${first === undefined ? "" : ` [${sanitiseLine(first)}]`}${toMenu}: `;
    const answer = await askWrapped(question, {
      choices: { values: shown.map((_, index) => String(index + 1)), usual: 0 },
    });
    if (answer === undefined) return undefined;
    const name = answer === "" ? first : named(answer, names, shown);
    if (name === undefined) {
      printWrapped("Type the name of a model.");
      continue;
    }
    if (names.length === 0 || names.includes(name)) return [{ key: "model", value: `${provider}/${name}` }];
    const nearest = nearestWord(name, names);
    const advice = nearest === undefined ? "" : `\nDid you mean ${sanitiseLine(nearest)}?`;
    printWrapped(
      `The server has no model ${JSON.stringify(sanitiseLine(name))}. It has: ${[...shown.map(sanitiseLine), ...more].join(", ")}${advice}`,
    );
  }
}

/** The model that an answer means: its name, or its number among those shown. */
function named(answer: string, names: readonly string[], shown: readonly string[]): string {
  return names.includes(answer) ? answer : (shown[Number(answer) - 1] ?? answer);
}

/** Width of the number before a label, in columns. */
const indent = 5;

/** Ends each question below the menu. */
export const toMenu = ", Esc for the menu";

/** Prints a sanitised text, wrapped at spaces. */
export function printWrapped(text: string): void {
  printError(`${wrapped(text)}\n`);
}

/** Asks a sanitised question, wrapped at spaces; `undefined` after Esc. Ctrl-C and Ctrl-D end ikigai. */
export function askWrapped(question: string, options: Omit<AnswerOptions, "onQuit"> = {}) {
  return readKeyedLine(wrapped(question), {
    ...options,
    onQuit(key) {
      printError("Nothing was changed.\n");
      void shutdown(key === "ctrl-c" ? exitCodes.interrupted : exitCodes.done);
    },
  });
}

/** Prints the rows of a menu with their numbers, wrapped at spaces. */
export function printMenu(title: string, labels: readonly string[]): void {
  const rows = labels.map((label, index) => {
    const [first, ...others] = wrapWords(label, width() - indent).split("\n");
    return [`  ${index + 1}`.padEnd(indent) + first, ...others.map((line) => " ".repeat(indent) + line)].join("\n");
  });
  printWrapped(title);
  printError(`${rows.join("\n")}\n`);
}

/** Why an answer is no base URL, as a sentence; `undefined` if it is one. */
export function baseUrlProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text))
    return "A base URL begins with http:// or https://, for example http://127.0.0.1:8080";
  return URL.canParse(text) ? undefined : "The host or the port in this URL is invalid. A port is at most 65535.";
}

function wrapped(text: string): string {
  return text
    .split("\n")
    .map((line) => wrapWords(line, width()))
    .join("\n");
}

/** The last column stays empty, so that the terminal does not wrap. */
function width(): number {
  return (process.stderr.columns || 80) - 1;
}
