// What logging in and setup share: the stored keys and the questions about one; signing in to an account by a code that the user types into a
// web page, and ending that.

import { type Config, loadConfig, storedKeys } from "@ikigai/agent/internal";
import { storeTokens } from "@ikigai/agent/setup";
import { type AccountName, accounts, ModelError, type ProviderName, providerTable } from "@ikigai/models";
import { revokeTokens, signedIn, startSignIn } from "@ikigai/models/accounts";
import { sanitiseLine } from "@ikigai/screen";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import { keyPlace } from "../render/render-settings.ts";
import type { CommandContext } from "./command.ts";

/** The configuration, with the keys that are stored. */
export function configWithKeys({ places, env }: CommandContext): Config {
  return { ...loadConfig(places.home).config, storedKeys: storedKeys({ ...places, env }) };
}

/** The prompt for a provider's key: a note on the answer in parentheses, then the way out, if there is another than Ctrl-C. */
export function keyQuestion(provider: ProviderName, note = "not shown", wayOut = ""): string {
  const title = provider === "openai-compatible" ? "the OpenAI-compatible server" : providerTable[provider].title;
  return `API key for ${title} (${note})${wayOut}: `;
}

/** Whether an error leaves open whether the key is right. */
export function isKeyUntested({ code }: ModelError): boolean {
  return ["network", "timeout", "unavailable", "rate_limited", "configuration", "not_a_model"].includes(code);
}

export const untestedQuestion = "The key was not tested. Store it anyway?";

/**
 * Shows the code, waits until the user has typed it, and stores the tokens.
 *
 * @throws ModelError when the service does not answer, or refuses; AgentError when the tokens cannot be stored.
 */
export async function signIn(account: AccountName, { places, env }: CommandContext): Promise<void> {
  const started = await startSignIn(account, env);
  printError(`Open ${sanitiseLine(started.url)}\nand enter the code ${sanitiseLine(started.code)}\n`);
  printError("Waiting until you have done so (Ctrl-C cancels).\n");
  const tokens = await signedIn(started);
  await storeTokens(account, tokens, places);
  printError(`Signed in to ${accounts[account].title}. `);
  printError(`The tokens are in ${keyPlace("file", env)}, which only you can read.\n`);
}

/** `ikigai login ACCOUNT`. */
export async function login(account: AccountName, context: CommandContext): Promise<number> {
  try {
    await signIn(account, context);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    printError(`ikigai: ${sanitiseLine(error.message)}\n`);
    return exitCodes.failed;
  }
  printOut(`To list its models: ikigai models ${account}\n`);
  return exitCodes.done;
}

/** `ikigai logout ACCOUNT`: removes the tokens, also when the service does not answer. */
export async function logout(account: AccountName, { places, env }: CommandContext): Promise<number> {
  const { title } = accounts[account];
  const tokens = await storeTokens(account, undefined, places);
  if (tokens === undefined) {
    printError(`ikigai: You are not signed in to ${title}.\n`);
    return exitCodes.failed;
  }
  printOut(`Removed the tokens of ${title} from ${keyPlace("file", env)}.\n`);
  const problem = await revocationProblem(account, tokens, env);
  if (problem === undefined) return exitCodes.done;
  const page =
    account === "copilot" ? "https://github.com/settings/applications" : "https://chatgpt.com/#settings/Security";
  printError(`ikigai: ${title} may still accept them: ${problem} To end the sign-in there: ${page}\n`);
  return exitCodes.failed;
}

async function revocationProblem(
  account: AccountName,
  tokens: Parameters<typeof revokeTokens>[1],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    return (await revokeTokens(account, tokens, env)) ? undefined : "it did not confirm that it revoked them.";
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return sanitiseLine(error.message);
  }
}

/** Whether the user is signed in to an account, for people. */
export function signInState(account: AccountName, { storedKeys }: Config, env: NodeJS.ProcessEnv): string {
  if (!storedKeys?.isSignedIn(account)) return "not signed in";
  return `signed in, tokens in ${keyPlace("file", env)}`;
}
