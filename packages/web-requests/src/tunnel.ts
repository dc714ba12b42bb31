import type { RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { cannotReachProxy, proxyRefusal } from "@ikigai/system";
import { proxyHeaders } from "@ikigai/system/proxy";
import { maxHeaderBytes } from "./limits.ts";
import { moduleFor, serverOf } from "./modules.ts";

/**
 * Opens a connection to the host of an https URL through a proxy (CONNECT).
 *
 * @throws ProxyError `network` if the proxy cannot be reached or refuses.
 */
export function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  const request = moduleFor(proxy).request({
    ...serverOf(proxy),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...proxyHeaders(proxy) },
    agent: false,
    signal,
    maxHeaderSize: maxHeaderBytes,
    rejectUnauthorized: true,
  } as RequestOptions);
  return new Promise((resolve, reject) => {
    request.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      return reject(proxyRefusal(proxy, statusCode));
    });
    // A proxy that ignores CONNECT and answers as to any request.
    request.once("response", (response) => {
      response.destroy();
      reject(proxyRefusal(proxy, response.statusCode ?? 0));
    });
    request.once("error", (error) => reject(cannotReachProxy(proxy, error)));
    request.once("close", () => reject(cannotReachProxy(proxy, new Error("it closed the connection"))));
    request.end();
  });
}
