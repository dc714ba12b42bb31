import { chmodSync, closeSync, openSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyNoProgram } from "@ikigai/system";
import { expect, test } from "vitest";
import { callTool } from "../src/index.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** Changes a tool after discovery, calls it, and returns the error for the model. */
async function errorAfter(change: (path: string) => void, env?: NodeJS.ProcessEnv): Promise<string> {
  const { root, discover } = await world({ "system/a-tool": tool(schema("a")) });
  const registry = await discover();
  const path = join(root, "system/a-tool");
  change(path);
  const options = await circumstances({ env: env && { ...process.env, ...env } });
  const { envelope, json } = await callTool(registry, "a", "{}", options);
  if (envelope.tool_success) return json;
  expect(envelope).toEqual({
    tool_success: false,
    error: expect.any(String),
    error_code: "TOOL_UNAVAILABLE",
    exit_code: null,
    stdout: "",
    stderr: "",
  });
  return envelope.error.replace("Tool 'a' cannot be started: ", "").replace(path, "PATH");
}

function rewrite(text: string): (path: string) => void {
  return (path) => writeFileSync(path, text);
}

function relink(target: string): (path: string) => void {
  return (path) => {
    unlinkSync(path);
    symlinkSync(target, path);
  };
}

test.each([
  ["no longer exists", (path: string) => unlinkSync(path), "the file no longer exists"],
  ["is not executable", (path: string) => chmodSync(path, 0o644), "it is not executable. To fix it: chmod +x PATH"],
  ["is a broken link", relink("/nope"), "link target missing: /nope"],
  ["is a link to itself", relink("a-tool"), "too many levels of symbolic links"],
  ["is a link to a directory", relink("/"), "it is not a regular file"],
  ["has no interpreter", rewrite("#!/no/such/thing -x\n"), "its interpreter /no/such/thing is missing"],
  [
    "has Windows line endings",
    rewrite("#!/bin/sh\r\n"),
    "CRLF line ending in its #! line; save the file with LF line endings",
  ],
  [
    "names an interpreter that is not a program",
    rewrite("#!/etc/passwd\n"),
    "its interpreter /etc/passwd is not executable",
  ],
])("says that the tool's file %s", async (_, change, error) => {
  expect(await errorAfter(change)).toBe(error);
});

test("quotes a path with a space in the advice", async () => {
  const content = { content: tool(schema("a")), mode: 0o644 };
  const { root, discover } = await world({ "my tools/a-tool": content });
  const path = join(root, "my tools/a-tool");
  expect((await discover({ toolPath: join(root, "my tools") })).failed).toMatchObject([
    { name: "a", detail: `fix it with chmod +x '${path}'` },
  ]);
  expect(whyNoProgram(path, root)).toBe(`it is not executable. To fix it: chmod +x '${path}'`);
});

test("says that the tool's directory no longer exists", async () => {
  expect(await errorAfter((path) => rmSync(join(path, ".."), { recursive: true }))).toBe("the file no longer exists");
});

// No entry of this PATH can be tried, so that `execvp` fails without an error, which Node takes for a start.
test("never searches for a tool's path on PATH", async () => {
  const { discover } = await world({ "system/a-tool": tool(schema("a")) });
  const registry = await discover();
  const named = { ...registry, tools: registry.tools.map((found) => ({ ...found, path: "a-tool" })) };
  const options = await circumstances({ env: { PATH: "x".repeat(100_000) } });
  const { envelope } = await callTool(named, "a", "{}", options);
  expect(envelope).toMatchObject({
    error: "Tool 'a' cannot be started: a-tool is not a path",
    error_code: "TOOL_UNAVAILABLE",
  });
});

test("says that the environment is too large or invalid", async () => {
  const nothing = () => {};
  expect(await errorAfter(nothing, { HUGE: "x".repeat(200_000) })).toBe(
    "its arguments and environment are larger than the system allows",
  );
  expect(await errorAfter(nothing, { NUL: "a\0b" })).toBe("its path, arguments or environment contain a NUL character");
});

test("waits for a file that is being written, but not forever", async () => {
  let fd = -1;
  const busy = (path: string) => {
    fd = openSync(path, "r+");
  };
  expect(await errorAfter(busy)).toBe("the file is open for writing");
  closeSync(fd);
  const brief = (path: string) => {
    const writing = openSync(path, "r+");
    setTimeout(() => closeSync(writing), 70);
  };
  expect(await errorAfter(brief)).toBe('{"tool_success":true,"result":{}}');
});

test("runs the file that has replaced a tool that is not the project's", async () => {
  expect(await errorAfter(rewrite(tool(schema("a"), "echo '{\"new\":1}'")))).toBe(
    '{"tool_success":true,"result":{"new":1}}',
  );
});
