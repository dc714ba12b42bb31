// `ikigai login` and `ikigai logout`: reads the provider's key, tests it and stores it, or signs in to an account; then the list of what is
// stored, and how a key is removed.

import { isatty } from "node:tty";
import { type Config, loadConfig, storedKeys } from "@ikigai/agent/internal";
import { isApiKey, removeKey, storeKey } from "@ikigai/agent/setup";
import { IkigaiError } from "@ikigai/core/errors";
import {
  type AccountName,
  accessTo,
  accountNames,
  addressProblem,
  listProviderModels,
  ModelError,
  noBaseUrl,
  ownBaseUrl,
  type ProviderName,
  providerMeant,
  providerNames,
  providerTable,
} from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { orList } from "@ikigai/system";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { canAsk, confirm, readKeyedLine } from "../host/terminal/ask-person.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import { keyPlace, keySource } from "../render/render-settings.ts";
import { type Command, type CommandContext, withRefusals } from "./command.ts";
import * as signIn from "./sign-in.ts";
import { configWithKeys, isKeyUntested, keyQuestion, untestedQuestion } from "./sign-in.ts";

const syntax = commands.login;

export const login: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name] = readOperands(operands, syntax);
    if (flags.has("status") && name !== undefined)
      throw new UsageError(`--status is for all providers: leave out ${JSON.stringify(name)}.`);
    const config = configWithKeys(context);
    if (flags.has("status")) return printStatus(config, context);
    const provider = name === undefined ? await askForProvider() : providerCalled(name);
    if (isAccount(provider)) return withRefusals(() => signIn.login(provider, context));
    const noUrl = provider && missingBaseUrl(provider, config, context);
    if (provider !== undefined && noUrl !== undefined && canAsk()) return setUp(provider, context);
    if (noUrl !== undefined && !flags.has("no-check"))
      throw new IkigaiError("key_not_stored", `${noUrl} Nothing was stored.`);
    const apiKey = provider && (await readKey(provider));
    if (provider === undefined || apiKey === undefined) return nothingStored(exitCodes.interrupted);
    const isGood = flags.has("no-check") || (await isWanted(provider, apiKey, config, context));
    if (!isGood) return nothingStored(exitCodes.failed);
    return withRefusals(async () => {
      const exitCode = await store(provider, apiKey, config, context);
      if (noUrl !== undefined) printOut(`${noUrl}\n`);
      return exitCode;
    });
  },
};

/** @throws UsageError when there is no such provider. */
function providerCalled(name: string): ProviderName | AccountName {
  const found = loginNames.find((known) => known === name);
  if (found) return found;
  throw unknownProvider(name, loginNames);
}

/** What can be logged in to: with a key, or by signing in. */
export const loginNames: readonly (ProviderName | AccountName)[] = [...providerNames, ...accountNames];

function isAccount(name: ProviderName | AccountName | undefined): name is AccountName {
  return accountNames.some((known) => known === name);
}

export function unknownProvider(name: string, known: readonly string[]): UsageError {
  const meant = providerMeant(name);
  return new UsageError(`Expected PROVIDER to be ${orList(known)}, got ${JSON.stringify(name)}.`, {
    got: name,
    known,
    ...(meant && { meant }),
  });
}

/** What a provider lacks that has no base URL, in a sentence; without one a key cannot be tested or used. */
function missingBaseUrl(provider: ProviderName, config: Config, { env }: CommandContext): string | undefined {
  if ((accessTo(provider, config, env).baseUrl ?? ownBaseUrl(provider, env)) !== undefined) return undefined;
  return provider === "openai-compatible"
    ? "No base URL is set: run ikigai setup, or set OPENAI_COMPATIBLE_BASE_URL."
    : noBaseUrl(provider, env);
}

/** Asks for the base URL, the key and the model, as `ikigai setup` does. */
async function setUp(provider: ProviderName, context: CommandContext): Promise<number> {
  const { runSetup } = await import("./setup/setup.ts");
  return withRefusals(async () =>
    (await runSetup(context, { first: provider })) ? exitCodes.done : nothingStored(exitCodes.interrupted),
  );
}

function nothingStored(exitCode: number): number {
  printError("Nothing was stored.\n");
  return exitCode;
}

async function askForProvider(): Promise<ProviderName | AccountName | undefined> {
  if (!canAsk()) throw new UsageError(`Missing PROVIDER: ${orList(loginNames)}.`);
  const how = (name: string) => (accountNames.some((known) => known === name) ? " (sign in)" : "");
  printError(loginNames.map((name, index) => `  ${String(index + 1).padEnd(2)} ${name}${how(name)}\n`).join(""));
  for (;;) {
    const answer = await readKeyedLine("Provider (number or name): ");
    if (answer === undefined) return undefined;
    const found = loginNames.find((name, index) => answer === name || answer === String(index + 1));
    if (found) return found;
    const advice = /^https?:/i.test(answer) ? " To use a server by its URL: ikigai setup" : "";
    printError(`Type a number from 1 to ${loginNames.length}, or the name of a provider.${advice}\n`);
  }
}

/** Longer input is not a key, in bytes. */
const maxInputBytes = 65_536;

/** The key, from a terminal without showing it, or from what is piped in; `undefined` when the user leaves. */
async function readKey(provider: ProviderName): Promise<string | undefined> {
  const isTerminal = isatty(0);
  const key = isTerminal ? await readKeyedLine(keyQuestion(provider), { isHidden: true }) : await readPiped();
  if (key === undefined || isApiKey(key)) return key;
  const got = key === "" ? "none" : "a text with white space, control characters or characters beyond ASCII";
  throw new IkigaiError("key_not_stored", `Expected an API key, got ${got}. Nothing was stored.`);
}

async function readPiped(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxInputBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

/** Whether the key is to be stored: it works, or it cannot be tested and the user wants it anyway. */
async function isWanted(provider: ProviderName, apiKey: string, config: Config, { env }: CommandContext) {
  const problem = await checkKey(provider, apiKey, config, env);
  if (problem === undefined) {
    printOut("The key works. ");
    return true;
  }
  printError(`${sanitise(problem.message)}\n`);
  if (!isKeyUntested(problem)) return false;
  if (!canAsk()) {
    printError("The key was not tested. To store it without a test: --no-check\n");
    return false;
  }
  return confirm(untestedQuestion);
}

async function store(provider: ProviderName, apiKey: string, config: Config, { places, env }: CommandContext) {
  const { baseUrl } = accessTo(provider, config, env);
  const { place, why } = await storeKey(provider, apiKey, { ...places, env }, { baseUrl });
  printOut(`Stored in ${keyPlace(place, env)}${place === "file" ? ", which only you can read" : ""}.\n`);
  if (why !== undefined && !/not installed/.test(why)) printOut(`Not in the keyring: ${sanitiseLine(why)}\n`);
  const { storedKeys: _, ...others } = config;
  const source = keySource(provider, others, env);
  if (source !== undefined && accessTo(provider, others, env).apiKey)
    printOut(`The key from ${source} takes precedence as long as it is set.\n`);
  return exitCodes.done;
}

function printStatus(config: Config, { env }: CommandContext): number {
  for (const provider of providerNames) {
    const source = keySource(provider, config, env);
    const noKey = provider === "openai-compatible" ? "no key; many servers need none" : "no key";
    printOut(`${provider.padEnd(18)} ${source === undefined ? noKey : `key from ${source}`}\n`);
  }
  for (const account of accountNames) printOut(`${account.padEnd(18)} ${signIn.signInState(account, config, env)}\n`);
  const problems = [
    config.storedKeys?.problem,
    ...providerNames.map((provider) => addressProblem(provider, config, env)),
  ].filter((problem) => problem !== undefined);
  for (const problem of problems) printError(`ikigai: ${sanitiseLine(problem)}\n`);
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Tests a key with the cheapest request that needs one; returns what is wrong with it, or with the way to the provider. */
async function checkKey(
  provider: ProviderName,
  apiKey: string,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<ModelError | undefined> {
  try {
    const { baseUrl } = accessTo(provider, config, env);
    await listProviderModels(provider, { access: { apiKey, baseUrl }, config, env });
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

export const logout: Command = {
  async run(args, context) {
    const [name] = readOperands(readOptions(args, commands.logout.options).operands, commands.logout);
    const provider = name === undefined ? onlyProvider(context) : providerCalled(name);
    return withRefusals(() => (isAccount(provider) ? signIn.logout(provider, context) : remove(provider, context)));
  },
};

/** @throws UsageError when several keys are stored; IkigaiError when no key is. */
function onlyProvider({ places, env }: CommandContext): ProviderName | AccountName {
  const stored = storedKeys({ ...places, env });
  if (stored.problem !== undefined) throw new IkigaiError("key_not_stored", stored.problem);
  const [first, ...others] = loginNames.filter((name) =>
    isAccount(name) ? stored.isSignedIn(name) : stored.placeOf(name) !== undefined,
  );
  if (first === undefined)
    throw new IkigaiError("key_not_stored", "No key is stored. To see where keys come from: ikigai login --status");
  if (others.length > 0) throw new UsageError(`Missing PROVIDER: ${orList([first, ...others])}.`);
  return first;
}

/** Where the key that is in use comes from, and how to remove it there; empty without one. */
function elsewhere(provider: ProviderName, { places, env }: CommandContext): string {
  const { keyVariable } = providerTable[provider];
  if (env[keyVariable]?.trim()) return ` Its key comes from the environment. To remove it: unset ${keyVariable}`;
  if (!loadConfig(places.home).config.providers?.[provider]?.apiKey?.trim()) return "";
  return ` Its key comes from the configuration. To remove it: ikigai config unset providers.${provider}.apiKey`;
}

async function remove(provider: ProviderName, { places, env }: CommandContext): Promise<number> {
  const removed = await removeKey(provider, { ...places, env });
  if (removed === undefined) {
    printError(`ikigai: No key is stored for ${provider}.${elsewhere(provider, { places, env })}\n`);
    return exitCodes.failed;
  }
  if (removed.why !== undefined) {
    printError(`ikigai: The key may still be in ${keyPlace("keyring", env)}: ${sanitiseLine(removed.why)}\n`);
    return exitCodes.failed;
  }
  const whose = provider === "openai-compatible" ? "OpenAI-compatible server's" : providerTable[provider].title;
  printOut(`Removed the ${whose} key from ${keyPlace(removed.place, env)}.\n`);
  return exitCodes.done;
}
