import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CallEnd, type CallOptions, call, ownExecutable } from "@ikigai/testing";
import { onTestFinished } from "vitest";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** The names of the services, in the order in which the tool prefers them. */
export const names = ["searxng", "brave", "tavily", "kagi"] as const;

export type Name = (typeof names)[number];

/** A request that a service got. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of one test on 127.0.0.1. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly requests: Received[];
}

/** The key that the tests use. */
export const key = "key-0123456789abcdef";

/** A server that records its requests. */
export async function serverOf(answer: (response: ServerResponse, request: Received) => void): Promise<TestServer> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const received = { method, url, headers, body: await text(request) };
    requests.push(received);
    answer(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A server with one response for every request. */
export function serverWith(
  body: string | Buffer,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Promise<TestServer> {
  return serverOf((response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body),
  );
}

/** A response of a service as its documentation describes it. */
export function recorded(name: Name): string {
  return readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8");
}

/** The list of results in a response of a service, with these in it. */
export function responseWith(name: Name, results: readonly unknown[]): string {
  if (name === "brave") return JSON.stringify({ type: "search", web: { results } });
  return JSON.stringify(name === "kagi" ? { data: { search: results } } : { results });
}

/** The variables that set up a service at a server. */
export function settings(name: Name, { origin }: Pick<TestServer, "origin">): Record<string, string> {
  const upper = name.toUpperCase();
  return { [`${upper}_BASE_URL`]: origin, ...(name !== "searxng" && { [`${upper}_API_KEY`]: key }) };
}

/** An environment in which no service is set up, and no proxy. */
const nothing: Record<string, undefined> = Object.fromEntries(
  [
    ...names.flatMap((name) => [`${name.toUpperCase()}_BASE_URL`, `${name.toUpperCase()}_API_KEY`]),
    ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
  ].map((name) => [name, undefined]),
);

/** Calls the tool with these variables only. */
export function search(
  env: Record<string, string>,
  input: object = {},
  options: Omit<CallOptions, "env"> = {},
): Promise<CallEnd> {
  return call(bin, { query: "node streams", ...input }, { ...options, env: { ...nothing, ...env } });
}

/** What a call answers, with exit code 0. */
export async function answerOf(ended: Promise<CallEnd>): Promise<Record<string, unknown>> {
  const { exitCode, result, stderr } = await ended;
  if (exitCode !== 0 || result === undefined) throw new Error(`Exit code ${exitCode}: ${stderr}`);
  return result;
}
