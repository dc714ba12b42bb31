// The stored keys as models get them: those in the file at once, one in the keyring when it is first needed, and the tokens of
// accounts, renewed before they expire.

import { inSentence, ModelError, type ProviderName, providerTable, type StoredKeys } from "@ikigai/models";
import { type KeyPlaces, readCredentials } from "./credentials.ts";

/** Reads which keys are stored, and those in the file. Starts no program; never throws. */
export function storedKeys(places: KeyPlaces): StoredKeys {
  let { credentials, signIns, problem } = readCredentials(places.home);
  const fromKeyring = new Map<ProviderName, Promise<string>>();
  const known = new Map<ProviderName, string>();
  const listeners: ((key: string) => void)[] = [];
  let told: string | undefined;
  const ask = async (provider: ProviderName) => {
    const { lookUpKey } = await import("./keyring.ts");
    const found = await lookUpKey(provider, places);
    if ("problem" in found) throw new ModelError("configuration", notGiven(provider, found.problem));
    known.set(provider, found.apiKey);
    for (const listener of listeners) listener(found.apiKey);
    return found.apiKey;
  };
  const inFile = () => [
    ...Object.values(credentials).flatMap((stored) => ("apiKey" in stored ? stored.apiKey : [])),
    ...Object.values(signIns).flatMap(({ access, refresh }) => [access, refresh]),
  ];
  return {
    get problem() {
      return problem;
    },
    placeOf(provider) {
      const stored = credentials[provider];
      return stored && ("apiKey" in stored ? "file" : "keyring");
    },
    baseUrlOf: (provider) => credentials[provider]?.baseUrl,
    known(provider) {
      const stored = credentials[provider];
      return stored && "apiKey" in stored ? stored.apiKey : known.get(provider);
    },
    async read(provider) {
      const stored = credentials[provider];
      if (!stored || "apiKey" in stored) return stored?.apiKey;
      const asked = fromKeyring.get(provider) ?? ask(provider);
      fromKeyring.set(provider, asked);
      // A keyring that was locked is asked again.
      asked.catch(() => fromKeyring.delete(provider));
      return asked;
    },
    isSignedIn: (account) => signIns[account] !== undefined,
    tokensKnown: () => Object.values(signIns).flatMap(({ access, refresh }) => [access, refresh]),
    async tokens(account, rejected) {
      const { freshTokens } = await import("./keyring.ts");
      const tokens = await freshTokens(account, places, rejected);
      if (tokens.access !== told)
        for (const listener of listeners) for (const token of [tokens.access, tokens.refresh]) listener(token);
      told = tokens.access;
      return tokens;
    },
    onKey: (listener) => void listeners.push(listener),
    refresh() {
      ({ credentials, signIns, problem } = readCredentials(places.home));
      fromKeyring.clear();
      known.clear();
      for (const listener of listeners) for (const key of inFile()) listener(key);
    },
    toJSON: () => undefined,
  };
}

function notGiven(provider: ProviderName, problem: string): string {
  const { title, keyVariable } = providerTable[provider];
  return `Cannot read the key of ${inSentence(title)} from the keyring: ${problem} Store it again with ikigai login ${provider}, or set ${keyVariable}.`;
}
