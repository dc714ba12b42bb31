// Tunnels through a proxy, in a module of its own: it loads a library that most requests do not need.

import type { ClientRequest } from "node:http";
import { HttpsProxyAgent } from "https-proxy-agent";
import { cannotReachProxy, proxyHeaders, proxyRefusal, withoutUser } from "./proxy.ts";

/** How long a proxy may take to open a tunnel, in milliseconds. */
const connectTimeoutMs = 20_000;

/** Creates connections to one https server through a proxy and keeps them alive between requests. */
export function tunnelAgent(proxy: URL): TunnelAgent {
  return new TunnelAgent(proxy);
}

/**
 * The library's agent, with errors that name the proxy. Never gets the password, because it writes its options to debug
 * logs.
 */
class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #proxy: URL;

  constructor(proxy: URL) {
    super(withoutUser(proxy).href, { keepAlive: true, headers: proxyHeaders(proxy) });
    this.#proxy = proxy;
  }

  override async connect(request: ClientRequest, options: Parameters<HttpsProxyAgent<string>["connect"]>[1]) {
    let status = 200;
    request.once("proxyConnect", ({ statusCode }: { statusCode: number }) => {
      status = statusCode;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${connectTimeoutMs / 1_000} s`)), connectTimeoutMs);
    });
    try {
      const socket = await Promise.race([super.connect(request, options), late]);
      if (status === 200) return socket;
      socket.destroy();
    } catch (error) {
      throw cannotReachProxy(this.#proxy, error);
    } finally {
      clearTimeout(timer);
    }
    throw proxyRefusal(this.#proxy, status);
  }
}
