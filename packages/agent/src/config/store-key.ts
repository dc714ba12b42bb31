import { makePrivateDirectory, withLock, writePrivateFile } from "@ikigai/system";
import { AgentError, fromSystem } from "../model/agent-error.ts";
import type { ProviderName } from "../model/provider-table.ts";
import { credentialsPath, isKey, type KeyPlaces, readCredentials, type StoredKey } from "./credentials.ts";
import { type KeyringOptions, removeFromKeyring, storeInKeyring } from "./keyring.ts";

/** Where a key was put. */
export interface KeyStorage {
  readonly place: "file" | "keyring";
  /** Why it is not in the keyring, a sentence. */
  readonly why?: string;
}

/**
 * Stores a key: in the system's keyring where that works, else in `credentials.json`, which only the user can read.
 *
 * @throws AgentError `key_not_stored` when the text is no key, or the file cannot be read or locked; the system's error when it
 * cannot be written. The file is then as before.
 */
export async function storeKey(
  provider: ProviderName,
  apiKey: string,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<KeyStorage> {
  if (!isKey(apiKey))
    throw new AgentError("key_not_stored", "This is not a key: keys have no white space and only ASCII characters.");
  const before = storedKeysIn(places.home)[provider];
  const why = await storeInKeyring(provider, apiKey, places, options);
  try {
    await changeCredentials(places.home, provider, why === undefined ? { keyring: true } : { apiKey });
  } catch (error) {
    if (why === undefined) await removeFromKeyring(provider, places, options);
    throw error;
  }
  if (why === undefined) return { place: "keyring" };
  if (before && "keyring" in before) await removeFromKeyring(provider, places, options);
  return { place: "file", why };
}

/**
 * Removes a stored key.
 *
 * @returns where it was, and why it may still be in the keyring; `undefined` when none was stored.
 * @throws as `storeKey` does.
 */
export async function removeKey(
  provider: ProviderName,
  places: KeyPlaces,
  options: KeyringOptions = {},
): Promise<KeyStorage | undefined> {
  const stored = storedKeysIn(places.home)[provider];
  if (!stored) return undefined;
  const why = "keyring" in stored ? await removeFromKeyring(provider, places, options) : undefined;
  await changeCredentials(places.home, provider, undefined);
  return { place: "keyring" in stored ? "keyring" : "file", ...(why !== undefined && { why }) };
}

/** @throws AgentError `key_not_stored` when the file cannot be read: it is left as it is. */
function storedKeysIn(home: string) {
  const { credentials, problem } = readCredentials(home);
  if (problem !== undefined) throw new AgentError("key_not_stored", problem);
  return credentials;
}

async function changeCredentials(home: string, provider: ProviderName, stored: StoredKey | undefined): Promise<void> {
  const path = credentialsPath(home);
  makePrivateDirectory(home);
  try {
    await withLock(path, () => {
      const { [provider]: _, ...others } = storedKeysIn(home);
      const changed = stored ? { ...others, [provider]: stored } : others;
      writePrivateFile(path, `${JSON.stringify(changed, null, 2)}\n`);
    });
  } catch (error) {
    throw fromSystem(error, "key_not_stored");
  }
}
