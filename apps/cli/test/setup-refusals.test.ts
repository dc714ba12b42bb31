// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { openTerminal } from "./terminal.ts";

const refused = "sk-refused-0123456789abcdef";
const wanted = "sk-wanted-0123456789abcdef";
const esc = "\u001b";

type Answering = (request: IncomingMessage) => { status: number; models?: readonly string[] };

async function startServer(answer: Answering) {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization ?? "");
    const { status, models = [] } = answer(request);
    response.writeHead(status).end(JSON.stringify({ data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

/** What each way of refusing types, from the menu until a key is asked for again. */
const refusals = [
  {
    title: "n, then another URL",
    url: "http://127.0.0.1:9",
    status: 200,
    steps: [
      ["Store it anyway? y/N, Esc for the menu:", "x\r"],
      ["Type y or n.\nThe key was not tested. Store it anyway? y/N, Esc for the menu:", "n\r"],
      ["Base URL [http://127.0.0.1:9], Esc for the menu:", "URL\r"],
    ],
  },
  {
    title: "n, then the same URL by Enter",
    url: undefined,
    status: 503,
    steps: [
      ["Store it anyway? y/N, Esc for the menu:", "n\r"],
      ["Base URL [http://127.0.0.1:", "\r"],
    ],
  },
  {
    title: "Esc at the question of an untested key",
    url: "http://127.0.0.1:9",
    status: 200,
    steps: [
      ["Store it anyway? y/N, Esc for the menu:", esc],
      [/Number[\s\S]*Nothing was stored\.\n[\s\S]*Number/, "URL\r"],
    ],
  },
  {
    title: "Esc at the next URL",
    url: "http://127.0.0.1:9",
    status: 200,
    steps: [
      ["Store it anyway? y/N, Esc for the menu:", "n\r"],
      ["Base URL [http://127.0.0.1:9], Esc for the menu:", esc],
      [/Number[\s\S]*Number/, "URL\r"],
    ],
  },
  {
    title: "Esc at the models",
    url: undefined,
    status: 200,
    steps: [
      ["Model [m], Esc for the menu:", esc],
      [/Number[\s\S]*Nothing was stored\.\n[\s\S]*Number/, "URL\r"],
    ],
  },
  {
    title: "a key that the server rejects",
    url: undefined,
    status: 401,
    steps: [],
  },
] as const;

test.each(refusals)("forgets the key after $title", async ({ url, status, steps }) => {
  const HOME = await tempDir();
  const server = await startServer(({ headers }) =>
    headers.authorization?.includes(refused) ? { status, models: ["m"] } : { status: 200, models: ["m"] },
  );
  const terminal = await openTerminal(["setup"], { env: { HOME, PATH: "/usr/bin:/bin" } });
  await terminal.waitFor("Number (Enter for 1)");
  terminal.type(`${url ?? server.url}\r`);
  await terminal.waitFor("Enter for none), Esc for the menu:");
  terminal.type(`${refused}\r`);
  for (const [question, typed] of steps) {
    await terminal.waitFor(question);
    terminal.type(typed.replace("URL", server.url));
  }
  await terminal.waitFor(/API key for[\s\S]*API key for/);
  const sentBefore = server.keys.length;
  expect(existsSync(join(HOME, ".ikigai/credentials.json"))).toBe(false);
  terminal.type(`${wanted}\r`);
  await terminal.waitFor(/Model \[m\], Esc for the menu: *(\n[\s\S]*Model \[m\], Esc for the menu:)?$/);
  terminal.type("\r");
  expect(await terminal.exitCode).toBe(0);
  expect(server.keys.slice(sentBefore).join()).not.toContain(refused);
  const stored = readFileSync(join(HOME, ".ikigai/credentials.json"), "utf8");
  expect(stored).toContain(wanted);
  expect(stored).not.toContain(refused);
});
