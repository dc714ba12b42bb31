import { existsSync } from "node:fs";
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

test("a tool of a server passes all checks of the protocol", async () => {
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

test("test, list and remove", async () => {
  const world = await withEverything();
  expect(await world.run(["mcp", "test", "everything"])).toMatchObject({ exitCode: 0 });
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
