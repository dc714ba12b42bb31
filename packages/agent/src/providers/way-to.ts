import http from "node:http";
import https from "node:https";
import { basicAuthorization, proxyFor, proxyHeaders } from "./proxy.ts";

/** How requests reach a server. */
export interface Way {
  readonly agent: http.Agent;
  /** What they go through, if anything. */
  readonly proxy: URL | undefined;
  /** Begins one. */
  request(url: URL, options: http.RequestOptions): http.ClientRequest;
}

/**
 * The way to a server: directly, or through the proxy that the environment names. For https that is a tunnel (CONNECT); a
 * request by plain http goes to the proxy itself, with the whole URL in its first line, since many proxies allow tunnels to
 * port 443 only.
 *
 * @throws ModelError `configuration` when the proxy's URL is invalid.
 */
export async function wayTo(url: URL, env: Readonly<Record<string, string | undefined>>): Promise<Way> {
  const proxy = proxyFor(url, env);
  if (!proxy) return direct(url);
  if (url.protocol === "https:") {
    const { tunnelAgent } = await import("./tunnel-agent.ts");
    const agent = tunnelAgent(proxy);
    return { agent, proxy, request: (to, options) => https.request(to, { ...options, agent }) };
  }
  const { agent, request } = direct(proxy);
  return { agent, proxy, request: (to, options) => request(proxy, throughProxy(to, proxy, options)) };
}

function direct({ protocol }: URL): Way {
  const module = protocol === "https:" ? https : http;
  const agent = new module.Agent({ keepAlive: true });
  return { agent, proxy: undefined, request: (to, options) => module.request(to, { ...options, agent }) };
}

function throughProxy(url: URL, proxy: URL, options: http.RequestOptions): http.RequestOptions {
  const { protocol, host, pathname, search } = url;
  const authorization = basicAuthorization(url);
  const own = options.headers as http.OutgoingHttpHeaders;
  const headers = { ...(authorization && { authorization }), ...own, ...proxyHeaders(proxy), host };
  // Node would make an Authorization header of the proxy's own user.
  return { ...options, auth: null, path: `${protocol}//${host}${pathname}${search}`, headers };
}
