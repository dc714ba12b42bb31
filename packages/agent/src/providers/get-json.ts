import type { ClientRequest } from "node:http";
import type { Environment } from "./provider-access.ts";
import { type Way, wayTo } from "./way-to.ts";

export interface GetJsonOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends this as JSON, by POST. */
  readonly body?: unknown;
  /** Names the proxy, if any. */
  readonly env: Environment;
}

/** Maximum response size, in bytes. A list of models is much shorter. */
const maxBytes = 4 * 1_048_576;

/** Requests a small JSON document; `undefined` if the server does not respond in time, or not with JSON. */
export async function getJson(address: string, options: GetJsonOptions): Promise<unknown> {
  const url = new URL(address);
  let way: Way;
  try {
    way = await wayTo(url, options.env);
  } catch {
    // The proxy's URL is invalid; the first model request reports it.
    return undefined;
  }
  const text = await ask(url, way, options).catch(() => undefined);
  // There will be no second request soon.
  way.agent.destroy();
  return text === undefined ? undefined : parse(text);
}

/** Returns the body of a response with status 200. */
function ask(url: URL, way: Way, { timeoutMs, headers, body }: GetJsonOptions): Promise<string | undefined> {
  const payload = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = way.request(url, {
      method: payload ? "POST" : "GET",
      headers: {
        ...(payload && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...headers,
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on("error", reject);
    readBody(request, resolve, reject);
    request.end(payload);
  });
}

function readBody(
  request: ClientRequest,
  resolve: (text: string | undefined) => void,
  reject: (error: Error) => void,
): void {
  request.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > maxBytes) request.destroy(new Error("too long"));
    });
    response.on("error", reject);
    response.on("end", () => resolve(response.statusCode === 200 ? text : undefined));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
