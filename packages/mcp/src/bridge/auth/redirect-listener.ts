import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const path = "/callback";

/** Waits for the browser to come back from an authorization server. */
export interface RedirectListener {
  /** The redirect URL. */
  readonly url: string;
  /** The query of the first request to it that belongs to this login. */
  readonly redirected: Promise<URLSearchParams>;
  readonly close: () => void;
}

export interface RedirectOptions {
  /** 0 for any port. */
  readonly port: number;
  /** Whether a query belongs to this login. Others are ignored: any web page can request the URL. */
  readonly isExpected: (query: URLSearchParams) => boolean;
}

/** Listens on this computer only. @throws the system's error if the port is taken. */
export async function listenForRedirect({ port, isExpected }: RedirectOptions): Promise<RedirectListener> {
  let settle: (query: URLSearchParams) => void;
  const redirected = new Promise<URLSearchParams>((resolve) => {
    settle = resolve;
  });
  const server = createServer(({ method, url = "", headers }, response) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const isOwn = method === "GET" && headers.host === own && URL.canParse(url, `http://${own}`);
    const to = isOwn ? new URL(url, `http://${own}`) : undefined;
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("connection", "close");
    if (to?.pathname !== path) return void response.writeHead(404).end("Nothing here.\n");
    if (!isExpected(to.searchParams))
      return void response
        .writeHead(400)
        .end("This is not the login that ikigai is waiting for. It is still waiting.\n");
    response.writeHead(200).end("You can close this page and return to ikigai.\n");
    return settle(to.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}${path}`, redirected, close: () => void server.close() };
}
