// Promise 6 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";
import { calling, connect, rawClient } from "./mcp-client.ts";
import { toolNamesWithoutAgent } from "./shipped-tools.ts";

const notes = { "notes.txt": "alpha\nbeta\n" };
const bash = (command: string) => ({ name: "bash", arguments: { command } });

describe.each([["legacy"], ["auto"]] as const)("a client of the SDK (%s)", (era) => {
  test("lists the tools, sorted, with their schemas", async () => {
    const client = await connect({}, era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === "legacy" ? "2025-11-25" : "2026-07-28");
    expect(client.getServerVersion()).toMatchObject({ name: "ikigai" });
    const { tools, ...rest } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...toolNamesWithoutAgent].sort());
    expect(tools.find(({ name }) => name === "file_read")).toMatchObject({
      inputSchema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object" },
    });
    if (era === "auto") expect(rest).toMatchObject({ ttlMs: 5_000, cacheScope: "private" });
  });

  test("gets an answer as text and as structured content", async () => {
    const client = await connect({ cwd: await tempDir(notes) }, era);
    const { content, structuredContent, isError } = await client.callTool(
      calling("file_read", { file_path: "notes.txt" }),
    );
    expect(isError).toBeUndefined();
    expect(structuredContent).toEqual({ output: "alpha\nbeta\n", lines_read: 2, total_lines: 2 });
    expect(content).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
  });

  test("gets as much of a long answer as is worth reading", async () => {
    const client = await connect({ cwd: await tempDir({ "long.txt": "x\n".repeat(60_000) }) }, era);
    const { structuredContent } = await client.callTool(calling("file_read", { file_path: "long.txt" }));
    expect(structuredContent).toMatchObject({ truncated: true });
    expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(49_152);
  });

  test("gets an error answer, a failure and a denial as results", async () => {
    const cwd = await tempDir(notes);
    const client = await connect({ cwd, args: ["--allow", "file_read"] }, era);
    const missing = await client.callTool(calling("file_read", { file_path: "none.txt" }));
    expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("FILE_NOT_FOUND") }] });
    const failed = await client.callTool(calling("file_read", {}));
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"TOOL_CRASHED"') }] });
    const denied = await client.callTool(bash("touch made"));
    expect(denied).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/needs permission.*--allow 'bash\(touch made\)'/) }],
    });
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("gets an unknown tool as an error of the protocol", async () => {
    const client = await connect({ args: ["--tools", "grep,file_*"] }, era);
    await expect(client.callTool(bash("pwd"))).rejects.toMatchObject({ code: -32602, message: /Unknown tool: "bash"/ });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["file_edit", "file_read", "file_write", "grep"]);
  });
});

test.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "answers with version %s",
  async (version) => {
    const client = await rawClient();
    const clientInfo = { name: "old", version: "1" };
    const { result } = await client.ask("initialize", { protocolVersion: version, capabilities: {}, clientInfo });
    expect(result).toMatchObject({ protocolVersion: version, capabilities: { tools: { listChanged: true } } });
  },
);

test("answers an unknown version with the newest one it knows", async () => {
  const client = await rawClient();
  const clientInfo = { name: "new", version: "1" };
  const { result } = await client.ask("initialize", { protocolVersion: "2031-01-01", capabilities: {}, clientInfo });
  expect(result?.protocolVersion).toBe("2025-11-25");
});

test("gets the images of an answer as image blocks, and why others are left out", async () => {
  const image = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
  const cwd = await tempDir({ "a.png": image, "bad.png": "no image" });
  const images = ["a.png", "bad.png"].map((path) => ({ path, mime_type: "image/png" }));
  const home = await tempDir({ ".ikigai/tools/show-tool": tool("show", "d", JSON.stringify({ images })) });
  const client = await connect({ cwd, home, args: ["--allow", "show"] });
  const { content, structuredContent } = await client.callTool(calling("show"));
  expect(content.slice(1)).toEqual([
    { type: "image", data: image.toString("base64"), mimeType: "image/png" },
    { type: "text", text: expect.stringMatching(/^\{"images_ignored":\[\{"path":"bad.png","reason":"it is not a PNG/) },
  ]);
  expect(structuredContent).toEqual({ images });
});

test("gets what the sandbox kept from a call as a text of its own", async () => {
  const client = await connect({ cwd: await tempDir(notes), args: ["--permission-mode", "auto"] });
  const { content, structuredContent } = await client.callTool(bash("touch /usr/x"));
  expect(content).toEqual([
    { type: "text", text: JSON.stringify(structuredContent) },
    { type: "text", text: expect.stringMatching(/^\{"sandbox":"It ran in the sandbox, where only/) },
  ]);
});

test("passes increasing progress on, to clients that want it", async () => {
  const reports = [{ progress: 1, total: 3 }, { progress: 1 }, { progress: 0 }, { progress: 2, message: "half" }];
  const lines = reports.map((one) => JSON.stringify(one)).join("\\n");
  const script = `#!/bin/sh\n[ "$1" = --schema ] && exec echo '{"name":"slow","description":"d","parameters":{}}'\ncat >/dev/null\nprintf '${lines}\\n' >&3\nsleep 0.3\necho '{}'\n`;
  const home = await tempDir({ ".ikigai/tools/slow-tool": script });
  const client = await connect({ home, args: ["--allow", "slow"] });
  const seen: unknown[] = [];
  await client.callTool(calling("slow"), { onprogress: (progress) => seen.push(progress) });
  expect(seen).toMatchObject([
    { progress: 1, total: 3 },
    { progress: 2, message: "half" },
  ]);
});

test("cancel ends a call as Esc does, and its result is logged", async () => {
  const [cwd, home] = [await tempDir(), await tempDir()];
  const client = await rawClient({ cwd, home, args: ["--allow", "bash"] });
  const id = client.post("tools/call", bash("touch started; exec sleep 1000"));
  await until(() => existsSync(join(cwd, "started")), "the command");
  client.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  const log = () => readSessions(home);
  await until(() => log().includes("TOOL_CANCELLED"), "the end of the call");
  expect((await client.ask("ping", {})).result).toEqual({});
  expect(client.messages.filter((message) => message.id === id)).toEqual([]);
  expect(await client.end()).toBe(0);
});

test("the end of stdin ends all calls, exit 0, and open requests are answered", async () => {
  // Recognizable among all processes of the machine.
  const command = `sleep 4100.${process.pid}`;
  const client = await rawClient({ args: ["--allow", "bash(sleep*)"] });
  const id = client.post("tools/call", bash(command));
  const isRunning = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(`\n${command}\n`);
  await until(isRunning, "the command");
  expect(await client.end()).toBe(0);
  expect(isRunning()).toBe(false);
  expect((await client.answer(id)).result?.content?.[0]?.text).toContain("TOOL_CANCELLED");
  const stdin = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`;
  const { stdout, exitCode } = await ikigai(["mcp", "serve"], { stdin });
  expect(JSON.parse(stdout).result.tools).toHaveLength(toolNamesWithoutAgent.length);
  expect(exitCode).toBe(0);
});

test.each(["legacy", "auto"] as const)("tells a client that the tools have changed (%s)", async (era) => {
  const home = await tempDir({ ".ikigai/tools/a-tool": tool("a", "first") });
  const client = await connect({ home }, era);
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  if (era === "auto") await client.listen({ toolsListChanged: true });
  const described = async () => (await client.listTools()).tools.find(({ name }) => name === "a")?.description;
  expect(await described()).toBe("first");
  writeFileSync(join(home, ".ikigai/tools/a-tool"), tool("a", "second"));
  await until(() => changes === 1, "the notification");
  expect(await described()).toBe("second");
});

test("serves a project's tools only if they are trusted, and none of mcp add by default", async () => {
  const tools = { ".ikigai/tools/own-tool": tool("own", "d") };
  const [cwd, home] = [await tempDir(tools), await tempDir({ ".ikigai/tools/mcp__x__y-tool": tool("mcp__x__y", "d") })];
  const names = async (args: readonly string[] = []) =>
    (await (await connect({ cwd, home, args })).listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain("own");
  expect(await names()).not.toContain("mcp__x__y");
  expect(await names(["--tools", "mcp__*"])).toEqual(["mcp__x__y"]);
  expect((await ikigai(["trust", "--yes"], { cwd, env: { HOME: home } })).exitCode).toBe(0);
  expect(await names()).toContain("own");
  const { stderr } = await ikigai(["mcp", "serve"], { cwd: await tempDir(tools), stdin: "" });
  expect(stderr).toContain("1 project tool not trusted: own");
});

test.each([
  ["home", async () => await tempDir(notes)],
  ["/", async () => "/"],
])("a working directory of %s is not a project", async (_, directory) => {
  const home = await tempDir(notes);
  const where = await directory();
  const cwd = where === "/" ? where : home;
  const client = await connect({ cwd, home });
  const read = await client.callTool(calling("file_read", { file_path: join(realpathSync(home), "notes.txt") }));
  expect(read).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("needs permission") }] });
  const { structuredContent } = await client.callTool(calling("glob", { pattern: "*" }));
  expect(structuredContent).toMatchObject({ count: 0 });
  const allowed = await connect({ cwd, home, args: ["--dir", home] });
  const { isError } = await allowed.callTool(calling("file_read", { file_path: "notes.txt" }));
  expect(isError).toBeUndefined();
});

test("ikigai tool log shows what a client ran", async () => {
  const [cwd, home] = [await tempDir(), await tempDir()];
  const client = await connect({ cwd, home, args: ["--allow", "bash"] });
  await client.listTools();
  expect(existsSync(join(home, ".ikigai/sessions")) && readSessions(home)).toBeFalsy();
  await client.callTool(bash("echo one"));
  await client.callTool(bash("exit 3"));
  await client.close();
  const { stdout } = await ikigai(["tool", "log"], { cwd, env: { HOME: home } });
  expect(stdout).toMatch(/, 2 calls: Calls of the MCP client test 1\.2\.3\n/);
  expect(stdout).toMatch(/1 bash: exit 0.*2 bash: exit 3/s);
});

test("the configured mode counts, and --permission-mode goes before it", async () => {
  const config = JSON.stringify({ permission: { mode: "allow" } });
  const home = await tempDir({ ".ikigai/config.json": config });
  const open = await connect({ home });
  expect((await open.callTool(bash("touch a"))).isError).toBeUndefined();
  const closed = await connect({ home, args: ["--permission-mode", "ask"] });
  expect((await closed.callTool(bash("touch a"))).isError).toBe(true);
});

describe("a wrong command line is exit 2, before any output", () => {
  test.each([
    [["--tools", "bash,nope"], '--tools: no tool "nope"'],
    [["--tools", "agent"], "--tools: agent works only in a conversation of ikigai."],
    [["--tools", "bash,"], "Expected --tools to be names"],
    [["--allow", "ba sh"], "is not a rule"],
    [["--permission-mode", "yes"], "--permission-mode"],
    [["--dir", "/nowhere"], "Expected --dir to be a directory"],
    [["--setup", "nobody"], "--setup"],
    [["now"], "Unexpected"],
  ])("%j", async (args, problem) => {
    const stdin = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
    const { exitCode, stdout, stderr } = await ikigai(["mcp", "serve", ...args], { stdin });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(problem);
  });
});

/** All session files. */
function readSessions(home: string): string {
  const directory = join(home, ".ikigai/sessions");
  const files = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(".jsonl")) : [];
  return files.map((name) => readFileSync(join(directory, name), "utf8")).join("");
}

function tool(name: string, description: string, answer = "{}") {
  const schema = JSON.stringify({ name, description, parameters: {} });
  return `#!/bin/sh\n[ "$1" = --schema ] && exec echo '${schema}'\ncat >/dev/null\necho '${answer}'\n`;
}
