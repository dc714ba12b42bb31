import { type ProviderName, providerTable } from "@ikigai/models";
import { findProgram, isMacOs, pathOutsideProject, runProgram, within } from "@ikigai/system";
import { isKey, type KeyPlaces } from "./credentials.ts";

/** How long the keyring's program may take, in milliseconds: it may ask the user for a password. */
const patienceMs = 20_000;

/** More than a key and a few words, in bytes. */
const maxBytes = 65_536;

export interface KeyringOptions {
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
export type FoundKey = { readonly apiKey: string } | { readonly problem: string };

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
  if (isKey(apiKey)) return { apiKey };
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
