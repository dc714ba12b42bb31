import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { knownModels } from "@ikigai/models";
import { expect, onTestFinished, test } from "vitest";

/** A server that lists its loaded models as Ollama does. */
async function ollama(loaded: { context_length?: number }) {
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === "/api/ps") asked++;
    const models = loaded.context_length === undefined ? [] : [{ name: "m", ...loaded }];
    response.end(JSON.stringify(request.url === "/api/ps" ? { models } : { data: [{ id: "m", owned_by: "library" }] }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { env: { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` }, asked: () => asked };
}

const id = "openai-compatible/m";

test("learns the context window of a model that Ollama loads with the first request", async () => {
  const loaded: { context_length?: number } = {};
  const { env, asked } = await ollama(loaded);
  const models = knownModels({}, env);
  expect((await models.lookUp(id)).contextWindow).toBeUndefined();
  loaded.context_length = 4_096;
  models.answered(id);
  await expect.poll(() => models.of(id)?.contextWindow).toBe(4_096);
  models.answered(id);
  expect([(await models.lookUp(id)).contextWindow, asked()]).toEqual([4_096, 2]);
});

test("asks a server that never reports a window four times in all", async () => {
  const { env, asked } = await ollama({});
  const models = knownModels({}, env);
  for (let answer = 0; answer < 6; answer++) {
    await models.lookUp(id);
    models.answered(id);
  }
  await models.lookUp(id);
  expect(asked()).toBe(4);
});

test("looks nothing up again without a request", async () => {
  const { env, asked } = await ollama({});
  knownModels({}, env).answered(id);
  expect(asked()).toBe(0);
});
