// Logs in to a server by OAuth: finds its authorization server, opens a browser, waits for the redirect, and takes the tokens. Below:
// the provider that the client library asks, and the address that the browser returns to.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostOf, isLoopback } from "@ikigai/http";
import { redact, shellWord } from "@ikigai/system";
import {
  type AuthProvider,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isHttpsUrl,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import {
  changeLogins,
  currentLogin,
  type Login,
  type LoginFile,
  type OauthClient,
  readLogins,
} from "../../server/secrets-file.ts";
import { BridgeError } from "../bridge-error.ts";
import { connect } from "../connect.ts";
import { readUrl } from "../http/open-http.ts";
import type { ServerPlace } from "../server-place.ts";
import type { TransportOptions } from "../server-transport.ts";
import { type AuthFetch, createAuthFetch, toTokens } from "./access.ts";

/** How long the user may take, in milliseconds. */
const userMs = 300_000;

/** Longer URLs are no use: browsers and servers reject them. In characters. */
const maxUrlLength = 8_000;

/** What the user has chosen. */
export interface LoginOptions {
  readonly clientId?: string | undefined;
  readonly callbackPort?: number | undefined;
}

/** Who is at the other end of a login. */
interface LoginWire {
  readonly version: string;
  /** Where the user logs in, and where the code is sent if that is elsewhere. */
  readonly open: (event: LoginUrl) => void;
  /** The URLs that the user has pasted. */
  readonly pasted: AsyncIterable<string>;
  readonly log: (text: string) => void;
}

/** The URL that a login opens. */
export interface LoginUrl {
  readonly open: string;
  /** The origin that gets the code, if it is not that of the URL. */
  readonly codeGoesTo?: string;
}

/** Logs the user in at a server's authorization server, and stores the tokens. @throws BridgeError. */
export async function login(place: ServerPlace, options: LoginOptions, wire: LoginWire): Promise<{ issuer: string }> {
  const url = loginUrl(place);
  const file = readLogins(place.dataDir, place.url);
  const challenge = await challengeOf(place, wire);
  const authFetch = await createAuthFetch({ server: place.name, url, version: wire.version, env: place.env });
  let provider: LoginProvider | undefined;
  const isExpected = (query: URLSearchParams) => provider !== undefined && hasState(query, provider.state());
  const stored = currentLogin(file)?.client.redirectUrl;
  const listener = await listen(options.callbackPort, stored, isExpected);
  try {
    provider = new LoginProvider({ file, redirectUrl: listener.url, clientId: options.clientId });
    const scope = computeScopeUnion(challenge.scope, file.wantedScope);
    const request = {
      serverUrl: url,
      fetchFn: authFetch.fetch,
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    };
    await auth(provider, request);
    wire.open(urlsOf(provider, authFetch));
    const query = await redirectOf(listener, wire.pasted);
    await auth(provider, { ...request, ...codeOf(query, provider) });
    const { finished } = provider;
    if (!finished) throw failure(place, "The authorization server issued no token.");
    await changeLogins(place.dataDir, place.url, ({ server, logins }) => {
      return { server, issuer: finished.issuer, logins: { ...logins, [finished.issuer]: finished.login } };
    });
    return { issuer: finished.issuer };
  } catch (error) {
    throw error instanceof BridgeError ? error : failure(place, reasonOf(error, place, provider));
  } finally {
    listener.close();
    authFetch.close();
  }
}

function failure({ name }: ServerPlace, reason: string): BridgeError {
  return new BridgeError("MCP_REQUEST_FAILED", `The login to the MCP server ${name} failed: ${reason}`);
}

/** Statuses of a server that has no place where ikigai could register, or wants a key there, too. */
const noRegistration = [401, 403, 404, 405];

function reasonOf(error: unknown, { name, url, secrets }: ServerPlace, provider: LoginProvider | undefined): string {
  const isRejected = error instanceof RegistrationRejectedError;
  const isUnfit = isUnfitAnswer(error);
  if (provider?.isServerKnown === false && (isUnfit || (isRejected && noRegistration.includes(error.status)))) {
    const command = `ikigai mcp add ${name} ${shellWord(url)} --header 'Authorization: Bearer \${KEY}'`;
    return redact(`It names no authorization server. If it wants a key, set KEY and add it so: ${command}`, secrets);
  }
  if (isUnfit) return "The authorization server gave an answer that is not one of OAuth. Check the URL of the server.";
  if (!isRejected) return (error as Error).message;
  return `The authorization server rejected the registration of ikigai (HTTP ${error.status}). Register one there, and pass --client-id.`;
}

/** Whether an answer was no JSON, or other JSON than a login has: any server may answer at any path. */
function isUnfitAnswer(error: unknown): boolean {
  return error instanceof SyntaxError || (error as Error).name === "ZodError";
}

function loginUrl({ name, target, url }: ServerPlace): URL {
  if (!("url" in target))
    throw new BridgeError(
      "MCP_REQUEST_FAILED",
      `The MCP server ${name} is a program. Only remote servers have a login.`,
    );
  const read = readUrl(url, name);
  if (read.protocol === "https:" || isLoopback(hostOf(read))) return read;
  throw new BridgeError(
    "MCP_REQUEST_FAILED",
    `The MCP server ${name} is not encrypted (https), so a login would not be secret.`,
  );
}

/** Listens on the port that the client is registered with, if it is free: many authorization servers compare the whole URL. */
async function listen(
  wanted: number | undefined,
  stored: string | undefined,
  isExpected: (query: URLSearchParams) => boolean,
): Promise<RedirectListener> {
  const last = stored === undefined ? 0 : Number(new URL(stored).port);
  try {
    return await listenForRedirect({ port: wanted ?? last, isExpected });
  } catch (error) {
    if (wanted !== undefined)
      throw new BridgeError("MCP_REQUEST_FAILED", `Cannot listen on port ${wanted}: ${(error as Error).message}`);
    return listenForRedirect({ port: 0, isExpected });
  }
}

function hasState(query: URLSearchParams, state: string): boolean {
  const given = Buffer.from(query.get("state") ?? "");
  return given.length === state.length && timingSafeEqual(given, Buffer.from(state));
}

/** The URL for the browser. It comes from a server, so it is checked. */
function urlsOf({ authorizationUrl, tokenEndpoint }: LoginProvider, { check }: AuthFetch): LoginUrl {
  if (!authorizationUrl) throw new Error("The authorization server needs no login.");
  check(authorizationUrl);
  if (authorizationUrl.href.length > maxUrlLength)
    throw new Error(`The URL to open has more than ${maxUrlLength} characters.`);
  const { origin } = new URL(tokenEndpoint);
  return { open: authorizationUrl.href, ...(origin !== authorizationUrl.origin && { codeGoesTo: origin }) };
}

/** Waits for the browser, or for the URL that the user pastes from it. */
async function redirectOf(
  { redirected, url }: RedirectListener,
  pasted: AsyncIterable<string>,
): Promise<URLSearchParams> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`You did not log in within ${userMs / 60_000} minutes.`)), userMs);
  });
  const fromUser = (async () => {
    for await (const line of pasted) {
      const text = line.trim();
      if (text.startsWith(`${url}?`)) return new URL(text).searchParams;
    }
    return new Promise<never>(() => {});
  })();
  try {
    return await Promise.race([redirected, fromUser, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The code of a redirect. @throws Error if the redirect is not the answer to this login. */
function codeOf(query: URLSearchParams, provider: LoginProvider): { authorizationCode: string; iss?: string } {
  if (!hasState(query, provider.state()))
    throw new Error("The redirect belongs to another login (its state is wrong).");
  const [code, error, iss] = ["code", "error", "iss"].map((name) => query.get(name) ?? undefined);
  // Codes of errors are words with underscores; anything else may be made to mislead.
  if (error !== undefined)
    throw new Error(`The authorization server refused: ${/^\w{1,40}$/.exec(error)?.[0] ?? "unknown error"}.`);
  if (code === undefined) throw new Error("The redirect contains no code.");
  return { authorizationCode: code, ...(iss !== undefined && { iss }) };
}

/** How long the server may take to answer, in milliseconds. */
const answerMs = 30_000;

/** What a server says when it rejects a request without a token. */
type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/** Asks a server without a token what a login needs. @throws BridgeError if it cannot be reached. */
async function challengeOf(
  place: ServerPlace,
  { version, log }: Pick<TransportOptions, "version" | "log">,
): Promise<Challenge> {
  const access = new ChallengeReader();
  try {
    const connection = await connect(place, { version, log, timeoutMs: answerMs, access });
    // Some servers let everyone in and ask for a token later.
    await connection.close();
  } catch (error) {
    if (!access.challenge) throw error;
  }
  return access.challenge ?? {};
}

class ChallengeReader implements AuthProvider {
  challenge: Challenge | undefined;

  async token(): Promise<undefined> {
    return undefined;
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    this.challenge = extractWWWAuthenticateParams(response);
    throw new UnauthorizedError();
  }
}

const path = "/callback";

/** Waits for the browser to come back from an authorization server. */
interface RedirectListener {
  /** The redirect URL. */
  readonly url: string;
  /** The query of the first request to it that belongs to this login. */
  readonly redirected: Promise<URLSearchParams>;
  readonly close: () => void;
}

interface RedirectOptions {
  /** 0 for any port. */
  readonly port: number;
  /** Whether a query belongs to this login. Others are ignored: any web page can request the URL. */
  readonly isExpected: (query: URLSearchParams) => boolean;
}

/** Listens on this computer only. @throws the system's error if the port is taken. */
async function listenForRedirect({ port, isExpected }: RedirectOptions): Promise<RedirectListener> {
  let settle: (query: URLSearchParams) => void;
  const redirected = new Promise<URLSearchParams>((resolve) => {
    settle = resolve;
  });
  const server = createServer(({ method, url = "", headers }, response) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const isOwn = method === "GET" && headers.host === own && URL.canParse(url, `http://${own}`);
    const to = isOwn ? new URL(url, `http://${own}`) : undefined;
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("connection", "close");
    if (to?.pathname !== path) return void response.writeHead(404).end("Nothing here.\n");
    if (!isExpected(to.searchParams))
      return void response
        .writeHead(400)
        .end("This is not the login that ikigai is waiting for. It is still waiting.\n");
    response.writeHead(200).end("You can close this page and return to ikigai.\n");
    return settle(to.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}${path}`, redirected, close: () => void server.close() };
}

export interface LoginProviderOptions {
  readonly file: LoginFile;
  readonly redirectUrl: string;
  /** An id that the user has registered, or the https URL of a client metadata document. */
  readonly clientId?: string | undefined;
}

/** What a login has, at its end. */
export interface FinishedLogin {
  readonly issuer: string;
  readonly login: Login;
}

/** What the library asks for in a login. Everything stays in memory until it has succeeded. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly #file: LoginFile;
  readonly #clientId: string | undefined;
  readonly #state = randomBytes(32).toString("base64url");
  #authorizationUrl: URL | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;
  #client: OauthClient | undefined;
  #finished: { readonly issuer: string; readonly tokens: StoredOAuthTokens } | undefined;

  constructor({ file, redirectUrl, clientId }: LoginProviderOptions) {
    this.#file = file;
    this.redirectUrl = redirectUrl;
    if (isHttpsUrl(clientId)) this.clientMetadataUrl = clientId ?? "";
    else this.#clientId = clientId;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: "ikigai", redirect_uris: [this.redirectUrl], response_types: ["code"] };
  }

  /** Where the user logs in. */
  get authorizationUrl(): URL | undefined {
    return this.#authorizationUrl;
  }

  /** Where the code of the login is sent. */
  get tokenEndpoint(): string {
    const { authorizationServerMetadata: metadata, authorizationServerUrl = "" } = this.#discovery ?? {};
    return metadata?.token_endpoint ?? new URL("/token", authorizationServerUrl).href;
  }

  /** Whether the server, or the one at its address, describes where the user logs in. */
  get isServerKnown(): boolean {
    return this.#discovery?.authorizationServerMetadata !== undefined;
  }

  state(): string {
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const client = this.#clientAt(context?.issuer ?? "");
    if (!client) return undefined;
    const { id, secret } = client;
    // Given by the user or stored for this issuer, so it is used nowhere else.
    return { client_id: id, ...(secret !== undefined && { client_secret: secret }), ...context };
  }

  #clientAt(issuer: string): OauthClient | undefined {
    if (this.#clientId !== undefined) return { id: this.#clientId };
    if (this.#client) return this.#client;
    const stored = Object.hasOwn(this.#file.logins, issuer) ? this.#file.logins[issuer]?.client : undefined;
    return stored?.redirectUrl === this.redirectUrl ? stored : undefined;
  }

  saveClientInformation({ client_id, client_secret }: StoredOAuthClientInformation): void {
    this.#client = {
      id: client_id,
      ...(client_secret !== undefined && { secret: client_secret }),
      redirectUrl: this.redirectUrl,
    };
  }

  /** None: the user wants a new login. */
  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): void {
    this.#finished = { issuer: context?.issuer ?? "", tokens };
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** The login to store; `undefined` if there are no tokens. */
  get finished(): FinishedLogin | undefined {
    if (!this.#finished) return undefined;
    const { issuer, tokens } = this.#finished;
    const { authorizationServerMetadata: metadata, resourceMetadata } = this.#discovery ?? {};
    const revocation = metadata && "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
    // An authorization server may leave it out if it equals the requested scope.
    const scope = tokens.scope ?? this.#authorizationUrl?.searchParams.get("scope") ?? undefined;
    const login = {
      client: this.#clientAt(issuer) ?? { id: "" },
      tokenEndpoint: this.tokenEndpoint,
      authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
      ...(typeof revocation === "string" && { revocationEndpoint: revocation }),
      ...(resourceMetadata?.resource !== undefined && { resource: resourceMetadata.resource }),
      tokens: { ...toTokens(tokens), ...(scope !== undefined && { scope }) },
    };
    return { issuer, login };
  }
}
