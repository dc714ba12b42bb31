import http from "node:http";

/** Returns `node:https` or `node:http`. TLS is loaded only for https, since loading it takes several milliseconds. */
export function moduleFor({ protocol }: URL): Pick<typeof http, "request"> {
  return protocol === "https:" ? process.getBuiltinModule("node:https") : http;
}

/** Where a request for a URL connects to. */
export function serverOf(url: URL): { protocol: string; hostname: string; port: string } {
  const { protocol, hostname, port } = url;
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port };
}
