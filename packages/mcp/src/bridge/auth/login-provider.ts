import { randomBytes } from "node:crypto";
import {
  isHttpsUrl,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Login, LoginFile, OauthClient } from "../../server/login-file.ts";
import { toTokens } from "./refresh-tokens.ts";

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
