// Promise 10 of SECURITY.md.
// @module-tag sampled
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpHome } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

/** A home with the scripted server, whose list is then another one. */
async function withServer(now: readonly object[]) {
  const world = await mcpHome();
  const listFile = join(world.home, "list.json");
  writeFileSync(listFile, JSON.stringify([echo, { ...echo, name: "old" }]));
  expect(await world.add({ listFile }, "--env", "KEY=s3cret-value")).toMatchObject({ exitCode: 0 });
  writeFileSync(listFile, JSON.stringify(now));
  const update = (...args: readonly string[]) => world.run(["mcp", "update", "test", ...args]);
  return { ...world, update, wrapper: (name: string) => join(world.own, "tools", `mcp__test__${name}-tool`) };
}

test("shows every tool that is new, gone or changed with everything that the model sees, and replaces the tools", async () => {
  const { update, names, own, wrapper, call } = await withServer([
    { ...echo, description: "Sends it\u202e" },
    { ...echo, name: "more", description: "Does more" },
  ]);
  const { exitCode, stdout } = await update("--yes");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    '~ mcp__test__echo\n    -   "description": "Says it",\n    +   "description": "Sends it",\n',
  );
  expect(stdout).toMatch(/^\+ mcp__test__more\n {4}\+ \{\n[\s\S]*"description": "Does more"/m);
  expect(stdout).toMatch(/^- mcp__test__old$/m);
  expect(stdout).toMatch(/^Updated test\.$/m);
  expect(names("tools")).toEqual(["mcp__test__echo-tool", "mcp__test__more-tool"]);
  expect(readFileSync(wrapper("echo"), "utf8")).toContain('"description":"Sends it"');
  const secrets = join(own, "data", "mcp-test", "secrets.json");
  expect([JSON.parse(readFileSync(secrets, "utf8")), statSync(secrets).mode & 0o777]).toEqual([
    { "env.KEY": "s3cret-value" },
    0o600,
  ]);
  expect((await call("mcp__test__echo", { message: "hi" })).envelope.result).toEqual({ output: "Echo: hi" });
});

test("needs a yes, and otherwise changes and starts nothing", async () => {
  const { update, wrapper } = await withServer([]);
  const before = readFileSync(wrapper("echo"), "utf8");
  expect(await update()).toMatchObject({ exitCode: 2, stdout: "" });
  expect(readFileSync(wrapper("echo"), "utf8")).toBe(before);
});

test("forgets a change that it has shown", async () => {
  const { update, own, run } = await withServer([echo]);
  const changed = join(own, "data", "mcp-test", "changed.json");
  const prompt = ["-p", 'mcp__test__echo {"message": "one"}', "--allow", "mcp__test__*", "--model", "offline"];
  expect(await run(prompt)).toMatchObject({ exitCode: 0 });
  const [row] = JSON.parse((await run(["mcp", "list", "--json"])).stdout);
  expect([row.status, existsSync(changed)]).toEqual(["tools changed", true]);
  await update("--yes");
  expect(existsSync(changed)).toBe(false);
});

test("writes files again that were changed", async () => {
  const { update, run, wrapper } = await withServer([echo, { ...echo, name: "old" }]);
  const before = readFileSync(wrapper("echo"), "utf8");
  writeFileSync(wrapper("echo"), "#!/bin/sh\n");
  expect(JSON.parse((await run(["mcp", "list", "--json"])).stdout)[0].status).toBe("not as added");
  expect(await update("--yes")).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^~ mcp__test__echo$/m) });
  expect(readFileSync(wrapper("echo"), "utf8")).toBe(before);
});

test.each([[[]], [["--all"]]])("updates all servers, with the operands %j", async (operands) => {
  const { run } = await withServer([echo]);
  const { exitCode, stdout } = await run(["mcp", "update", ...operands, "--yes"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^Updated test\.$/m) });
});

test("a name and --all is a usage error", async () => {
  const { run } = await mcpHome();
  const stderr = expect.stringContaining("Expected NAME or --all, got both.");
  expect(await run(["mcp", "update", "test", "--all", "--yes"])).toMatchObject({ exitCode: 2, stderr });
});

test("of a server whose files are gone says how to add it again", async () => {
  const { update, own } = await withServer([echo]);
  rmSync(join(own, "packages", "mcp-test"), { recursive: true });
  expect(await update("--yes")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("ikigai mcp remove test"),
  });
});
