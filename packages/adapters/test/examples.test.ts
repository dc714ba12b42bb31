import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { LLMock } from "@copilotkit/aimock";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { meetTool, shellTool } from "./world.ts";

const root = join(import.meta.dirname, "../../..");
const example = (name: string) => readFileSync(join(root, "examples/library", name), "utf8");

/** The example of the README. */
function tenLines(): string {
  const [, code] = /```js\n(.*?)```/s.exec(readFileSync(join(root, "packages/adapters/README.md"), "utf8")) ?? [];
  return code ?? "throw new Error('no such example')";
}

test.each([
  ["ai-sdk.mjs", example("ai-sdk.mjs")],
  ["anthropic.mjs", example("anthropic.mjs")],
  ["openai-chat.mjs", example("openai-chat.mjs")],
  ["openai-responses.mjs", example("openai-responses.mjs")],
  ["the ten lines of the README", tenLines()],
])("%s goes from the question over two calls at once to the answer", async (_name, code) => {
  const mock = new LLMock({ port: 0 });
  const call = (who: string) => ({ name: "meet", arguments: JSON.stringify({ who }) });
  mock.on({ hasToolResult: false }, { toolCalls: [call("a"), call("b")] });
  mock.on({ hasToolResult: true }, { content: "They have met." });
  await mock.start();
  onTestFinished(() => mock.stop());
  const dir = await tempDir({ "example.mjs": code, ".ikigai/tools/meet-tool": shellTool("meet", meetTool) });
  const { stdout } = await promisify(execFile)(process.execPath, [await bundle(dir)], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: code.includes("@ai-sdk/") ? `${mock.url}/v1` : mock.url,
      OPENAI_API_KEY: "test-key",
      OPENAI_BASE_URL: `${mock.url}/v1`,
    },
  });
  expect(stdout).toBe("They have met.\n");
  const body = mock.getLastRequest()?.body as { messages: { role: string; content: string }[] };
  const results = body.messages.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual(
    // The tool's exact text.
    ["a", "b"].map((who) => `{"tool_success":true,"result":{"met": 10000000000000000001, "input": {"who":"${who}"}}}`),
  );
});
