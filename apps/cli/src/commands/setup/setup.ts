// `ikigai setup`: what is set up already, and which of it to change.

import { isatty } from "node:tty";
import { type Config, toolSetup } from "@ikigai/agent/internal";
import { changeSettings, offeredSandbox, type SettingChange } from "@ikigai/agent/setup";
import {
  type AccountName,
  accessTo,
  accountNames,
  accounts,
  commonProviders,
  expectedMessage,
  listOllamaModels,
  ollamaUrl,
  type ProviderName,
  providerNames,
  providerTable,
} from "@ikigai/models";
import type { PermissionMode } from "@ikigai/permission";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError } from "../../host/terminal/stdout.ts";
import { keySource, shownSetting } from "../../render/render-settings.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { configWithKeys } from "../sign-in.ts";
import {
  askForModel,
  askWrapped,
  baseUrlProblem,
  printMenu,
  printWrapped,
  type SetupContext,
  withConfigured,
  withNewKey,
  withOtherProvider,
  withServer,
  withSignIn,
} from "./new-access.ts";

const syntax = commands.setup;

export const setup: Command = {
  async run(args, context) {
    readOperands(readOptions(args, syntax.options).operands, syntax);
    if (!isatty(0) || !isatty(2))
      throw new UsageError("Not a terminal: use ikigai config set model PROVIDER/MODEL, and ikigai login PROVIDER.");
    return withRefusals(async () => {
      if (await runSetup(context)) return exitCodes.done;
      printError("Nothing was changed.\n");
      return exitCodes.interrupted;
    });
  },
};

/**
 * Asks at the first start, if the configuration names no model; a key in the environment is the first choice. A write that fails
 * is reported, and ikigai starts without a choice.
 */
export async function offerSetup(context: CommandContext, mode: PermissionMode | undefined): Promise<void> {
  const { model, permission } = configWithKeys(context);
  if (model !== undefined) return;
  const asksMode = (mode ?? permission?.mode) === undefined;
  try {
    await runSetup(context, { leaving: "Esc to continue without a model, Ctrl-C to quit", asksMode });
  } catch (error) {
    printError(`ikigai: ${sanitise(expectedMessage(error))}\n`);
  }
  printError("\n");
}

/** How the first start differs from `ikigai setup`. */
interface SetupOptions {
  /** What Esc does, and other keys, as the question names them. */
  readonly leaving?: string;
  /** Whether it also asks for the mode. */
  readonly asksMode?: boolean;
  /** The provider to begin with, before the menu. */
  readonly first?: ProviderName;
}

/**
 * Asks which model to use, tests the choice, and writes it to the configuration. Until then nothing is written but a key.
 *
 * @returns whether a choice was written; not after Esc.
 * @throws AgentError or the system's error when the configuration cannot be written.
 */
export async function runSetup(
  context: CommandContext,
  { leaving = "Esc to change nothing", asksMode = false, first }: SetupOptions = {},
): Promise<boolean> {
  const config = configWithKeys(context);
  const choices = await choicesFor({ config, context });
  let last: Choice | undefined;
  let next = first && { choice: newAccess(first, { config, context }) };
  for (;;) {
    const chosen: Chosen | undefined = next ?? (await choose(choices, config.model, { last, leaving }));
    if (chosen === undefined) return false;
    next = undefined;
    last = choices.includes(chosen.choice) ? chosen.choice : undefined;
    const settings = await attempt(chosen);
    if (settings === undefined) continue;
    changeSettings(context.places.home, settings);
    const path = shortPath(`${context.places.home}/config.json`, context.places);
    printError(`Saved in ${path}: model = ${sanitiseLine(String(settings[0]?.value))}\n`);
    if (asksMode) await chooseMode(context, config);
    return true;
  }
}

interface Chosen {
  readonly choice: Choice;
  /** A base URL that was typed instead of a number. */
  readonly url?: string;
}

/** Enter takes the choice that was tried last, so that it can be tried again; else the current one. */
async function choose(
  choices: readonly Choice[],
  model: string | undefined,
  { last, leaving }: { readonly last: Choice | undefined; readonly leaving: string },
): Promise<Chosen | undefined> {
  const current = choices.findIndex(({ provider }) => provider === model?.split("/")[0]);
  const labels = choices.map(({ label }, index) => (index === current ? `${label} (current)` : label));
  printMenu("Which model should ikigai use?", labels);
  const usual = 1 + (last ? choices.indexOf(last) : Math.max(0, current));
  const question = `Number (Enter for ${usual}), ${leaving}: `;
  const values = choices.map((_, index) => String(index + 1));
  for (;;) {
    const answer = await askWrapped(question, { choices: { values, usual: usual - 1 } });
    if (answer === undefined) return undefined;
    const isUrl = baseUrlProblem(answer) === undefined;
    const choice = isUrl ? choices.find(({ takesUrl }) => takesUrl) : choices[Number(answer) - 1];
    if (choice) return { choice, ...(isUrl && { url: answer }) };
    printWrapped(`Type a number from 1 to ${choices.length}.`);
  }
}

/** Tries a choice. What went wrong is shown, and the user chooses again. */
async function attempt({ choice, url }: Chosen): Promise<readonly SettingChange[] | undefined> {
  try {
    return await choice.settings(url);
  } catch (error) {
    printWrapped(`${sanitise(expectedMessage(error))}\n`);
    return undefined;
  }
}

/** The modes to choose from, in one sentence each. */
const modeLabels: readonly (readonly [PermissionMode, string])[] = [
  ["auto", "auto: run commands in a sandbox that can change this project only; ask before leaving it"],
  ["ask", "ask: ask before every change"],
];

/**
 * Asks which mode conversations start in. `auto` is what they start in without a setting, so it is not written: with -p, no one could
 * answer. Where the sandbox does not work there is no choice; the conversation then says why.
 */
async function chooseMode({ places, env }: CommandContext, config: Config): Promise<void> {
  const { projectDir, home } = places;
  const { rules } = toolSetup({ places, env, config });
  const sandbox = offeredSandbox(rules, { projectDir, env, hasUndo: config.undo !== false });
  const wanted = { mode: sandbox.whyNotAuto === undefined ? "auto" : "ask" } as { mode: PermissionMode };
  await sandbox.check(wanted, () => {});
  if (wanted.mode !== "auto") return;
  printMenu(
    "\nWhich mode should ikigai start in? Shift-Tab changes it at any time.",
    modeLabels.map(([, label]) => label),
  );
  const values = modeLabels.map((_, index) => String(index + 1));
  for (;;) {
    const answer = await askWrapped("Number (Enter for 1): ", { choices: { values, usual: 0 } });
    const [mode] = modeLabels[Number(answer) - 1] ?? [];
    if (mode === "ask") changeSettings(home, [{ key: "permission.mode", value: mode }]);
    if (mode !== undefined) return printWrapped(`Conversations start in ${mode}.`);
    printWrapped(`Type a number from 1 to ${modeLabels.length}.`);
  }
}

/** What can be chosen. */
export interface Choice {
  readonly label: string;
  /** The first word of the models that it sets. */
  readonly provider: ProviderName | AccountName | "ollama" | "offline" | "more";
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
  const others = named.filter((name) => !commonProviders.includes(name));
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
    ...commonProviders
      .filter((name) => keySource(name, config, env) === undefined)
      .map((provider) => newAccess(provider, setup)),
    ...accountNames.map((provider) => ({
      label: `${accounts[provider].title}, by signing in${config.storedKeys?.isSignedIn(provider) ? " (signed in)" : ""}`,
      provider,
      settings: () => withSignIn(provider, setup),
    })),
    {
      label: "Another provider, with an API key: OpenRouter, Groq, Mistral, xAI, DeepSeek …",
      provider: "more",
      settings: () => withOtherProvider(others, setup),
    },
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

/** A provider, or a server, that ikigai has no access to yet. */
function newAccess(provider: ProviderName, setup: SetupContext): Choice {
  const label = `${providerTable[provider].title}, with an API key`;
  const ask =
    provider === "openai-compatible" ? withServer.bind(undefined, undefined) : withNewKey.bind(undefined, provider);
  return { label, provider, settings: () => ask(setup) };
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
