// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookWorld, userHook } from "./hook-world.ts";
import { calling, connect } from "./mcp-client.ts";

const notes = { "notes.txt": "alpha beta\n" };
const read = calling("file_read", { file_path: "notes.txt" });

test("a hook denies a call of an MCP client that a rule allows", async () => {
  const here = await hookWorld(notes);
  userHook(here, "before-call/bash/guard", "echo 'not here' >&2", "exit 2");
  const client = await connect({ home: here.home, cwd: here.project, args: ["--allow", "bash"] });
  const { isError, content } = await client.callTool(calling("bash", { command: "touch made" }));
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toMatch(/guard denies it: not here/);
  expect(existsSync(join(here.project, "made"))).toBe(false);
});

test("a broken hook denies it too, in mode allow", async () => {
  const here = await hookWorld(notes);
  const path = userHook(here, "before-call/guard", "exit 1");
  const client = await connect({ home: here.home, cwd: here.project, args: ["--permission-mode", "allow"] });
  const { isError, content } = await client.callTool(read);
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toContain(`the hook ${path} is broken: exit 1`);
});

test("arguments that a hook changes are those that are run", async () => {
  const here = await hookWorld(notes);
  userHook(here, "before-call/bash/change", `echo '{"arguments": {"command": "echo changed"}}'`);
  const client = await connect({ home: here.home, cwd: here.project, args: ["--allow", "bash"] });
  const { structuredContent } = await client.callTool(calling("bash", { command: "echo given" }));
  expect(structuredContent).toMatchObject({ output: "changed" });
});

test("a call waits for an earlier one whose path a hook changes to the same file", async () => {
  const here = await hookWorld({});
  const changed = JSON.stringify({ arguments: { file_path: "a.txt", content: "first" } });
  userHook(here, "before-call/file_write/change", "sleep 1", `echo '${changed}'`);
  const client = await connect({ home: here.home, cwd: here.project, args: ["--allow", "file_write"] });
  const [, read] = await Promise.all([
    client.callTool(calling("file_write", { file_path: "b.txt", content: "other" })),
    client.callTool(calling("file_read", { file_path: "a.txt" })),
  ]);
  expect(read.structuredContent).toMatchObject({ output: "first" });
});

test("what session-start hooks say comes with the first result, what after-call hooks say with each", async () => {
  const here = await hookWorld(notes);
  userHook(here, "session-start/say", "echo welcome");
  userHook(here, "after-call/say", `echo '{"context": "seen"}'`);
  userHook(here, "session-end/see", `cat > "${here.home}/ended"`);
  const client = await connect({ home: here.home, cwd: here.project });
  const texts = async () => {
    const { content } = await client.callTool(read);
    return content.slice(1).map((block) => (block.type === "text" ? block.text : ""));
  };
  expect(await texts()).toEqual(["[hook session-start/say]\nwelcome\n\n[hook after-call/say]\nseen"]);
  expect(await texts()).toEqual(["[hook after-call/say]\nseen"]);
  await client.close();
  await expect.poll(() => existsSync(join(here.home, "ended"))).toBe(true);
  await expect.poll(() => readFileSync(join(here.home, "ended"), "utf8")).toContain('"hook_event_name":"SessionEnd"');
});
