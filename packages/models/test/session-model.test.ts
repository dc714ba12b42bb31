import { expect, test } from "vitest";
import type { ModelConfig } from "../src/access.ts";
import { sessionModel } from "../src/resolve-model.ts";

const env = { ANTHROPIC_API_KEY: "sk-1", OLLAMA_HOST: "127.0.0.1:9" };
const ownModels = { offline: () => Promise.reject(new Error("not asked")) };

const choose = (model: string | undefined, config: ModelConfig = {}) =>
  sessionModel(model === undefined ? undefined : { model }, { config, env, ownModels });

test.each([
  ["anthropic/claude-haiku-4-5", {}],
  ["ollama/qwen3", {}],
  ["anthropic/claude-sonnet-5-5", { model: "anthropic" }],
  ["anthropic/claude-haiku-4-5", { model: "claude-haiku-4-5" }],
  ["openai-compatible/m", { providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:9" } } }],
] as const)("a session keeps %s with %j, without a notice", (model, config) => {
  expect(choose(model, config)).toEqual({ wanted: model });
});

test.each(["openai/gpt-5.5", "offline"])("a session keeps its model, and names the configured %s", (model) => {
  const notice = `This session continues with anthropic/claude-haiku-4-5; the configured model is ${model}.`;
  expect(choose("anthropic/claude-haiku-4-5", { model })).toEqual({ wanted: "anthropic/claude-haiku-4-5", notice });
});

test.each([
  ["openai/gpt-5.5", "OpenAI needs an API key: run ikigai login openai, or set OPENAI_API_KEY."],
  ["openai-compatible/m", "openai-compatible has no base URL now."],
  ["acme/m", "ikigai has no such provider."],
])("a session does not keep %s if it cannot be used", (model, problem) => {
  expect(choose(model)).toEqual({ notice: `This session used ${model}, which cannot be used now. ${problem}` });
});

test.each([undefined, "offline/plain-requests"])("nothing is kept of %s", (model) => {
  expect(choose(model, { model: "anthropic" })).toEqual({});
});
