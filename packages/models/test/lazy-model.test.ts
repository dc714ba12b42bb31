import { expect, test } from "vitest";
import { modelServer, status, stream } from "../../agent/test/model-server.ts";
import { hear, modelOf, providers } from "../../agent/test/providers.ts";
import { toWire } from "../../agent/test/wire-formats.ts";
import type { Model } from "../src/model.ts";
import { lazyModel } from "../src/resolve-model.ts";

const request = { system: "", messages: [], tools: [], sessionId: "s", signal: new AbortController().signal };

test("loads code again for the next request after a failure", async () => {
  const works: Model = {
    id: "x/m",
    async *stream() {
      yield { type: "text", text: "ok" };
    },
  };
  let loads = 0;
  const model = lazyModel("x/m", async () => {
    if (loads++ === 0) throw new Error("EMFILE");
    return works;
  });
  await model.prepare?.();
  const said: string[] = [];
  for await (const event of model.stream(request)) if (event.type === "text") said.push(event.text);
  for await (const event of model.stream(request)) if (event.type === "text") said.push(event.text);
  expect([said, loads]).toEqual([["ok", "ok"], 2]);
});

test("finds the server's API in parallel requests too", async () => {
  const compatible = providers[3];
  const server = await modelServer((response, seen) => {
    if (seen.path.startsWith("/v1/")) {
      const reply = status(404, { error: { message: "no such path" } });
      if (typeof reply === "function") setTimeout(() => reply(response, seen), 20);
    } else stream(response, toWire(seen.path, { text: "ok" }));
  });
  const model = await modelOf(compatible, server.url);
  const heard = await Promise.all(Array.from({ length: 5 }, () => hear(model)));
  expect(heard.map(({ text, error }) => error?.message ?? text)).toEqual(Array(5).fill("ok"));
  const before = server.requests.length;
  expect((await hear(model)).text).toBe("ok");
  expect(server.requests.length - before).toBe(1);
});
