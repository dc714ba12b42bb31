// Promise 6 of SECURITY.md.
// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { calling, rawClient } from "./mcp-client.ts";

const bash = (command: string) => calling("bash", { command });

test("calls before initialize follow the same rules", async () => {
  const cwd = await tempDir();
  const client = await rawClient({ cwd });
  const { result } = await client.ask("tools/call", bash("touch made"));
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("--allow") }] });
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("a flood of calls is answered, each once, with at most 1000 of them open", { tags: ["slow"] }, async () => {
  const client = await rawClient({ args: ["--allow", "bash"] });
  const ids = Array.from({ length: 1_500 }, () => client.post("tools/call", bash("exec sleep 1000")));
  for (const id of ids.slice(1_000)) await client.answer(id);
  const texts = () => client.messages.map(({ result }) => result?.content?.[0]?.text);
  expect(texts()).toEqual(Array(500).fill("1000 calls are running or waiting. Wait until some have ended."));
  expect(await client.end()).toBe(0);
  for (const id of ids) await client.answer(id);
  expect(texts()).toHaveLength(1_500);
  expect(texts().filter((text) => text?.includes("TOOL_CANCELLED"))).toHaveLength(1_000);
});

test("calls with the same ID are all stopped at the end", async () => {
  const cwd = await tempDir();
  const client = await rawClient({ cwd, args: ["--allow", "bash"] });
  for (const name of ["a", "b"]) {
    const params = bash(`sleep 1; touch ${name}; sleep 1000`);
    client.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  }
  expect((await client.ask("ping", {})).result).toEqual({});
  expect(await client.end()).toBe(0);
});

test("cancels of unknown calls, responses and notifications change nothing", async () => {
  const client = await rawClient();
  for (const requestId of [0, -1, "x", null, {}, 1e308]) {
    client.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }
  client.write({ jsonrpc: "2.0", id: 5, result: {} });
  client.write({ jsonrpc: "2.0", method: "notifications/nothing" });
  client.write({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
  expect((await client.ask("ping", {})).result).toEqual({});
  expect(client.messages).toHaveLength(1);
});

test.each([
  ["not json", -32700, null],
  ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
  ['{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{"progressToken":{}}}}', -32600, "a"],
  ["[]", -32600, null],
  ["null", -32600, null],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
])("%s is an error, and the next message is answered", async (line, code, id) => {
  const client = await rawClient();
  client.write(line);
  expect((await client.answer(id)).error?.code).toBe(code);
  expect((await client.ask("ping", {})).result).toEqual({});
});

test.each([
  ["an unknown method", "tools/destroy", {}, -32601],
  ["a method that is not served", "resources/list", {}, -32601],
  ["a tool with control characters", "tools/call", calling("\u001b[2Jbash\n\u0000"), -32602],
  ["a tool with a name of a megabyte", "tools/call", calling("x".repeat(1_000_000)), -32602],
  ["a path as a tool", "tools/call", calling("../../bin/sh"), -32602],
  ["__proto__ as a tool", "tools/call", calling("__proto__"), -32602],
])("%s is an error of the protocol", async (_, method, params, code) => {
  const client = await rawClient();
  const { error } = await client.ask(method, params);
  expect(error?.code).toBe(code);
  expect(error?.message.length).toBeLessThan(700);
  expect(client.strange).toEqual([]);
});

test("arguments of 40 MB reach the tool or fail, and the server lives", { tags: ["slow"] }, async () => {
  const cwd = await tempDir();
  const client = await rawClient({ cwd, args: ["--allow", "file_write"] });
  const content = "x".repeat(40_000_000);
  const { result } = await client.ask("tools/call", calling("file_write", { file_path: "big", content }));
  expect(result?.isError ?? result?.structuredContent?.bytes === content.length).toBe(true);
  expect((await client.ask("ping", {})).result).toEqual({});
});

test("a message of more than 64 MiB ends the server with exit 1", async () => {
  const client = await rawClient();
  client.child.stdin?.write("x".repeat(70 * 1_048_576));
  const code = await new Promise((settle) => client.child.once("close", settle));
  expect(code).toBe(1);
  expect(client.stderr()).toMatch(/longer than 67108864 bytes/);
});

test("a tool cannot write to the protocol", async () => {
  const fake = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const schema = '{"name":"liar","description":"d","parameters":{}}';
  const script = `#!/bin/sh\n[ "$1" = --schema ] && { echo '${fake}' >&2; exec echo '${schema}'; }\ncat >/dev/null\necho '${fake}' >&2\necho '${fake}' >&3\necho '${fake}'\necho '{"output":"\\u001b[2J"}'\n`;
  const home = await tempDir({ ".ikigai/tools/liar-tool": script });
  const client = await rawClient({ home, args: ["--allow", "liar"] });
  const { result } = await client.ask("tools/call", calling("liar"));
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("INVALID_OUTPUT") }] });
  await client.end();
  expect(client.strange).toEqual([]);
  expect(client.messages.filter(({ method }) => method !== undefined)).toEqual([]);
});

test("a client that closes stdout leaves nothing running", async () => {
  const cwd = await tempDir();
  const client = await rawClient({ cwd, args: ["--allow", "bash"] });
  client.post("tools/call", bash("exec sleep 1000"));
  client.child.stdout?.destroy();
  const closed = new Promise((settle) => client.child.once("exit", settle));
  for (let count = 0; count < 5; count++) client.post("ping", {});
  expect(await closed).toBe(0);
});
