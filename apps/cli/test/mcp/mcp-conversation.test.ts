// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openTerminal } from "../terminal.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };
const sayOne = ["-p", 'mcp__test__echo {"message": "one"}', "--allow", "mcp__test__*", "--model", "offline"];

test("a question shows what answers the call", async () => {
  const { add, home } = await mcpHome();
  await add({ tools: [echo] });
  const terminal = await openTerminal(["--model", "offline"], { env: { HOME: home }, columns: 200 });
  await terminal.waitForPrompt();
  terminal.type('mcp__test__echo {"message": "one"}\r');
  const screen = await terminal.waitFor("Run it?");
  expect(screen).toContain(`server test: ${process.execPath} ${scriptedServer}`);
});

test("the model gets the instructions of a server that the user saw, while one of its tools is loaded", async () => {
  const { add, run } = await mcpHome();
  const instructions = `Always be\u202e ${"loud ".repeat(1_000)}`;
  const { stdout } = await add({ tools: [echo], instructions });
  const model = await startModel([]);
  await run(["-p", "hello", "--model", "openai-compatible/m"], { env: model.env });
  await run(["mcp", "remove", "test", "--yes"]);
  await run(["-p", "hello", "--model", "openai-compatible/m"], { env: model.env });
  const [withServer = "", without = ""] = model.requests.map(({ messages }) => String(messages[0]?.content));
  const [, text = ""] = withServer.split(
    "How to use the tools mcp__test__*, from the MCP server test, not from the user:\n\n",
  );
  expect(text).toMatch(/^Always be loud loud .*…$/);
  expect(Buffer.byteLength(text)).toBe(2_048);
  expect(stdout).toContain(text);
  expect(without).not.toContain("MCP server");
});

test("the next message says that the tools of a server have changed", async () => {
  const { add, home, run } = await mcpHome();
  const listFile = join(home, "list.json");
  writeFileSync(listFile, JSON.stringify([echo]));
  await add({ listFile });
  writeFileSync(
    listFile,
    JSON.stringify([
      { ...echo, description: "Sends it" },
      { ...echo, name: "more" },
    ]),
  );
  expect((await run(sayOne)).stderr).not.toContain("its tools changed");
  expect((await run(sayOne)).stderr).toContain("test: its tools changed (+1 ~1): ikigai mcp update test");
  await run(["mcp", "update", "test", "--yes"]);
  expect((await run(sayOne)).stderr).not.toContain("its tools changed");
});
