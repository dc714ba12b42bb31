import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@ikigai/protocol";
import { onTestFinished } from "vitest";
import { type ScriptedAnswer, toWire } from "./wire-formats.ts";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: SentBody;
}

/** The parts of a request that tests check, as sent to Anthropic. For the other providers the text is enough. */
export interface SentBody {
  readonly system?: readonly JsonObject[];
  readonly messages?: readonly { readonly content: readonly JsonObject[] }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly thinking?: JsonObject;
}

/** A scripted response, or whatever else the test wants to send. */
export type Reply = ScriptedAnswer | ((response: ServerResponse, request: SeenRequest) => void);

export interface ModelServer {
  readonly url: string;
  readonly requests: SeenRequest[];
}

/** A model server on loopback that sends its replies in order, repeating the last one. It ends with the test. */
export async function modelServer(...replies: Reply[]): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const seen = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text || "{}") };
      const reply = replies[Math.min(requests.length, replies.length - 1)];
      requests.push(seen);
      if (typeof reply === "function") reply(response, seen);
      else stream(response, toWire(seen.path, reply ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(event);
  response.end();
}

/** Responds with a status and a JSON body. */
export function status(code: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Starts a response and then does something else. */
export function begin(answer: ScriptedAnswer, events: number, then: (response: ServerResponse) => void): Reply {
  return (response, { path }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of toWire(path, answer).slice(0, events)) response.write(event);
    then(response);
  };
}
