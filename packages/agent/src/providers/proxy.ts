import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { ModelError } from "../model/model-error.ts";
import { withoutCredentials } from "./without-credentials.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How long a proxy may take to open a way, in milliseconds. */
const connectTimeoutMs = 20_000;

/**
 * The proxy that the environment names for an address, in the variables that curl reads.
 *
 * @throws ModelError `configuration` when it is no http address.
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const own = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const name = [own.toLowerCase(), own, "all_proxy", "ALL_PROXY"].find((variable) => env[variable]);
  if (name === undefined || isLocal(url.hostname) || isExcluded(url, env.no_proxy || env.NO_PROXY)) return undefined;
  const proxy = env[name] ?? "";
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return new URL(address);
  throw new ModelError(
    "configuration",
    `Expected ${name} to be an address like http://proxy:3128, got ${JSON.stringify(withoutCredentials(proxy))}.`,
  );
}

/** Makes the connections of one host, kept open between requests: through a proxy, if there is one. */
export function agentFor(url: URL, proxy: URL | undefined): http.Agent {
  const kind = url.protocol === "https:" ? https : http;
  const agent = new kind.Agent({ keepAlive: true });
  if (!proxy) return agent;
  Object.assign(agent, {
    createConnection(_options: object, done: (error: Error | null, socket?: Socket) => void) {
      openTunnel(url, proxy).then(
        (socket) => done(null, url.protocol === "https:" ? connectTls({ socket, servername: url.hostname }) : socket),
        (error: Error) => done(error),
      );
    },
  });
  return agent;
}

function openTunnel(url: URL, proxy: URL): Promise<Socket> {
  const target = `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === "https:" ? https : http).request({
      host: proxy.hostname,
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...(username && { "proxy-authorization": `Basic ${credentials}` }) },
      timeout: connectTimeoutMs,
    });
    request.on("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ModelError("network", proxyRefusal(proxy, statusCode), { status: statusCode }));
    });
    request.on("response", ({ statusCode = 0 }) => reject(new ModelError("network", proxyRefusal(proxy, statusCode))));
    request.on("timeout", () => request.destroy(new Error("timed out")));
    request.on("error", (error) =>
      reject(new ModelError("network", `The proxy ${proxy.host} cannot be reached: ${error.message}.`)),
    );
    request.end();
  });
}

function proxyRefusal(proxy: URL, status: number): string {
  return status === 407
    ? `The proxy ${proxy.host} wants a user name and a password (407). Put them into the proxy's address.`
    : `The proxy ${proxy.host} refuses the connection (${status}).`;
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

function isExcluded(url: URL, list: string | undefined): boolean {
  return (list ?? "").split(/[\s,]+/).some((entry) => {
    const name = entry.replace(/^\*?\.?/, "").toLowerCase();
    if (entry === "*") return true;
    return name !== "" && (url.host === name || url.hostname === name || url.hostname.endsWith(`.${name}`));
  });
}
