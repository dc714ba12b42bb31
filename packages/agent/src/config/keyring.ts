// Stores keys: in the keyring of the system, else in `credentials.json`. In order: the keyring's programs, storing and removing a
// key, the tokens of accounts and their renewal, and the file. Loaded only when a key is stored, or is in the keyring.

import { join } from "node:path";
import {
  type AccountName,
  type AccountTokens,
  accounts,
  ModelError,
  type ProviderName,
  providerTable,
} from "@ikigai/models";
import { renewTokens } from "@ikigai/models/accounts";
import { AgentError, fromSystem } from "@ikigai/session";
import {
  findProgram,
  isMacOs,
  makePrivateDirectory,
  pathOutsideProject,
  runProgram,
  within,
  withLock,
  withoutPassword,
  writePrivateFile,
} from "@ikigai/system";
import { credentialsPath, isApiKey, type KeyPlaces, readCredentials, type StoredKey } from "./credentials.ts";
import { directoryProblem } from "./read-config.ts";

/** How long the keyring's program may take, in milliseconds: it may ask the user for a password. */
const patienceMs = 20_000;

/** More than a key and a few words, in bytes. */
const maxBytes = 65_536;

interface KeyringOptions {
  /** Whether to use the keychain of macOS; there it is used unless told otherwise. */
  readonly isKeychain?: boolean;
  readonly timeoutMs?: number;
}

/** The program to run. The key is never on a command line. */
interface Request {
  readonly args: readonly string[];
  readonly input?: string;
}

/** The system's own command for its keyring. */
interface Keyring {
  readonly program: string;
  /** `undefined` for a key that the command cannot be told safely. */
  store(provider: ProviderName, home: string, apiKey: string): Request | undefined;
  lookUp(provider: ProviderName, home: string): Request;
  remove(provider: ProviderName, home: string): Request;
}

const label = (provider: ProviderName) => `ikigai: ${providerTable[provider].title.replace(/^The /, "")} API key`;

/** The service of freedesktop.org, as `secret-tool` of libsecret reaches it. It reads the key from stdin. */
const secretTool: Keyring = {
  program: "secret-tool",
  store: (provider, home, input) => ({
    args: ["store", `--label=${label(provider)}`, ...named(provider, home)],
    input,
  }),
  lookUp: (provider, home) => ({ args: ["lookup", ...named(provider, home)] }),
  remove: (provider, home) => ({ args: ["clear", ...named(provider, home)] }),
};

/** Each home has keys of its own. */
function named(provider: ProviderName, home: string): string[] {
  return ["service", "ikigai", "provider", provider, "home", home];
}

/** The keychain of macOS. With `-i` it reads its command, and so the key, from stdin. */
const security: Keyring = {
  program: "security",
  store(provider, home, apiKey) {
    const words = ["add-generic-password", "-U", "-a", provider, "-s", serviceIn(home), "-w", apiKey];
    // Its quoting is not documented: what would need any is not stored there.
    return words.some((word) => /["'\\\n]/.test(word))
      ? undefined
      : { args: ["-i"], input: `${words.map((word) => `"${word}"`).join(" ")}\n` };
  },
  lookUp: (provider, home) => ({ args: ["find-generic-password", "-a", provider, "-s", serviceIn(home), "-w"] }),
  remove: (provider, home) => ({ args: ["delete-generic-password", "-a", provider, "-s", serviceIn(home)] }),
};

function serviceIn(home: string): string {
  return `ikigai ${home}`;
}

/** The key from the keyring, or a sentence that says why there is no key. */
type FoundKey = { readonly apiKey: string } | { readonly problem: string };

/** Reads a key from the system's keyring. Never rejects. */
export async function lookUpKey(
  provider: ProviderName,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<FoundKey> {
  const keyring = keyringOf(options);
  const ended = await run(keyring, keyring.lookUp(provider, places.home), places, options);
  if ("problem" in ended) return ended;
  const apiKey = ended.stdout.trim();
  if (isApiKey(apiKey)) return { apiKey };
  return { problem: `${keyring.program} ${apiKey === "" ? "has no key" : "returned something that is not a key"}.` };
}

/**
 * Stores a key in the system's keyring, and reads it back: only then it counts as stored. Never rejects.
 *
 * @returns why it could not be stored, a sentence; `undefined` when it was.
 */
export async function storeInKeyring(
  provider: ProviderName,
  apiKey: string,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<string | undefined> {
  const keyring = keyringOf(options);
  const request = keyring.store(provider, places.home, apiKey);
  if (!request) return `${keyring.program} has no safe way to accept this key.`;
  const ended = await run(keyring, request, places, options);
  if ("problem" in ended) return ended.problem;
  const found = await lookUpKey(provider, places, options);
  if ("problem" in found) return found.problem;
  return found.apiKey === apiKey ? undefined : `${keyring.program} returned a different key from the one stored.`;
}

/** Removes a key from the keyring; returns why it could not be, a sentence. Never rejects. */
export async function removeFromKeyring(
  provider: ProviderName,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<string | undefined> {
  const keyring = keyringOf(options);
  const ended = await run(keyring, keyring.remove(provider, places.home), places, options);
  return "problem" in ended ? ended.problem : undefined;
}

/** What the keyring is called, for people. */
export function keyringName({ isKeychain = isMacOs }: KeyringOptions = {}): string {
  return isKeychain ? "keychain" : "keyring";
}

function keyringOf({ isKeychain = isMacOs }: KeyringOptions): Keyring {
  return isKeychain ? security : secretTool;
}

async function run(
  { program }: Keyring,
  { args, input }: Request,
  { projectDir, env }: KeyPlaces,
  { timeoutMs = patienceMs }: KeyringOptions,
): Promise<{ readonly stdout: string } | { readonly problem: string }> {
  // Both: a repository that holds the user's home, with dotfiles for instance, excludes nothing.
  const searchPath = pathOutsideProject(env.PATH ?? "", projectDir);
  const path = findProgram(program, searchPath, projectDir);
  if (path === undefined) return { problem: `${program} is not installed.` };
  const options = { env, projectDir, cwd: "/", timeoutMs, maxBytes, ...(input !== undefined && { input }) };
  const startedMs = performance.now();
  // What it has started may keep its streams open when it has been killed.
  const ended = await within(timeoutMs + 100, runProgram(path, args, options));
  if (ended?.exitCode === 0) return { stdout: ended.stdout.toString("utf8") };
  if (ended === undefined || performance.now() - startedMs >= timeoutMs)
    return { problem: `${program} did not answer in ${timeoutMs / 1_000} s.` };
  return { problem: `${program} failed (exit code ${ended.exitCode ?? "unknown"}).` };
}

/** Where a key was put. */
export interface KeyStorage {
  readonly place: "file" | "keyring";
  /** Why it is not in the keyring, a sentence. */
  readonly why?: string;
}

/** What a key is stored for, and in which keyring. */
interface StoreKeyOptions extends KeyringOptions {
  /** The base URL that the key is for, if it is not the provider's own; the key is sent there too. */
  readonly baseUrl?: string | undefined;
}

/**
 * Stores a key: in the system's keyring where that works, else in `credentials.json`, which only the user can read. The keyring
 * is changed only after a test that the file can be written.
 *
 * @throws AgentError `key_not_stored` when the text is not a key, or the file cannot be read or locked; the system's error when it
 * cannot be written. The file is then as before.
 */
export async function storeKey(
  provider: ProviderName,
  apiKey: string,
  places: KeyPlaces,
  options: StoreKeyOptions = {},
): Promise<KeyStorage> {
  if (!isApiKey(apiKey))
    throw new AgentError("key_not_stored", "This is not a key: keys have no white space and only ASCII characters.");
  const before = await changeCredentials(places.home, provider, (stored) => stored);
  const baseUrl = options.baseUrl === undefined ? undefined : withoutPassword(options.baseUrl);
  const address = baseUrl === undefined ? {} : { baseUrl };
  const why = await storeInKeyring(provider, apiKey, places, options);
  const isInKeyring = before !== undefined && "keyring" in before;
  if (why === undefined && isInKeyring && before.baseUrl === baseUrl) return { place: "keyring" };
  const stored: StoredKey = why === undefined ? { keyring: true, ...address } : { apiKey, ...address };
  try {
    await changeCredentials(places.home, provider, () => stored);
  } catch (error) {
    // A new key must not stay there with the base URL of the old one.
    if (why === undefined || !isInKeyring) await removeFromKeyring(provider, places, options);
    throw error;
  }
  if (why === undefined) return { place: "keyring" };
  // A keyring that failed may still have the old key, or even the new one.
  await removeFromKeyring(provider, places, options);
  return { place: "file", why };
}

/**
 * Removes a stored key: from the keyring too when it is in the file.
 *
 * @returns where it was, and why it may still be in the keyring; `undefined` if no key was stored.
 * @throws as `storeKey` does.
 */
export async function removeKey(
  provider: ProviderName,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<KeyStorage | undefined> {
  const stored = storedIn(places.home).credentials[provider];
  if (!stored) return undefined;
  const why = await removeFromKeyring(provider, places, options);
  await changeCredentials(places.home, provider, () => undefined);
  // A keyring that has nothing to remove, or does not work, says so too.
  if ("apiKey" in stored) return { place: "file" };
  return { place: "keyring", ...(why !== undefined && { why }) };
}

/** @throws AgentError `key_not_stored` when the file cannot be read: it is left as it is. */
function storedIn(home: string) {
  const { credentials, signIns, problem } = readCredentials(home);
  if (problem !== undefined) throw new AgentError("key_not_stored", problem);
  return { credentials, signIns };
}

/** Writes the file, even with what it had; returns what was stored before. */
function changeCredentials(
  home: string,
  provider: ProviderName,
  change: (stored: StoredKey | undefined) => StoredKey | undefined,
): Promise<StoredKey | undefined> {
  return changeFile(home, ({ credentials: { [provider]: before, ...others }, signIns }) => {
    const stored = change(before);
    return { after: { ...others, ...(stored && { [provider]: stored }), ...signIns }, before };
  });
}

/**
 * Stores the tokens of an account in `credentials.json`, which only the user can read, or removes them.
 *
 * @returns the tokens before.
 * @throws as `storeKey` does.
 */
export function storeTokens(
  account: AccountName,
  tokens: AccountTokens | undefined,
  { home }: Pick<KeyPlaces, "home">,
): Promise<AccountTokens | undefined> {
  return changeFile(home, ({ credentials, signIns: { [account]: before, ...others } }) => {
    return { after: { ...credentials, ...others, ...(tokens && { [account]: tokens }) }, before };
  });
}

/** How long before its end a token is renewed, in milliseconds: longer than it takes to send a request. */
const marginMs = 60_000;

/**
 * The tokens of an account, renewed if need be. Only one process renews them: an old refresh token may not be used twice.
 *
 * @param rejected an access token that the service has rejected.
 * @throws ModelError as `StoredKeys.tokens` does; AgentError as `storeKey` does.
 */
export async function freshTokens(
  account: AccountName,
  { home, env }: Pick<KeyPlaces, "home" | "env">,
  rejected?: string,
): Promise<AccountTokens> {
  const read = () => {
    const tokens = storedIn(home).signIns[account];
    if (tokens) return tokens;
    const { title } = accounts[account];
    throw new ModelError("configuration", `You are not signed in to ${title}. To sign in: ikigai login ${account}`);
  };
  const isFresh = ({ access, expiresAtMs }: AccountTokens) =>
    access !== rejected && expiresAtMs - Date.now() > marginMs;
  const known = read();
  if (isFresh(known)) return known;
  return withLock(join(home, "sign-in"), async () => {
    const now = read();
    if (isFresh(now)) return now;
    const renewed = await renewTokens(account, now, env);
    await storeTokens(account, renewed, { home });
    return renewed;
  });
}

/** What `change` makes of the file, and what it returns. */
async function changeFile<Before>(
  home: string,
  change: (stored: ReturnType<typeof storedIn>) => { readonly after: object; readonly before: Before },
): Promise<Before> {
  const path = credentialsPath(home);
  makePrivateDirectory(home);
  const problem = directoryProblem(home);
  if (problem !== undefined) throw new AgentError("key_not_stored", `${path}: This file ${problem}`);
  try {
    return await withLock(path, () => {
      const { after, before } = change(storedIn(home));
      writePrivateFile(path, `${JSON.stringify(after, null, 2)}\n`);
      return before;
    });
  } catch (error) {
    throw fromSystem(error, "key_not_stored");
  }
}
