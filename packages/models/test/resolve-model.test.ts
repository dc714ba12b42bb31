import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { modelServer, status } from "../../agent/test/model-server.ts";
import { hear, secret } from "../../agent/test/providers.ts";
import type { ModelConfig } from "../src/access.ts";
import { ModelError } from "../src/errors.ts";
import { listedFacts, listingServer } from "../src/known-models.ts";
import type { Model } from "../src/model.ts";
import { listOllamaModels } from "../src/ollama.ts";
import { parseModelName, providerTable } from "../src/providers.ts";
import { modelChoice, modelProblem, resolveModel } from "../src/resolve-model.ts";

const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };

/** An Ollama with these models and their capabilities. */
async function ollama(models: Record<string, string[] | undefined>): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const listed = Object.keys(models).map((name) => ({
        name,
        details: { family: name.includes("bert") ? "bert" : "x" },
      }));
      if (request.url === "/api/tags") return response.end(JSON.stringify({ models: listed }));
      if (request.url !== "/api/show") return response.writeHead(404).end();
      return response.end(JSON.stringify({ capabilities: models[JSON.parse(body).model] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("skips entries of a list that are not models", async () => {
  const odd = [
    null,
    7,
    "x",
    [],
    {},
    { name: 7 },
    { name: "a", details: { family: { toString: 1 } } },
    { name: "b", details: null },
  ];
  const server = await modelServer(status(200, { models: odd }));
  expect(await listOllamaModels({ OLLAMA_HOST: server.url })).toEqual(["a", "b"]);
  const none = await modelServer(status(200, { models: [] }));
  expect(await listOllamaModels({ OLLAMA_HOST: none.url })).toEqual([]);
  const other = await modelServer(status(200, null));
  expect(await listOllamaModels({ OLLAMA_HOST: other.url })).toBeUndefined();
});

test("uses a provider whose key is set, with its default model", async () => {
  for (const [name, key] of [
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["openai", "OPENAI_API_KEY"],
    ["google", "GEMINI_API_KEY"],
    ["openrouter", "OPENROUTER_API_KEY"],
  ]) {
    const model = await resolveModel({ config: {}, env: { ...nowhere, [String(key)]: secret } });
    expect(model.id).toMatch(new RegExp(`^${name}/.+`));
    expect(model.notice).toBeUndefined();
  }
});

test("prefers the requested model to the configured one, and the environment to the file", async () => {
  const fromFile = await modelServer({ text: "file" });
  const fromEnv = await modelServer({ text: "env" });
  const config: ModelConfig = {
    model: "openai-compatible/a",
    providers: { "openai-compatible": { baseUrl: fromFile.url, apiKey: "k-from-file" } },
  };
  const model = await resolveModel({ config, env: nowhere });
  expect([model.id, (await hear(model)).text]).toEqual(["openai-compatible/a", "file"]);
  expect(fromFile.requests[0]?.headers.authorization).toBe("Bearer k-from-file");
  const other = await resolveModel({
    config,
    env: { ...nowhere, OPENAI_COMPATIBLE_BASE_URL: fromEnv.url },
    wanted: "openai-compatible/b/c",
  });
  expect([other.id, (await hear(other)).text]).toEqual(["openai-compatible/b/c", "env"]);
});

test("uses a running Ollama if nothing is configured: the first model that can call tools", async () => {
  const host = await ollama({
    "nomic-embed-text": undefined,
    "all-bert": undefined,
    small: ["completion"],
    "qwen3:8b": ["completion", "tools"],
  });
  const model = await resolveModel({ config: {}, env: { OLLAMA_HOST: host } });
  expect([model.id, model.notice]).toEqual(["ollama/qwen3:8b", expect.stringContaining("Ollama")]);
});

const own: Model = { id: "own/model", async *stream() {} };

test.each(["127.0.0.1:9", ":9", "http://127.0.0.1:9", "not a host"])(
  "uses the fallback without an Ollama at %s",
  async (host) => {
    expect(await resolveModel({ config: {}, env: { OLLAMA_HOST: host }, fallback: async () => own })).toBe(own);
  },
);

test.each(["own", "own/x", " own "])(
  "uses the caller's own model for %j, whatever else is configured",
  async (wanted) => {
    const env = { ...nowhere, OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: secret };
    const ownModels = { own: async () => own };
    expect(await resolveModel({ config: { model: "anthropic" }, env, wanted, ownModels })).toBe(own);
    expect(await resolveModel({ config: { model: wanted }, env, ownModels })).toBe(own);
    expect(modelProblem({ config: { model: wanted }, env: nowhere, ownModels })).toBeUndefined();
  },
);

test("names the caller's own models in an error", async () => {
  const wanted = resolveModel({ config: {}, env: nowhere, wanted: "owm", ownModels: { own: async () => own } });
  await expect(wanted).rejects.toThrow("bedrock, chatgpt, copilot, ollama, own. Did you mean own?");
});

test.each([
  [
    "offlin",
    'No provider is called "offlin". Did you mean offline? For a model of that name: openai-compatible/offlin',
  ],
  ["antropic/x", "Did you mean anthropic/x? For a model of that name: openai-compatible/antropic/x"],
  ["Offline", "Did you mean offline?"],
])("refuses %s, a letter away from a provider, also if openai-compatible has a base URL", (wanted, message) => {
  const config = { providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:9" } } };
  const options = { config, env: nowhere, ownModels: { offline: async () => own } };
  expect(() => modelChoice({ ...options, wanted })).toThrow(message);
  for (const other of ["nope/x", "offli", "qwen3", "org/model/x", `openai-compatible/${wanted}`]) {
    expect(modelChoice({ ...options, wanted: other })).toMatchObject({ name: { provider: "openai-compatible" } });
  }
});

test("finds an Ollama that takes 700 ms to respond", async () => {
  const server = createServer((_, response) => {
    setTimeout(() => response.end(JSON.stringify({ models: [{ name: "tiny" }] })), 700);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = await resolveModel({ config: {}, env: { OLLAMA_HOST: host } });
  expect(model.id).toBe("ollama/tiny");
});

test("gives up on an Ollama that does not respond", async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const startMs = performance.now();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(resolveModel({ config: {}, env: { OLLAMA_HOST: host } })).rejects.toThrow("No model is set up:");
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

test("asks a compatible server for its first model if none is named", async () => {
  const server = await modelServer((response) => {
    response.end(JSON.stringify({ data: [{ id: "llama" }, { id: "other" }] }));
  });
  const env = { ...nowhere, OPENAI_COMPATIBLE_BASE_URL: server.url };
  expect((await resolveModel({ config: {}, env })).id).toBe("openai-compatible/llama");
  const silent = await modelServer(status(404, {}));
  const wanted = resolveModel({ config: {}, env: { ...nowhere, OPENAI_COMPATIBLE_BASE_URL: silent.url } });
  await expect(wanted).rejects.toThrow("does not list its models");
});

test.each([
  ["down", "http://127.0.0.1:9", "ECONNREFUSED"],
  ["refusing", undefined, /^The server at http:\/\/127\.0\.0\.1:\d+ rejected the API key \(401\)/],
])("gives the true reason when a %s server cannot be asked for its models", async (_, address, reason) => {
  const refusing = await modelServer(status(401, {}));
  const env = { ...nowhere, OPENAI_COMPATIBLE_BASE_URL: address ?? refusing.url };
  await expect(resolveModel({ config: {}, env })).rejects.toThrow(reason);
});

test.each(["ollama/m", "ollama"])(
  "sends the prompt for %s to Ollama, without the configured server's key",
  async (wanted) => {
    const other = await modelServer({ text: "other" });
    const local = await modelServer((response, request) => {
      if (request.path.endsWith("/models")) response.end(JSON.stringify({ data: [{ id: "m" }] }));
      else response.writeHead(404).end();
    });
    const config: ModelConfig = { providers: { "openai-compatible": { baseUrl: other.url, apiKey: "k-other" } } };
    const env = { OLLAMA_HOST: local.url, OPENAI_COMPATIBLE_API_KEY: "k-env" };
    const model = await resolveModel({ config, env, wanted });
    await hear(model);
    expect([model.id, other.requests.length, local.requests.length > 0]).toEqual(["ollama/m", 0, true]);
    for (const { headers } of local.requests) expect(headers.authorization).toBeUndefined();
    expect(
      modelProblem({ config: { providers: { "openai-compatible": { baseUrl: "foo" } } }, env, wanted }),
    ).toBeUndefined();
  },
);

test.each([
  ["anthropic/claude-x", { provider: "anthropic", model: "claude-x" }],
  ["anthropic", { provider: "anthropic" }],
  ["claude-sonnet-5-5", { provider: "anthropic", model: "claude-sonnet-5-5" }],
  ["gpt-5.5", { provider: "openai", model: "gpt-5.5" }],
  ["o3-mini", { provider: "openai", model: "o3-mini" }],
  ["gpt-oss:20b", undefined],
  ["gemini-pro-latest", { provider: "google", model: "gemini-pro-latest" }],
  ["openai-compatible/qwen/qwen3", { provider: "openai-compatible", model: "qwen/qwen3" }],
  ["ollama/qwen3:8b", { provider: "openai-compatible", model: "qwen3:8b", isOllama: true }],
  ["ollama/", undefined],
  ["anthropic/", undefined],
  ["offline", undefined],
  ["qwen3", undefined],
])("parses %s as %j", (text, expected) => {
  expect(parseModelName(text)).toEqual(expected);
});

test.each([
  ["openrouter", "openrouter.ai", "/api/v1/chat/completions"],
  ["groq", "api.groq.com", "/openai/v1/chat/completions"],
  ["mistral", "api.mistral.ai", "/v1/chat/completions"],
  ["xai", "api.x.ai", "/v1/chat/completions"],
  ["deepseek", "api.deepseek.com", "/v1/chat/completions"],
  ["together", "api.together.xyz", "/v1/chat/completions"],
  ["fireworks", "api.fireworks.ai", "/inference/v1/chat/completions"],
  ["cerebras", "api.cerebras.ai", "/v1/chat/completions"],
  ["moonshot", "api.moonshot.ai", "/v1/chat/completions"],
  ["zai", "api.z.ai", "/api/paas/v4/chat/completions"],
  ["dashscope", "dashscope-intl.aliyuncs.com", "/compatible-mode/v1/chat/completions"],
  ["azure", "me.openai.azure.com", "/openai/v1/responses"],
  ["vertex", "aiplatform.googleapis.com", "/v1/projects/p-1/locations/global/endpoints/openapi/chat/completions"],
  ["bedrock", "bedrock-runtime.eu-west-1.amazonaws.com", "/openai/v1/chat/completions"],
] as const)("%s sends its key to %s%s", async (provider, host, path) => {
  const { keyVariable, baseUrlVariable } = providerTable[provider];
  const places = {
    GOOGLE_CLOUD_PROJECT: "p-1",
    AWS_REGION: "eu-west-1",
    AZURE_OPENAI_ENDPOINT: "https://me.openai.azure.com/",
  };
  const env = { ...nowhere, ...places, [keyVariable]: secret };
  const server = await modelServer({ text: "ok" });
  const usual = new URL(listingServer(provider, {}, env) ?? "");
  expect([usual.host, usual.protocol]).toEqual([host, "https:"]);
  // The same path on another host.
  const elsewhere = { ...env, [baseUrlVariable]: `${server.url}${usual.pathname}` };
  await hear(await resolveModel({ config: {}, env: elsewhere, wanted: `${provider}/m` }));
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  expect(server.requests[0]?.path).toBe(path);
  const problem = modelProblem({ config: {}, env: nowhere, wanted: `${provider}/m` });
  expect(problem).toContain(`ikigai login ${provider}, or set ${keyVariable}.`);
});

test("a variable in a base URL leads to no other host", () => {
  const region = (AWS_REGION: string) => listingServer("bedrock", {}, { AWS_REGION });
  expect(region("")).toBe("https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1");
  expect(region("x.example.com/#")).toBeUndefined();
  const env = { ...nowhere, VERTEX_ACCESS_TOKEN: secret };
  expect(modelProblem({ config: {}, env, wanted: "vertex/m" })).toContain("set GOOGLE_CLOUD_PROJECT, or the whole");
});

test("lists price, window and abilities of models without a request", async () => {
  const facts = await listedFacts({}, nowhere);
  expect(facts("anthropic/claude-sonnet-4-5")).toEqual({
    contextWindow: expect.any(Number),
    price: { input: 3, output: 15 },
    abilities: ["images", "PDF", "thinking"],
  });
  // Servers with OpenAI's chat API are sent no PDF.
  expect(facts("openrouter/anthropic/claude-sonnet-4.5").abilities).toEqual(["images", "thinking"]);
  expect(facts("openai-compatible/llama-of-mine")).toEqual({ abilities: [] });
});

test.each([
  [{}, "No model is set up: pass the option model, run ikigai setup in a shell, set ANTHROPIC_API_KEY (or "],
  [{ wanted: "" }, "Expected a model as provider/model"],
  [{ wanted: "qwen3" }, "Expected a model as provider/model"],
  [{ wanted: "antropic/claude-x" }, "Did you mean anthropic/claude-x?"],
  [{ wanted: "fast" }, "No model is set for fast. To set one: ikigai config set models.fast PROVIDER/MODEL"],
  [{ wanted: "sonnet" }, "Did you mean anthropic/claude-sonnet-5-5?"],
  [{ wanted: "Claude" }, "Did you mean anthropic/claude-sonnet-5-5?"],
  [{ wanted: "gpt" }, "Did you mean openai/gpt-5.5?"],
  [{ wanted: "gemini" }, "Did you mean google/gemini-pro-latest?"],
  [{ wanted: "gemini/gemini-x" }, "Did you mean google/gemini-x?"],
  [{ wanted: "opus" }, "To list its models: ikigai models anthropic"],
  [
    { wanted: "openai-compatible/x" },
    "openai-compatible needs a base URL: set OPENAI_COMPATIBLE_BASE_URL, or providers.openai-compatible.baseUrl",
  ],
  [{ wanted: "anthropic/x" }, "ANTHROPIC_API_KEY"],
  [{ wanted: "anthropic/x", env: { ANTHROPIC_API_KEY: "sk-\nant" } }, "The API key in ANTHROPIC_API_KEY or"],
  [{ wanted: "openai/x", env: { OPENAI_API_KEY: "“sk-x”" } }, "The API key in OPENAI_API_KEY or"],
  [
    { wanted: "openai-compatible/x", env: { OPENAI_COMPATIBLE_BASE_URL: "localhost:8080" } },
    "Expected the base URL of openai-compatible",
  ],
  [
    { wanted: "openai-compatible/x", env: { OPENAI_COMPATIBLE_BASE_URL: "me:pass/word@host" } },
    'to be like https://host/v1, got "host".',
  ],
])(
  "reports %j as a configuration error",
  async ({ env = {}, ...wanted }: { wanted?: string; env?: object }, message) => {
    const error = await resolveModel({ config: {}, env: { ...nowhere, ...env }, ...wanted }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(message) });
  },
);
