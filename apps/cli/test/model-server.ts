import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** One step of the model. */
export interface Step {
  readonly text?: string;
  /** Its thoughts before the answer. */
  readonly reasoning?: string;
  /** How long it thinks, in milliseconds. */
  readonly reasoningMs?: number;
  readonly calls?: readonly { readonly name: string; readonly arguments: object | string }[];
  /** Size of a piece of the text, in UTF-16 units. */
  readonly pieceLength?: number;
  /** Delay between two pieces, in milliseconds. */
  readonly pieceMs?: number;
  /** Sends the text and then hangs. */
  readonly hangs?: boolean;
  /** The server's finish reason. */
  readonly finish?: string;
  /** Delay before the answer, in milliseconds. */
  readonly waitMs?: number;
}

export interface ModelServer {
  /** The variables that make ikigai use it. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests, in order. */
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly description: string } }[];
  readonly authorization?: string | undefined;
}

/** The steps of a model, or a function that returns the step that answers a request. */
export type Script = readonly Step[] | ((request: SentRequest) => Step | undefined);

/** A model on loopback that speaks OpenAI's format and plays the given steps; after the last one, it says "Done.". */
export async function startModel(
  steps: Script,
  { contextWindow }: { readonly contextWindow?: number } = {},
): Promise<ModelServer> {
  const requests: SentRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return tellOfModel(response, contextWindow);
    const { authorization } = request.headers;
    const sent: SentRequest = JSON.parse(await bodyOf(request));
    // Not enumerable: tests search the requests, printed as JSON, for keys.
    Object.defineProperty(sent, "authorization", { value: authorization });
    requests.push(sent);
    const step = typeof steps === "function" ? steps(sent) : steps[requests.length - 1];
    await answer(response, step ?? { text: "Done." });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { env: { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` }, requests };
}

/** The model list of a server that reports context windows. */
function tellOfModel(response: ServerResponse, contextWindow: number | undefined): void {
  if (contextWindow === undefined) return void response.writeHead(404).end();
  response.end(JSON.stringify({ data: [{ id: "m", context_length: contextWindow }] }));
}

async function answer(
  response: ServerResponse,
  {
    text,
    reasoning,
    reasoningMs = 50,
    calls = [],
    hangs = false,
    waitMs = 0,
    pieceLength = 7,
    pieceMs = 0,
    finish,
  }: Step,
): Promise<void> {
  await sleep(waitMs);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`,
    );
  };
  if (reasoning !== undefined) {
    send({ role: "assistant", reasoning_content: reasoning });
    await sleep(reasoningMs);
  }
  // In pieces, as models stream.
  const pieces = text?.match(new RegExp(`.{1,${pieceLength}}`, "gs")) ?? [];
  for (const content of pieces) {
    send({ role: "assistant", content });
    if (pieceMs > 0) await sleep(pieceMs);
  }
  if (hangs) return;
  for (const [index, call] of calls.entries()) {
    const args = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    send({
      tool_calls: [
        {
          index,
          id: `call_${index}_${Math.random().toString(36).slice(2)}`,
          type: "function",
          function: { name: call.name, arguments: args },
        },
      ],
    });
  }
  send({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  response.write(
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8") || "{}";
}
