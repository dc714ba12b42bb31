import { type OAuthTokens, refreshAuthorization } from "@modelcontextprotocol/client";
import type { Login, Tokens } from "../../server/login-file.ts";
import { type AuthFetchOptions, createAuthFetch } from "./auth-fetch.ts";

/**
 * Refreshes tokens.
 *
 * @throws OAuthError with the authorization server's refusal, BridgeError if it cannot be reached.
 */
export async function refreshTokens(login: Login, options: AuthFetchOptions): Promise<Tokens> {
  const { client, tokenEndpoint, authMethods, resource, tokens } = login;
  const { fetch, close } = await createAuthFetch(options);
  try {
    const fresh = await refreshAuthorization(tokenEndpoint, {
      metadata: {
        issuer: tokenEndpoint,
        authorization_endpoint: tokenEndpoint,
        token_endpoint: tokenEndpoint,
        response_types_supported: ["code"],
        token_endpoint_auth_methods_supported: [...authMethods],
      },
      clientInformation: { client_id: client.id, ...(client.secret !== undefined && { client_secret: client.secret }) },
      refreshToken: tokens?.refresh ?? "",
      ...(resource !== undefined && { resource }),
      fetchFn: fetch,
    });
    const scope = fresh.scope ?? tokens?.scope;
    return { ...toTokens(fresh), ...(scope !== undefined && { scope }) };
  } finally {
    close();
  }
}

/** The tokens of a response. */
export function toTokens({ access_token, refresh_token, scope, expires_in }: OAuthTokens): Tokens {
  return {
    access: access_token,
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(scope !== undefined && { scope }),
    ...(Number.isFinite(expires_in) && { expiresAtMs: Date.now() + Number(expires_in) * 1_000 }),
  };
}
