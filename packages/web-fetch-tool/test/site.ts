import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallEnd, type CallOptions, call, ownExecutable, tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** A web site of one test on 127.0.0.1, and a home for the calls that fetch it. */
export interface Site {
  readonly origin: string;
  readonly requests: IncomingMessage[];
  readonly home: string;
  /** Calls the tool, which may reach the site. `url` is a path. */
  fetch(input: { readonly url: string; readonly [name: string]: unknown }, options?: CallOptions): Promise<CallEnd>;
}

export async function site(answer: RequestListener): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const home = await tempDir({ "tmp/": "" });
  return {
    origin,
    requests,
    home,
    fetch: ({ url, ...more }, { env, ...options } = {}) =>
      call(
        bin,
        { url: origin + url, ...more },
        { ...options, env: { ...homeVariables(home), IKIGAI_WEB_ALLOW: host, ...env } },
      ),
  };
}

/** The variables by which a call keeps its files in a home. */
export function homeVariables(home: string): Record<string, string | undefined> {
  return { HOME: home, TMPDIR: `${home}/tmp`, XDG_CACHE_HOME: undefined };
}

/** A site with the same response for every path. */
export function siteOf(body: string | Buffer, type: string, status = 200): Promise<Site> {
  return site((_, response) => void response.writeHead(status, { "content-type": type }).end(body));
}
