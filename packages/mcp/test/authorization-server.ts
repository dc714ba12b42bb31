import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type HttpServerOptions, httpServer } from "./http-server.ts";

export interface AuthorizationOptions {
  /** Changes the metadata. */
  readonly metadata?: (own: string) => object;
  /** Changes the query of the redirect to the client. */
  readonly redirect?: (query: URLSearchParams) => void;
  readonly expiresInS?: number;
  /** How long a token request takes, in milliseconds. */
  readonly slowMs?: number;
}

interface Grant {
  readonly challenge: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly resource: string;
}

/** An authorization server on loopback. It checks PKCE, redirect URLs and resources, and takes a refresh token once. */
export async function authorizationServer({
  metadata,
  redirect,
  expiresInS = 3_600,
  slowMs = 0,
}: AuthorizationOptions = {}) {
  const clients = new Map<string, readonly string[]>();
  const grants = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  /** Access tokens, with their scopes. */
  const accessTokens = new Map<string, string>();
  const requests: { readonly path: string; readonly body: URLSearchParams }[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const state = { refuses: false };
  const tokensFor = (grant: Grant) => {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    accessTokens.set(access_token, grant.scope);
    refreshTokens.set(refresh_token, grant);
    return { access_token, refresh_token, token_type: "Bearer", expires_in: expiresInS, scope: grant.scope };
  };
  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const of = (name: string) => query.get(name) ?? "";
    const redirectUri = of("redirect_uri");
    const isKnown = clients.get(of("client_id"))?.includes(redirectUri) === true;
    if (!isKnown || of("code_challenge_method") !== "S256" || of("code_challenge") === "")
      return void response.writeHead(400).end("bad request");
    const code = `code-${randomUUID()}`;
    const [challenge, clientId, scope, resource] = [of("code_challenge"), of("client_id"), of("scope"), of("resource")];
    grants.set(code, { challenge, clientId, redirectUri, scope, resource });
    const back = new URLSearchParams({ code, state: of("state"), iss: own });
    redirect?.(back);
    response.writeHead(302, { location: `${redirectUri}?${back}` }).end();
  };
  const grantOf = (body: URLSearchParams): Grant | undefined => {
    const of = (name: string) => body.get(name) ?? "";
    const isRefresh = of("grant_type") === "refresh_token";
    const [from, key] = isRefresh ? [refreshTokens, of("refresh_token")] : [grants, of("code")];
    const grant = from.get(key);
    from.delete(key);
    if (!grant || grant.clientId !== of("client_id") || grant.resource !== of("resource")) return undefined;
    if (isRefresh) return grant;
    const isOwn = createHash("sha256").update(of("code_verifier")).digest("base64url") === grant.challenge;
    return isOwn && grant.redirectUri === of("redirect_uri") ? grant : undefined;
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", own);
    const text = await textOf(request);
    headers.push(request.headers);
    requests.push({ path: pathname, body: text.startsWith("{") ? new URLSearchParams() : new URLSearchParams(text) });
    const json = (status: number, value: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (pathname === "/.well-known/oauth-authorization-server")
      return json(200, { ...described(own), ...metadata?.(own) });
    if (pathname === "/register") {
      const { redirect_uris } = JSON.parse(text);
      const client_id = `client-${randomUUID()}`;
      clients.set(client_id, redirect_uris);
      return json(201, { client_id, redirect_uris });
    }
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/revoke") {
      accessTokens.delete(requests.at(-1)?.body.get("token") ?? "");
      return json(200, {});
    }
    if (pathname !== "/token") return json(404, {});
    await new Promise((settle) => setTimeout(settle, slowMs));
    const grant = state.refuses ? undefined : grantOf(new URLSearchParams(text));
    return grant ? json(200, tokensFor(grant)) : json(400, { error: "invalid_grant" });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own,
    state,
    clients,
    accessTokens,
    requests,
    headers,
    /** The requests for tokens with this grant. */
    tokenRequests: (grant: string) => requests.filter(({ body }) => body.get("grant_type") === grant),
  };
}

function described(own: string) {
  return {
    issuer: own,
    authorization_endpoint: `${own}/authorize`,
    token_endpoint: `${own}/token`,
    registration_endpoint: `${own}/register`,
    revocation_endpoint: `${own}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** An MCP server that wants a token: any for most tools, one with the scope `write` for `big`. */
export async function protectedServer(
  authorization: { readonly url: string; readonly accessTokens: ReadonlyMap<string, string> },
  { resourceMetadata = {}, ...options }: HttpServerOptions & { readonly resourceMetadata?: object } = {},
) {
  const server = await httpServer({
    ...options,
    intercept: ({ path, headers, message }, response) => {
      const own = `http://${headers.host}`;
      if (path.startsWith("/.well-known/oauth-protected-resource")) {
        const facts = { resource: `${own}/mcp`, authorization_servers: [authorization.url], ...resourceMetadata };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(facts));
        return true;
      }
      const scope = authorization.accessTokens.get((headers.authorization ?? "").replace("Bearer ", ""));
      const from = `resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`;
      const refuse = (status: number, more: string) => {
        response.writeHead(status, { "www-authenticate": `Bearer ${from}, ${more}` }).end();
        return true;
      };
      if (scope === undefined) return refuse(401, 'scope="read"');
      const isAllowed = message?.params?.name !== "big" || scope.split(" ").includes("write");
      return isAllowed ? false : refuse(403, 'error="insufficient_scope", scope="write"');
    },
  });
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
