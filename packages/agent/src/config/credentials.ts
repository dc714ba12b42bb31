import { join } from "node:path";
import { type ProviderName, providerNames } from "@ikigai/models";
import { isJsonObject } from "@ikigai/protocol";
import { readConfigFile } from "./read-config-file.ts";

/** Where `ikigai login` has put a key (in the file itself, or in the system's keyring), and the base URL it was stored for. */
export type StoredKey = ({ readonly apiKey: string } | { readonly keyring: true }) & { readonly baseUrl?: string };

/** What the file of keys holds, by provider. */
export type Credentials = Readonly<Partial<Record<ProviderName, StoredKey>>>;

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
export function readCredentials(home: string): { readonly credentials: Credentials; readonly problem?: string } {
  const path = credentialsPath(home);
  const reading = readConfigFile(path);
  if ("problem" in reading)
    return { credentials: {}, problem: `${path}: This file ${reading.problem} Keys in it are not used.` };
  const credentials = reading.text === "" ? {} : parse(reading.text);
  if (credentials) return { credentials };
  return {
    credentials: {},
    problem: `${path}: This file is damaged, or ikigai login did not write it. Keys in it are not used. Repair it, or remove it and run ikigai login.`,
  };
}

/** `undefined` when it is anything else than what is written there. */
function parse(text: string): Credentials | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).map(([name, stored]) => [nameOf(name), storedKeyOf(stored)] as const);
  return entries.every(([name, stored]) => name !== undefined && stored !== undefined)
    ? Object.fromEntries(entries)
    : undefined;
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
  return typeof apiKey === "string" && isKey(apiKey) ? { apiKey, ...address } : undefined;
}

/** Longer than any key, in characters. */
const maxKeyLength = 4_096;

/** Whether a text can be sent as a key: no white space, no control character, nothing beyond ASCII. */
export function isKey(text: string): boolean {
  return text.length <= maxKeyLength && /^[\x21-\x7e]+$/.test(text);
}
