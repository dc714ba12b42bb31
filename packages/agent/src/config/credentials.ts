// `credentials.json`, where `ikigai login` keeps keys and sign-ins: how it is read, and what counts as a key. `keyring.ts` writes
// it.

import { join } from "node:path";
import { type AccountName, type AccountTokens, accountNames, type ProviderName, providerNames } from "@ikigai/models";
import { isJsonObject } from "@ikigai/protocol";
import { readConfigFile } from "./read-config.ts";

/** Where `ikigai login` has put a key (in the file itself, or in the system's keyring), and the base URL it was stored for. */
export type StoredKey = ({ readonly apiKey: string } | { readonly keyring: true }) & { readonly baseUrl?: string };

/** What the file of keys holds, by provider. */
export type Credentials = Readonly<Partial<Record<ProviderName, StoredKey>>>;

/** The accounts that the user has signed in to. */
export type SignIns = Readonly<Partial<Record<AccountName, AccountTokens>>>;

/** What the file holds. */
interface Stored {
  readonly credentials: Credentials;
  readonly signIns: SignIns;
}

/** Where programs are looked for, and in which environment they run. */
export interface KeyPlaces {
  /** The user's own directory of ikigai. */
  readonly home: string;
  /** No program of the project, or of the repository around it, is run. */
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
}

export function credentialsPath(home: string): string {
  return join(home, "credentials.json");
}

/** What is in the file of keys, or what is wrong with it. */
export function readCredentials(home: string): Stored & { readonly problem?: string } {
  const path = credentialsPath(home);
  const reading = readConfigFile(path);
  const nothing = { credentials: {}, signIns: {} };
  if ("problem" in reading)
    return { ...nothing, problem: `${path}: This file ${reading.problem} Keys in it are not used.` };
  const stored = reading.text === "" ? nothing : parse(reading.text);
  if (stored) return stored;
  return {
    ...nothing,
    problem: `${path}: This file is damaged, or ikigai login did not write it. Keys in it are not used. Repair it, or remove it and run ikigai login.`,
  };
}

/** `undefined` when it is anything else than what is written there. */
function parse(text: string): Stored | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const isAccount = ([name]: readonly [string, unknown]) => accountNames.some((known) => known === name);
  const all = Object.entries(value);
  const keys = all.filter((entry) => !isAccount(entry)).map(([name, one]) => [nameOf(name), storedKeyOf(one)] as const);
  const signIns = all.filter(isAccount).map(([name, one]) => [name, tokensOf(one)] as const);
  const isWhole = [...keys, ...signIns].every(([name, one]) => name !== undefined && one !== undefined);
  return isWhole ? { credentials: Object.fromEntries(keys), signIns: Object.fromEntries(signIns) } : undefined;
}

function tokensOf(value: unknown): AccountTokens | undefined {
  if (!isJsonObject(value)) return undefined;
  const { access, refresh, expiresAtMs, accountId, baseUrl } = value;
  if (typeof access !== "string" || typeof refresh !== "string" || typeof expiresAtMs !== "number") return undefined;
  const more = { ...(typeof accountId === "string" && { accountId }), ...(typeof baseUrl === "string" && { baseUrl }) };
  return { access, refresh, expiresAtMs, ...more };
}

function nameOf(name: string): ProviderName | undefined {
  return providerNames.find((known) => known === name);
}

function storedKeyOf(value: unknown): StoredKey | undefined {
  if (!isJsonObject(value)) return undefined;
  const { baseUrl, apiKey, keyring } = value;
  if (baseUrl !== undefined && typeof baseUrl !== "string") return undefined;
  const address = baseUrl === undefined ? {} : { baseUrl };
  if (keyring === true) return { keyring, ...address };
  return typeof apiKey === "string" && isApiKey(apiKey) ? { apiKey, ...address } : undefined;
}

/** Longer than any key, in characters. */
const maxKeyLength = 4_096;

/** Whether a text can be sent as a key: no white space, no control character, nothing beyond ASCII. */
export function isApiKey(text: string): boolean {
  return text.length <= maxKeyLength && /^[\x21-\x7e]+$/.test(text);
}
