import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { listModels, modelFacts, noUsage } from "@ikigai/models";
import { expect, onTestFinished, test } from "vitest";
import { agent } from "./agent-setup.ts";
import { modelServer, status } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const million = { ...noUsage, inputTokens: 1_000_000 };

test.each(["anthropic/claude-opus-4-5", "openai/gpt-5", "google/gemini-2.5-flash"])(
  "knows the price and the window of %s",
  async (id) => {
    const { contextWindow, cost } = await modelFacts(id, {}, {});
    if (!id.startsWith("google")) expect(contextWindow).toBeGreaterThan(100_000);
    const whole = cost(million) ?? 0;
    expect(whole).toBeGreaterThan(0.1);
    expect(cost({ ...million, cacheReadTokens: 1_000_000 })).toBeLessThan(whole);
    expect(cost({ ...million, outputTokens: 1_000 })).toBeGreaterThan(whole);
  },
);

test.each(["anthropic/of-my-own", "openai/ft:secret", "offline/plain", "nonsense"])(
  "does not guess facts about %s",
  async (id) => {
    const { contextWindow, cost } = await modelFacts(id, {}, {});
    expect([contextWindow, cost(million)]).toEqual([undefined, undefined]);
  },
);

/** A server that describes itself on these paths. */
async function server(answers: Record<string, unknown>): Promise<string> {
  const http = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

test.each([
  ["vLLM", { "/v1/models": { data: [{ id: "other" }, { id: "m", max_model_len: 8_192 }] } }],
  ["OpenRouter", { "/v1/models": { data: [{ id: "m", context_length: 8_192 }] } }],
  ["llama.cpp", { "/v1/models": { data: [{ id: "m", meta: { n_ctx_train: 8_192 } }] } }],
  [
    "Ollama",
    {
      "/v1/models": { data: [{ id: "m", owned_by: "library" }] },
      "/api/ps": { models: [{ name: "m", context_length: 8_192 }] },
    },
  ],
])("reads the context window from %s", async (_, answers) => {
  const url = await server(answers);
  for (const OPENAI_COMPATIBLE_BASE_URL of [url, `${url}/v1`]) {
    const facts = await modelFacts("openai-compatible/m", {}, { OPENAI_COMPATIBLE_BASE_URL });
    expect([facts.contextWindow, facts.cost(million)]).toEqual([8_192, undefined]);
  }
});

test.each([
  ["another server", false, []],
  ["the Ollama in use", true, ["Bearer its-key"]],
])("asks %s for the models in memory only if it is Ollama", async (_, isOllama, sent) => {
  const { url, requests } = await modelServer(status(200, { data: [{ id: "m", owned_by: "vllm" }] }));
  const env = { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: "its-key", OLLAMA_HOST: "127.0.0.1:9" };
  await modelFacts("openai-compatible/m", {}, isOllama ? { ...env, OLLAMA_HOST: url } : env);
  const asked = requests.filter(({ path }) => path === "/api/ps");
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(sent);
  expect(requests.length).toBe(1 + sent.length);
});

test("asks Google for the context window with a key", async () => {
  const url = await server({ "/v1beta/models/gemini-2.5-pro": { inputTokenLimit: 1_048_576 } });
  const env = { GEMINI_API_KEY: "AIza-test", GOOGLE_GEMINI_BASE_URL: url };
  expect((await modelFacts("google/gemini-2.5-pro", {}, env)).contextWindow).toBe(1_048_576);
});

test("learns nothing from a server that is not running", async () => {
  const facts = await modelFacts("openai-compatible/m", {}, { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" });
  expect(facts.contextWindow).toBeUndefined();
});

test.each(providers)("tells $name how much to think", async (provider) => {
  const one = await agent({});
  const model = await modelServer({ text: "ok" });
  // OpenAI's models are known by name; its package sends a reasoning level only to those.
  const name = provider.name === "openai" ? "gpt-5" : "m";
  await one.say(await modelOf(provider, model.url, {}, name), "go", { thinking: "high" });
  await one.say(await modelOf(provider, model.url, {}, name), "go");
  const said =
    /"effort":"high"|"reasoning_effort":"high"|"thinkingBudget":\d|"budget_tokens":\d|"thinkingLevel":"high"/;
  expect(JSON.stringify(model.requests[0]?.body)).toMatch(said);
  expect(JSON.stringify(model.requests[1]?.body)).not.toMatch(said);
});

test("lists the available models", async () => {
  const url = await server({
    "/v1/models?limit=1000": { data: [{ id: "m-large" }, { id: "text-embedding-3" }] },
    "/v1beta/models?pageSize=1000": { models: [{ name: "models/g-pro" }, { name: "models/imagen-4" }] },
    "/api/tags": { models: [{ name: "q:7b" }, { name: "nomic-embed-text" }] },
  });
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url, GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url };
  expect(await listModels({}, { ...env, OLLAMA_HOST: url })).toEqual([
    "anthropic/m-large",
    "google/g-pro",
    "ollama/q:7b",
  ]);
});
