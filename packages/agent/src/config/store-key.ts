import type { ProviderName } from "@ikigai/models";
import { AgentError, fromSystem } from "@ikigai/session";
import { makePrivateDirectory, withLock, withoutPassword, writePrivateFile } from "@ikigai/system";
import { credentialsPath, isKey, type KeyPlaces, readCredentials, type StoredKey } from "./credentials.ts";
import { type KeyringOptions, removeFromKeyring, storeInKeyring } from "./keyring.ts";
import { directoryProblem } from "./read-config-file.ts";

/** Where a key was put. */
export interface KeyStorage {
  readonly place: "file" | "keyring";
  /** Why it is not in the keyring, a sentence. */
  readonly why?: string;
}

/** What a key is stored for, and in which keyring. */
export interface StoreKeyOptions extends KeyringOptions {
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
  if (!isKey(apiKey))
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
  const stored = storedKeysIn(places.home)[provider];
  if (!stored) return undefined;
  const why = await removeFromKeyring(provider, places, options);
  await changeCredentials(places.home, provider, () => undefined);
  // A keyring that has nothing to remove, or does not work, says so too.
  if ("apiKey" in stored) return { place: "file" };
  return { place: "keyring", ...(why !== undefined && { why }) };
}

/** @throws AgentError `key_not_stored` when the file cannot be read: it is left as it is. */
function storedKeysIn(home: string) {
  const { credentials, problem } = readCredentials(home);
  if (problem !== undefined) throw new AgentError("key_not_stored", problem);
  return credentials;
}

/** Writes the file, even with what it had; returns what was stored before. */
async function changeCredentials(
  home: string,
  provider: ProviderName,
  change: (stored: StoredKey | undefined) => StoredKey | undefined,
): Promise<StoredKey | undefined> {
  const path = credentialsPath(home);
  makePrivateDirectory(home);
  const problem = directoryProblem(home);
  if (problem !== undefined) throw new AgentError("key_not_stored", `${path}: This file ${problem}`);
  try {
    return await withLock(path, () => {
      const { [provider]: before, ...others } = storedKeysIn(home);
      const stored = change(before);
      const changed = stored ? { ...others, [provider]: stored } : others;
      writePrivateFile(path, `${JSON.stringify(changed, null, 2)}\n`);
      return before;
    });
  } catch (error) {
    throw fromSystem(error, "key_not_stored");
  }
}
