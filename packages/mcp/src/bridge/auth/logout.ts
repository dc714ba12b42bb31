import { currentLogin, readLogins, removeLogins } from "../../server/login-file.ts";
import { readUrl } from "../http/open-http.ts";
import type { ServerPlace } from "../server-place.ts";
import { createAuthFetch } from "./auth-fetch.ts";

/**
 * Removes the tokens of a server, and asks the authorization server to revoke them.
 *
 * @returns whether it did; many have no endpoint for that.
 * @throws LockError, the system's error, BridgeError if the URL is invalid.
 */
export async function logout(place: ServerPlace, version: string): Promise<{ readonly isRevoked: boolean }> {
  const { name, url, dataDir, env } = place;
  const login = currentLogin(readLogins(dataDir, url));
  await removeLogins(dataDir);
  const { tokens, revocationEndpoint, client } = login ?? {};
  if (!tokens || revocationEndpoint === undefined) return { isRevoked: false };
  const { fetch, close } = await createAuthFetch({ server: name, url: readUrl(url, name), version, env });
  try {
    const isAnswered = await Promise.all(
      [tokens.refresh, tokens.access].flatMap((token) => (token === undefined ? [] : [revoke(token)])),
    );
    return { isRevoked: isAnswered.every(Boolean) };
  } catch {
    // The tokens are gone from here; the authorization server ends them when they expire.
    return { isRevoked: false };
  } finally {
    close();
  }

  async function revoke(token: string): Promise<boolean> {
    const { id = "", secret } = client ?? {};
    const body = new URLSearchParams({ token, client_id: id, ...(secret !== undefined && { client_secret: secret }) });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { ok } = await fetch(revocationEndpoint ?? "", { method: "POST", headers, body });
    return ok;
  }
}
