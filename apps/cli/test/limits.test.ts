// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** A model with a price: each of its answers is a call of bash and costs 0.30 dollars; the last one is text. */
async function pricedModel(commands: readonly string[]): Promise<Record<string, string>> {
  let steps = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const command = commands[steps++];
      const send = (type: string, more: object) =>
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const usage = { input_tokens: 100_000, output_tokens: 1 };
      const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage };
      send("message_start", { message });
      const block =
        command === undefined
          ? { type: "text", text: "" }
          : { type: "tool_use", id: `c${steps}`, name: "bash", input: {} };
      send("content_block_start", { index: 0, content_block: block });
      const delta =
        command === undefined
          ? { type: "text_delta", text: "Done." }
          : { type: "input_json_delta", partial_json: JSON.stringify({ command }) };
      send("content_block_delta", { index: 0, delta });
      send("content_block_stop", { index: 0 });
      const reason = command === undefined ? "end_turn" : "tool_use";
      send("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 1 } });
      send("message_stop", {});
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "sk-ant-of-a-test-only" };
}

const priced = ["--model", "anthropic/claude-sonnet-4-5", "--allow", "bash", "--output-format", "json"];

test("tells at 80 % of --max-cost, and ends the turn there with exit 1", async () => {
  const env = await pricedModel(["echo 1", "echo 2", "echo 3", "echo 4"]);
  const { exitCode, stdout, stderr } = await ikigai(["-p", "go", ...priced, "--max-cost", "0.70"], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("$0.60 of $0.70 (--max-cost) are used.");
  expect(stderr).toContain("Stopped at a limit: this run has cost $0.90, and --max-cost is $0.70.");
  const { reason, error, turns } = JSON.parse(stdout);
  expect({ reason, code: error.code, turns }).toEqual({ reason: "failed", code: "limit_reached", turns: 3 });
});

test("--max-cost is not ignored where the price is unknown, and the configuration's limit stops no model without a price", async () => {
  const model = await startModel([{ text: "Free." }, { text: "Free." }]);
  const own = ["-p", "go", "--model", "openai-compatible/m"];
  const strict = await ikigai([...own, "--max-cost", "1"], { env: model.env });
  expect(strict).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--max-cost cannot be kept") });
  expect(strict.stderr).not.toContain("To continue");
  expect(model.requests).toHaveLength(0);
  const HOME = await tempDir({ ".ikigai/config.json": '{"limits":{"day":{"cost":1}}}' });
  expect(await ikigai(own, { env: { ...model.env, HOME } })).toMatchObject({ exitCode: 0, stdout: "Free.\n" });
});

test("a turn that ends with its answer has not reached a limit", async () => {
  const env = await pricedModel([]);
  expect(await ikigai(["-p", "go", ...priced, "--max-cost", "0.10"], { env })).toMatchObject({ exitCode: 0 });
});

test("the limits of the session and the day count what sessions have cost before", async () => {
  const HOME = await tempDir({
    ".ikigai/config.json": { content: '{ "limits": { "day": { "cost": 0.5 } } }', mode: 0o600 },
  });
  const env = { ...(await pricedModel([])), HOME };
  const run = () => ikigai(["-p", "go", ...priced], { env });
  expect(await run()).toMatchObject({ exitCode: 0 });
  expect(await run()).toMatchObject({ exitCode: 0 });
  const third = await run();
  expect(third.stderr).toContain("this day has cost $0.60, and limits.day.cost is $0.50");
  expect(third.exitCode).toBe(1);
});

test("--max-minutes ends a call, also with a fraction of a minute", async () => {
  const cwd = await tempDir();
  const { env } = await startModel([{ calls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] }]);
  const pid = () => Number(readFileSync(join(cwd, "pid"), "utf8"));
  const args = ["-p", "go", "--model", "openai-compatible/m", "--allow", "bash", "--max-minutes", "0.1"];
  const { exitCode, stderr } = await ikigai(args, {
    cwd,
    env,
    whileRunning: () => until(() => existsSync(join(cwd, "pid")) && pid() > 0, "the command"),
  });
  expect(exitCode).toBe(1);
  expect(isRunning(pid())).toBe(false);
  expect(stderr).toContain("Stopped at a limit: this run has worked for 0.1 min, and --max-minutes is 0.1 min.");
  expect(stderr).toMatch(/To continue: ikigai --resume \S+\n/);
  expect(stderr).not.toContain("The price");
});

test("continues until the command of --goal exits with 0, and gives its output to the model", async () => {
  const cwd = await tempDir({ "check.sh": "echo still missing; test -e made\n" });
  const make = { calls: [{ name: "bash", arguments: { command: "touch made" } }] };
  const { env, requests } = await startModel([{ text: "I think it is done." }, make, { text: "Now it is." }]);
  const args = ["-p", "make it", "--model", "openai-compatible/m", "--allow", "bash", "--goal", "sh check.sh"];
  const { exitCode, stdout, stderr } = await ikigai(args, { cwd, env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Now it is.\n" });
  expect(stderr).toContain("Goal reached: sh check.sh");
  expect(requests).toHaveLength(3);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("still missing");
});

test("a goal is given up when the model only says that it is done, three times in a row", async () => {
  const call = { calls: [{ name: "bash", arguments: { command: "true" } }] };
  const done = { text: "It is done." };
  const { env, requests } = await startModel([done, done, call, done, done, done, done]);
  const args = ["-p", "x", "--model", "openai-compatible/m", "--allow", "bash", "--goal", "false"];
  const { exitCode, stderr } = await ikigai(args, { env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("the model has answered 3 times in a row without a tool call.");
  expect(requests).toHaveLength(6);
});
