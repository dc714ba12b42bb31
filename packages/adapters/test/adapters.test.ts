import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type Anthropic from "@anthropic-ai/sdk";
import { isRunning } from "@ikigai/testing";
import * as ai from "ai";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { type AiToolDefinition, aiTools } from "../src/ai-sdk.ts";
import { anthropicToolResults, anthropicTools } from "../src/anthropic.ts";
import { chatToolMessages, chatTools, responsesToolOutputs, responsesTools } from "../src/openai.ts";
import { callRunner } from "../src/run-calls.ts";
import { meetTool, world } from "./world.ts";

const parameters = { type: "object", properties: { who: { type: "string" } }, required: ["who"] };
const echo = "cat";

test("the definitions match the clients' own types", async () => {
  const { registry } = await world({ echo, meet: meetTool });
  const tools: ai.ToolSet = aiTools(ai, registry);
  expect(Object.keys(tools)).toEqual(["echo", "meet"]);
  const forAnthropic: Anthropic.ToolUnion[] = anthropicTools(registry);
  expect(forAnthropic[0]).toEqual({ name: "echo", description: "Does echo", input_schema: parameters });
  const forChat: OpenAI.ChatCompletionTool[] = chatTools(registry);
  const definition = { name: "echo", description: "Does echo", parameters };
  expect(forChat[0]).toEqual({ type: "function", function: definition });
  const forResponses: OpenAI.Responses.Tool[] = responsesTools(registry);
  expect(forResponses[0]).toEqual({ type: "function", ...definition, strict: false });
});

test("the main entry exports what the three others export", async () => {
  const entries = [
    await import("../src/ai-sdk.ts"),
    await import("../src/anthropic.ts"),
    await import("../src/openai.ts"),
  ];
  expect(Object.keys(await import("../src/index.ts")).sort()).toEqual(entries.flatMap(Object.keys).sort());
});

/** The same two calls, one of which fails, in the form of each API, with the expected results. */
const calls = [
  { id: "1", name: "echo", input: { who: "é" }, result: '{"tool_success":true,"result":{"who":"é"}}' },
  { id: "2", name: "ehco", input: {}, result: expect.stringContaining('"error_code":"TOOL_NOT_FOUND"') },
];

test("Anthropic: each tool_use gets a tool_result, and other blocks are skipped", async () => {
  const { registry, cwd } = await world({ echo });
  const uses = calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input }));
  const content = [{ type: "text", text: "I look.", citations: null }, ...uses];
  const results: Anthropic.ContentBlockParam[] = await anthropicToolResults(registry, content, { cwd });
  expect(results).toEqual([
    { type: "tool_result", tool_use_id: "1", content: calls[0]?.result, is_error: false },
    { type: "tool_result", tool_use_id: "2", content: calls[1]?.result, is_error: true },
  ]);
});

test.each([
  [undefined, "65536"],
  [9_000, "9000"],
] as const)("a tool learns how much of its answer is worth reading: %j", async (answerBytes, bytes) => {
  const { registry, cwd } = await world({ budget: `printf '{"bytes":"%s"}' "$IKIGAI_ANSWER_BYTES"` });
  const run = callRunner(registry, { cwd, answerBytes });
  const { envelope } = await run({ name: "budget", arguments: "{}" });
  expect(envelope).toEqual({ tool_success: true, result: { bytes } });
});

test("OpenAI: each call gets a message or output, also with broken arguments", async () => {
  const { registry, cwd } = await world({ echo });
  const broken = { name: "echo", arguments: '{"who": ' };
  const functions = [...calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })), broken];
  const expected = [...calls.map(({ result }) => result), expect.stringContaining("INVALID_PARAMS")];
  const messages: OpenAI.ChatCompletionMessageParam[] = await chatToolMessages(
    registry,
    [
      ...functions.map((call, index) => ({ type: "function" as const, id: String(index), function: call })),
      { type: "custom" },
    ],
    { cwd },
  );
  expect(messages).toEqual(expected.map((content, index) => ({ role: "tool", tool_call_id: String(index), content })));
  expect(await chatToolMessages(registry, undefined)).toEqual([]);
  const items: OpenAI.Responses.ResponseInputItem[] = await responsesToolOutputs(
    registry,
    [
      { type: "reasoning" },
      ...functions.map((call, index) => ({ type: "function_call" as const, call_id: String(index), ...call })),
    ],
    { cwd },
  );
  expect(items).toEqual(
    expected.map((output, index) => ({ type: "function_call_output", call_id: String(index), output })),
  );
});

test("AI SDK: the program gets the envelope and the model its text, as an error if the tool failed", async () => {
  const { registry, cwd } = await world({ echo: "cat; echo", fail: "exit 3" });
  const plain = { jsonSchema: (schema: object) => schema, dynamicTool: (tool: AiToolDefinition<object>) => tool };
  const tools = aiTools(plain, registry, { cwd });
  const output = await tools.echo?.execute({ big: 1 }, {});
  expect(output).toEqual({ tool_success: true, result: { big: 1 } });
  expect(tools.echo?.toModelOutput({ output })).toEqual({
    type: "text",
    value: '{"tool_success":true,"result":{"big":1}}',
  });
  const failure = await tools.fail?.execute(undefined, {});
  expect(tools.fail?.toModelOutput({ output: failure })).toMatchObject({
    type: "error-text",
    value: expect.stringContaining('"error_code":"TOOL_CRASHED"'),
  });
  // As read back from a database.
  expect(tools.echo?.toModelOutput({ output: structuredClone(output) })).toMatchObject({ type: "text" });
});

test("a call that is not permitted does not run, and the model sees why", async () => {
  const { registry, cwd } = await world({ touch: "touch done; echo '{}'" });
  const asked: string[] = [];
  const answers = [false, "not on Sundays", true];
  const results = [];
  for (const answer of answers) {
    const content = [{ type: "tool_use", id: "1", name: "touch", input: { who: "x" } }];
    const permit = async (call: { name: string; arguments: string }, tool: { path: string }) => {
      asked.push(`${call.name} ${call.arguments} ${tool.path.split("/").at(-1)}`);
      return answer;
    };
    const [result] = await anthropicToolResults(registry, content, { cwd, permit });
    results.push([JSON.parse(String(result?.content)), existsSync(join(cwd, "done"))]);
  }
  const denied = (error: string) => [expect.objectContaining({ error, error_code: "TOOL_DENIED" }), false];
  expect(results).toEqual([
    denied("The program denied this call."),
    denied("The program denied this call and says: not on Sundays"),
    [{ tool_success: true, result: {} }, true],
  ]);
  expect(new Set(asked)).toEqual(new Set(['touch {"who":"x"} touch-tool']));
});

const foreverTool = `cat > /dev/null; echo $$ > pid; sleep 60`;

/** Waits until the tool runs; returns its process id. */
async function pidIn(cwd: string): Promise<number> {
  const file = join(cwd, "pid");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
  return Number(readFileSync(file, "utf8"));
}

test("an abort signal of the options ends the calls", async () => {
  const { registry, cwd } = await world({ forever: foreverTool });
  const controller = new AbortController();
  const call = { type: "function", id: "1", function: { name: "forever", arguments: "{}" } };
  const running = chatToolMessages(registry, [call], { cwd, signal: controller.signal });
  const pid = await pidIn(cwd);
  controller.abort();
  expect(JSON.stringify(await running)).toContain("TOOL_CANCELLED");
  expect(isRunning(pid)).toBe(false);
});

test.each(["options", "call"] as const)(
  "where both have an abort signal, that of the %s ends the call",
  async (which) => {
    const { registry, cwd } = await world({ forever: foreverTool });
    const controllers = { options: new AbortController(), call: new AbortController() };
    const run = callRunner(registry, { cwd, signal: controllers.options.signal });
    const running = run({ name: "forever", arguments: "{}" }, controllers.call.signal);
    const pid = await pidIn(cwd);
    controllers[which].abort();
    expect((await running).json).toContain("TOOL_CANCELLED");
    expect(isRunning(pid)).toBe(false);
  },
);

test("runs at most 8 calls at once", async () => {
  const { registry, cwd } = await world({
    count: `cat > /dev/null; touch $$.on; ls *.on | wc -l >> seen; sleep 0.2; rm $$.on; echo '{}'`,
  });
  const call = (id: number) => ({ type: "function", id: String(id), function: { name: "count", arguments: "{}" } });
  const messages = await chatToolMessages(
    registry,
    Array.from({ length: 20 }, (_, id) => call(id)),
    { cwd },
  );
  expect(messages.map(({ tool_call_id: id }) => Number(id))).toEqual(Array.from({ length: 20 }, (_, id) => id));
  const seen = readFileSync(join(cwd, "seen"), "utf8").trim().split("\n").map(Number);
  expect(seen).toHaveLength(20);
  expect(Math.max(...seen)).toBeGreaterThan(1);
  expect(Math.max(...seen)).toBeLessThanOrEqual(8);
});
