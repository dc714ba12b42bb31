import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { LLMock } from "@copilotkit/aimock";
import { isRunning } from "@ikigai/testing";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import { createAnthropic as createAnthropic5 } from "ai-5-anthropic";
import * as ai6 from "ai-6";
import { createAnthropic as createAnthropic6 } from "ai-6-anthropic";
import { describe, expect, onTestFinished, test } from "vitest";
import { aiTools } from "../src/ai-sdk.ts";
import { type World, world } from "./world.ts";

interface Run {
  readonly url: string;
  readonly place: World;
  readonly abortSignal: AbortSignal;
}

/** The same agent with the API of each version, whose types have to match too. */
const versions = {
  5: ({ url, place: { registry, cwd }, abortSignal }: Run) => {
    const tools: ai5.ToolSet = aiTools(ai5, registry, { cwd });
    const model = createAnthropic5({ apiKey: "test-key", baseURL: `${url}/v1` })("m");
    return ai5.generateText({ model, tools, prompt: "go", stopWhen: ai5.stepCountIs(3), abortSignal });
  },
  6: ({ url, place: { registry, cwd }, abortSignal }: Run) => {
    const tools: ai6.ToolSet = aiTools(ai6, registry, { cwd });
    const model = createAnthropic6({ apiKey: "test-key", baseURL: `${url}/v1` })("m");
    return ai6.generateText({ model, tools, prompt: "go", stopWhen: ai6.stepCountIs(3), abortSignal });
  },
  7: ({ url, place: { registry, cwd }, abortSignal }: Run) => {
    const tools: ai7.ToolSet = aiTools(ai7, registry, { cwd });
    const model = createAnthropic({ apiKey: "test-key", baseURL: `${url}/v1` })("m");
    return ai7.generateText({ model, tools, prompt: "go", stopWhen: ai7.stepCountIs(3), abortSignal });
  },
};

/** A model on loopback that calls these tools, and finishes when it has their results. */
async function modelThatCalls(...names: string[]): Promise<LLMock> {
  const mock = new LLMock({ port: 0 });
  mock.on({ hasToolResult: false }, { toolCalls: names.map((name) => ({ name, arguments: '{"who":"é"}' })) });
  mock.on({ hasToolResult: true }, { content: "That was it." });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

describe.each(Object.entries(versions))("ai %s", (_version, run) => {
  test("the model gets the exact text of each envelope, also if the tool failed", async () => {
    const place = await world({ digits: `cat > /dev/null; echo '{"n": 10000000000000000001}'`, fail: "exit 3" });
    const mock = await modelThatCalls("digits", "fail");
    const { text, steps } = await run({ url: mock.url, place, abortSignal: new AbortController().signal });
    expect(text).toBe("That was it.");
    expect(steps[0]?.toolResults.map(({ output }) => output)).toMatchObject([
      { tool_success: true },
      { tool_success: false, error_code: "TOOL_CRASHED" },
    ]);
    const body = mock.getLastRequest()?.body as { messages: { role: string; content: string }[] };
    expect(body.messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      '{"tool_success":true,"result":{"n": 10000000000000000001}}',
      expect.stringContaining('"error_code":"TOOL_CRASHED"'),
    ]);
  });

  test("the abort signal ends the calls", async () => {
    const place = await world({ forever: "cat > /dev/null; echo $$ > pid; sleep 60" });
    const mock = await modelThatCalls("forever");
    const controller = new AbortController();
    const running = run({ url: mock.url, place, abortSignal: controller.signal });
    const file = join(place.cwd, "pid");
    while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
    controller.abort();
    await expect(running).rejects.toThrow();
    while (isRunning(Number(readFileSync(file, "utf8")))) await sleep(20);
  });
});
