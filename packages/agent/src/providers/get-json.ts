import type { ClientRequest } from "node:http";
import { proxyAnswer, proxyFault } from "@ikigai/system";
import { type Way, wayTo } from "@ikigai/system/way-to";
import type { Environment } from "./provider-access.ts";
import { proxyFailure } from "./stream-errors.ts";

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
  try {
    const { status, text } = await requestJson(address, options);
    return status === 200 ? JSON.parse(text) : undefined;
  } catch {
    // The first request to a model says what is wrong.
    return undefined;
  }
}

/** A server's response, with any status. */
export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Requests a small JSON document, and reports what is wrong.
 *
 * @throws ModelError `configuration` when the proxy's URL is invalid; what the network or the time limit fails with.
 */
export async function requestJson(address: string, options: GetJsonOptions): Promise<JsonAnswer> {
  const url = new URL(address);
  let way: Way | undefined;
  try {
    way = await wayTo(url, options.env);
    return await ask(url, way, options);
  } catch (error) {
    throw proxyFailure(proxyFault(error, url, way?.proxy));
  } finally {
    // There will be no second request soon.
    way?.agent.destroy();
  }
}

function ask(url: URL, way: Way, { timeoutMs, headers, body }: GetJsonOptions): Promise<JsonAnswer> {
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
    request.on("response", (response) => {
      const refusal = proxyAnswer(url, way.proxy, response);
      if (refusal) request.destroy(refusal);
    });
    readBody(request, resolve, reject);
    request.end(payload);
  });
}

function readBody(request: ClientRequest, resolve: (answer: JsonAnswer) => void, reject: (error: Error) => void): void {
  request.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > maxBytes) request.destroy(new Error("too long"));
    });
    response.on("error", reject);
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
}
