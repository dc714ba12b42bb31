// How a request gets to its server: directly, through a proxy, or through a tunnel of one.

import http from "node:http";
import https from "node:https";
import { basicAuthorization, proxyFor, proxyHeaders } from "./proxy.ts";

/** How requests reach a server. */
export interface Way {
  readonly agent: http.Agent;
  /** The proxy that is used, if any. */
  readonly proxy: URL | undefined;
  /** Starts a request. */
  request(url: URL, options: http.RequestOptions): http.ClientRequest;
}

/**
 * Returns how to reach a server: directly, or through the proxy in the environment. For https that is a tunnel (CONNECT); a
 * plain http request goes to the proxy with the full URL in the request line, because many proxies allow tunnels to port 443
 * only.
 *
 * @throws ProxyError `configuration` if the proxy's URL is invalid.
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
  // Otherwise Node would make an Authorization header from the proxy's user.
  return { ...options, auth: null, path: `${protocol}//${host}${pathname}${search}`, headers };
}
