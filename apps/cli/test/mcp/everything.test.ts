// Promise 10 of SECURITY.md.
// @module-tag sampled
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { mcpHome, serverProgram } from "./mcp-home.ts";

/** A home with the server. */
async function withEverything() {
  const world = await mcpHome();
  const program = serverProgram("@modelcontextprotocol/server-everything");
  const { exitCode, stderr } = await world.run(["mcp", "add", "everything", "--yes", "--", "node", program, "stdio"]);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  return world;
}

test("a tool of a server passes all checks of the protocol", { tags: ["slow"] }, async () => {
  const world = await withEverything();
  const args = [
    "tool",
    "check",
    join(world.own, "tools", "mcp__everything__echo-tool"),
    "--call",
    '{"message":"hi"}',
    "--strict",
  ];
  expect(await world.run(args)).toMatchObject({ exitCode: 0 });
});

test("a structured result comes once, an image as a file, and a missing argument is named", async () => {
  const world = await withEverything();
  const structured = await world.call("mcp__everything__get_structured_content", { location: "New York" });
  expect(structured.envelope.result).toEqual({
    structured: expect.objectContaining({ temperature: expect.any(Number) }),
  });
  const { envelope } = await world.call("mcp__everything__get_tiny_image");
  expect(envelope.result.images).toEqual([{ path: expect.stringMatching(/\.png$/), mime_type: "image/png" }]);
  const refused = await world.call("mcp__everything__echo");
  expect(refused.exitCode).toBe(1);
  expect(refused.envelope.stderr).toContain('"message"');
});

test("a conversation uses one process of the server", async () => {
  const world = await withEverything();
  const prompt = 'mcp__everything__echo {"message": "one"}';
  const { stdout, exitCode } = await world.run(["-p", prompt, "--allow", "mcp__everything__*", "--model", "offline"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Echo: one")]);
});

test("the first call of the server for files is right each time: it counts on the project's directory", async () => {
  const world = await mcpHome();
  const cwd = join(world.home, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "from the project");
  const program = serverProgram("@modelcontextprotocol/server-filesystem");
  const elsewhere = join(world.home, "elsewhere");
  mkdirSync(elsewhere);
  expect(await world.run(["mcp", "add", "fs", "--yes", "--", "node", program, elsewhere], { cwd })).toMatchObject({
    exitCode: 0,
  });
  const args = JSON.stringify({ path: join(cwd, "a.txt") });
  for (let count = 0; count < (inject("isThorough") ? 8 : 3); count++) {
    const { stdout } = await world.run(["tool", "call", "mcp__fs__read_text_file", args], { cwd });
    expect(stdout).toContain("from the project");
  }
  const tested = await world.run(["mcp", "test", "fs", "--call", "read_text_file", args], { cwd });
  expect(tested.stdout).toContain("from the project");
});

test("test, list and remove", async () => {
  const world = await withEverything();
  expect(await world.run(["mcp", "test", "everything"])).toMatchObject({ exitCode: 0 });
  const sum = await world.run(["mcp", "test", "everything", "--call", "get_sum", '{"a":1,"b":2}']);
  expect([sum.exitCode, sum.stdout]).toEqual([0, expect.stringContaining("The sum of 1 and 2 is 3")]);
  const [row] = JSON.parse((await world.run(["mcp", "list", "--json"])).stdout);
  expect(row).toMatchObject({ name: "everything", transport: "stdio", status: "ready" });
  expect((await world.run(["mcp", "remove", "everything"])).exitCode).toBe(2);
  expect(await world.run(["mcp", "remove", "everything", "--yes"])).toMatchObject({ exitCode: 0 });
  expect([existsSync(join(world.own, "data", "mcp-everything")), world.names("tools")]).toEqual([false, []]);
});

test.runIf(inject("isThorough"))("the package of the npm registry becomes tools", async () => {
  const world = await mcpHome();
  const spec = "npm:@modelcontextprotocol/server-everything@2026.8.31";
  expect(await world.run(["mcp", "add", "everything", "--yes", spec])).toMatchObject({ exitCode: 0 });
  const { envelope } = await world.call("mcp__everything__echo", { message: "hi" });
  expect(envelope.result).toEqual({ output: "Echo: hi" });
});
