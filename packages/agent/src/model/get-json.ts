import http from "node:http";
import https from "node:https";

export interface GetJsonOptions {
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends this, as JSON, instead of asking only. */
  readonly body?: unknown;
}

/** How long an answer may be, in bytes. A list of models is much shorter. */
const maxBytes = 4 * 1_048_576;

/** Asks a server for a little JSON; `undefined` when it does not answer in time, or not with JSON. */
export function getJson(address: string, { timeoutMs, headers, body }: GetJsonOptions): Promise<unknown> {
  return new Promise((resolve) => {
    const url = new URL(address);
    const payload = body === undefined ? "" : JSON.stringify(body);
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: payload ? "POST" : "GET",
      agent: false,
      headers: {
        ...(payload && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        ...headers,
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on("error", () => resolve(undefined));
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > maxBytes) request.destroy(new Error("too long"));
      });
      response.on("error", () => resolve(undefined));
      response.on("end", () => resolve(response.statusCode === 200 ? parse(text) : undefined));
    });
    request.end(payload);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
