// What is kept of a server's secrets, mode 0600: the values that its entry names, and the tokens of a login.

import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { makePrivateDirectory, readRegularFile, withLock, writePrivateFile } from "@ikigai/system";

/** Values by the names that stand for them in an entry. */
export type Secrets = Readonly<Record<string, string>>;

/** The largest file that is read from a server's data directory, in bytes: the server can write there, also from the sandbox. */
export const maxDataBytes = 1_048_576;

function secretsFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/** Reads a server's secrets; none if there is no file, or it is damaged. @param dataDir the server's data directory. */
export function readSecrets(dataDir: string): Secrets {
  try {
    const value: unknown = JSON.parse(readRegularFile(secretsFile(dataDir), maxDataBytes).toString("utf8"));
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

/**
 * Writes a server's secrets for its user only; without secrets, removes the file.
 *
 * @throws the system's error.
 */
export function writeSecrets(dataDir: string, secrets: Secrets): void {
  if (Object.keys(secrets).length === 0) rmSync(secretsFile(dataDir), { force: true });
  else writePrivateFile(secretsFile(dataDir), `${JSON.stringify(secrets)}\n`);
}

/**
 * Writes a server's secrets for what is then done with them. If that fails, restores what was stored before.
 *
 * @throws the system's error, and what `work` throws.
 */
export async function withSecrets(dataDir: string, secrets: Secrets, work: () => Promise<void>): Promise<void> {
  const before = readSecrets(dataDir);
  writeSecrets(dataDir, secrets);
  try {
    await work();
  } catch (error) {
    writeSecrets(dataDir, before);
    removeIfEmpty(dataDir);
    throw error;
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It is missing, or has other data.
  }
}

/** The tokens of a login. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly scope?: string;
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAtMs?: number;
}

/** How ikigai is known to an authorization server. */
export interface OauthClient {
  readonly id: string;
  readonly secret?: string;
  /** The redirect URL that it was registered with. */
  readonly redirectUrl?: string;
}

/** A login at one authorization server. */
export interface Login {
  readonly client: OauthClient;
  readonly tokenEndpoint: string;
  /** How a client authenticates there, as the server's metadata says. */
  readonly authMethods: readonly string[];
  readonly revocationEndpoint?: string;
  /** The resource that the tokens are for. */
  readonly resource?: string;
  /** Missing after the authorization server has refused to refresh them. */
  readonly tokens?: Tokens;
}

/** The logins of a server: `tokens.json` of its data directory. */
export interface LoginFile {
  /** The server's URL. Its tokens go nowhere else. */
  readonly server: string;
  /** The authorization server of the last login. */
  readonly issuer?: string;
  /** By issuer. */
  readonly logins: Readonly<Record<string, Login>>;
  /** The scopes that a call has needed, which the next login asks for. */
  readonly wantedScope?: string;
}

function pathOf(dataDir: string): string {
  return join(dataDir, "tokens.json");
}

/** Reads the logins of a server; none if there is no file, it is damaged, or it belongs to another URL. */
export function readLogins(dataDir: string, server: string): LoginFile {
  const file = readFile(dataDir);
  return file?.server === server ? file : { server, logins: {} };
}

/** Returns the current login, if there is one. */
export function currentLogin({ issuer, logins }: LoginFile): Login | undefined {
  return issuer !== undefined && Object.hasOwn(logins, issuer) ? logins[issuer] : undefined;
}

/** Whether the user has to log in again: there was a login, or a call has needed one, and there are no tokens. */
export function lacksLogin(dataDir: string): boolean {
  const file = readFile(dataDir);
  return file !== undefined && currentLogin(file)?.tokens === undefined;
}

/** The URL of the server that logins are for; `undefined` without any. */
export function loginServer(dataDir: string): string | undefined {
  return readFile(dataDir)?.server;
}

/**
 * Changes the logins of a server. Other processes wait meanwhile.
 *
 * @param change gets what the file has now; `undefined` leaves it as it is.
 * @throws LockError, the system's error, and what `change` throws.
 */
export async function changeLogins(
  dataDir: string,
  server: string,
  change: (file: LoginFile) => LoginFile | undefined | Promise<LoginFile | undefined>,
): Promise<void> {
  makePrivateDirectory(dataDir);
  await withLock(pathOf(dataDir), async () => {
    const changed = await change(readLogins(dataDir, server));
    if (changed) writePrivateFile(pathOf(dataDir), `${JSON.stringify(changed)}\n`);
  });
}

/** Removes all logins of a server. */
export async function removeLogins(dataDir: string): Promise<void> {
  if (loginServer(dataDir) === undefined) return;
  await withLock(pathOf(dataDir), () => rmSync(pathOf(dataDir), { force: true }));
}

function readFile(dataDir: string): LoginFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readRegularFile(pathOf(dataDir), maxDataBytes).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value.server !== "string") return undefined;
  const { server, issuer, logins, wantedScope } = value;
  const read = Object.entries(isJsonObject(logins) ? logins : {}).flatMap(([key, one]) => {
    const login = readLogin(one);
    return login ? [[key, login] as const] : [];
  });
  return { server, logins: Object.fromEntries(read), ...texts({ issuer, wantedScope }) };
}

function readLogin(value: JsonValue): Login | undefined {
  if (!isJsonObject(value)) return undefined;
  const { client, tokenEndpoint, authMethods, revocationEndpoint, resource, tokens } = value;
  if (!isJsonObject(client) || typeof client.id !== "string" || typeof tokenEndpoint !== "string") return undefined;
  const { secret, redirectUrl } = client;
  const read = readTokens(tokens);
  return {
    client: { id: client.id, ...texts({ secret, redirectUrl }) },
    tokenEndpoint,
    authMethods: Array.isArray(authMethods) ? authMethods.filter((one) => typeof one === "string") : [],
    ...texts({ revocationEndpoint, resource }),
    ...(read && { tokens: read }),
  };
}

function readTokens(value: JsonValue | undefined): Tokens | undefined {
  if (!isJsonObject(value) || typeof value.access !== "string") return undefined;
  const { access, refresh, scope, expiresAtMs } = value;
  return { access, ...texts({ refresh, scope }), ...(typeof expiresAtMs === "number" && { expiresAtMs }) };
}

/** The fields that are texts. */
function texts(fields: JsonObject | Record<string, JsonValue | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
