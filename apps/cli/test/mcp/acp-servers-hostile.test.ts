// Promise 10 of SECURITY.md.
// @module-tag sampled
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isLinux } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { describe, expect, inject, test } from "vitest";
import { ikigai, until } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { commandLines, editorWith, filesBelow, openSession, scripted, startsIn } from "./acp-servers.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };
/** The environment and command lines of other processes can be read. */
const onLinux = test.runIf(isLinux);
const conversations = "cache/conversations";
const withModel = ["--model", "openai-compatible/m"];

/** The names of the tools of servers that a model sees. */
const namesIn = (
  request: { readonly tools: readonly { readonly function: { readonly name: string } }[] } | undefined,
) => (request?.tools ?? []).map((tool) => tool.function.name).filter((name) => name.startsWith("mcp"));

/** A server that says nothing, and can be recognized among all processes. */
async function silentServer(ignoresEof = false) {
  const startFile = join(await tempDir(), "starts");
  const server = scripted({ silent: true, startFile, ignoresEof });
  const running = () => commandLines().filter((line) => line.includes(startFile));
  return { server, startFile, running };
}

describe("a hostile editor", () => {
  test("with 10,000 servers gets the first 32, and one short message", async () => {
    const startFile = join(await tempDir(), "starts");
    const servers: object[] = Array.from({ length: 10_000 }, (_, index) => {
      return { name: `server ${index}`, command: "", args: [], env: [] };
    });
    servers[31] = scripted({ tools: [echo], startFile }, { name: "last" });
    servers[32] = scripted({ tools: [echo], startFile }, { name: "next" });
    const { editor, call } = await editorWith(servers);
    expect(await call("mcp__last__echo")).toEqual({ output: "Echo: undefined" });
    // Once to list its tools, and once for the call.
    expect(startsIn(startFile)).toBe(2);
    const lines = editor.text().split("\n\n");
    expect(lines[0]).toBe(
      '`A conversation can use 32 MCP servers, got 10000. Not used: "next", "server 33", "server 34", "server 35", "server 36" and 9963 more.`',
    );
    expect(lines.filter((line) => line.includes("cannot be used. Expected"))).toHaveLength(31);
    expect(editor.text().length).toBeLessThan(10_000);
  });

  test("cannot write to a terminal, into Markdown or outside its directory by the names of servers and tools", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J`![](http://x/)`\u202e";
    const names = [`../../../tools/${evil}`, "/etc/passwd", "bash", "..", "a\nb", evil.repeat(1_000)];
    const dies = { dies: evil };
    const tools = ["bash", "../bash", "x/../../bash-tool", evil].map((name) => ({ ...echo, name, description: evil }));
    const { env, requests } = await startModel([]);
    const servers = [
      ...names.map((name) => scripted({ tools: [echo] }, { name })),
      scripted({ tools, instructions: evil }, { name: "tools" }),
      scripted(dies, { name: evil }),
      { name: evil, command: `/nowhere/${evil}`, args: [], env: [] },
      { name: "nul", command: "x\u0000y", args: [], env: [] },
      { name: "bad", command: "x", args: [], env: [{ name: "A=B", value: "c" }] },
    ];
    const { editor, prompt, home } = await editorWith(servers, { args: withModel, env });
    const before = filesBelow(home);
    await editor.ask("session/prompt", prompt("hello"));
    expect(filesBelow(home).filter((path) => !before.includes(path) && !path.startsWith(".ikigai/"))).toEqual([]);
    expect(filesBelow(join(home, ".ikigai/tools"))).toEqual([]);
    for (const name of namesIn(requests[0])) expect(name).toMatch(/^mcp__[a-z0-9_]+__\w+$/);
    expect(namesIn(requests[0])).toEqual(
      expect.arrayContaining(["mcp__etc_passwd__echo", "mcp__bash__echo", "mcp__tools__bash", "mcp__server__echo"]),
    );
    expect(requests[0]?.tools.filter((tool) => tool.function.name === "bash")).toHaveLength(1);
    const told = editor.text();
    expect(told).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(told).toContain('The MCP server "nul" cannot be used. Expected "command" to be a program.');
    expect(told).toContain('The MCP server "bad" cannot be used. Expected "env" to be an object');
    // All words of a server are in code spans.
    for (const line of told.split("\n\n")) if (line.includes("http://x/")) expect(line).toMatch(/^(`{2,}) ?.*\1$/);
    expect(await editor.end()).toBe(0);
    expect(filesBelow(join(home, ".ikigai", conversations))).toEqual([]);
  });

  test("gets only the first of several servers of one name, and keeps apart those that only look alike", async () => {
    const { env, requests } = await startModel([]);
    const servers = ["same", "same", "Git Hub", "git-hub"].map((name, index) =>
      scripted({ tools: [{ ...echo, name: `of_${index}` }] }, { name }),
    );
    const { editor, prompt } = await editorWith(servers, { args: withModel, env });
    await editor.ask("session/prompt", prompt("hello"));
    expect(namesIn(requests[0])).toEqual([
      expect.stringMatching(/^mcp__git_hub_[0-9a-f]{6}__of_[23]$/),
      expect.stringMatching(/^mcp__git_hub_[0-9a-f]{6}__of_[23]$/),
      "mcp__same__of_0",
    ]);
    expect(editor.text()).toContain('`Several MCP servers are named "same"; only the first one counts.`');
  });

  onLinux(
    "with a server that says nothing keeps no session waiting, and leaves no process and no file when the session ends",
    async () => {
      const { server, startFile, running } = await silentServer(true);
      const { editor, own, sessionId, prompt, cwd } = await editorWith([
        server,
        scripted({ tools: [echo] }, { name: "good" }),
      ]);
      const id = editor.post("session/prompt", prompt("run true"));
      await until(() => startsIn(startFile) === 1, "the server");
      const other = await openSession(editor, { cwd, mcpServers: [] });
      expect((await editor.ask("session/prompt", other.prompt("help"))).result?.stopReason).toBe("end_turn");
      editor.write({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
      expect((await editor.answer(id)).result?.stopReason).toBe("cancelled");
      expect(running().length).toBeGreaterThan(0);
      await editor.ask("session/close", { sessionId });
      expect([running(), filesBelow(join(own, conversations))]).toEqual([[], []]);
    },
  );

  test.runIf(isLinux && inject("isThorough"))(
    "with a server that says nothing gets its answer after a minute",
    async () => {
      const { server, running } = await silentServer();
      const cwd = await tempDir({ "notes.txt": "alpha\n" });
      const { editor, prompt } = await editorWith([server], { cwd });
      const startedMs = performance.now();
      const id = editor.post("session/prompt", prompt("read notes.txt"));
      await sleep(50_000);
      expect((await editor.answer(id)).result?.stopReason).toBe("end_turn");
      const seconds = (performance.now() - startedMs) / 1_000;
      expect([seconds > 50, seconds < 70]).toEqual([true, true]);
      expect(editor.text()).toMatch(/^`The MCP server test (cannot be used: |did not list its tools in time)/);
      expect(running()).toEqual([]);
    },
  );
});

test("two editors at once have servers of one name with different commands, secrets and tools", async () => {
  const home = await tempDir();
  const open = (secret: string, tool: string) =>
    editorWith(
      [
        scripted(
          {
            tools: [
              { ...echo, name: tool },
              { ...echo, name: "env" },
            ],
          },
          { env: { KEY: secret } },
        ),
      ],
      { home },
    );
  const [one, other] = await Promise.all([open("first-secret", "echo"), open("other-secret", "count")]);
  const keyOf = async ({ call }: typeof one) => JSON.parse(String((await call("mcp__test__env"))?.output)).KEY;
  expect(await one.call("mcp__test__echo", { message: "hi" })).toEqual({ output: "Echo: hi" });
  expect(await other.call("mcp__test__count")).toEqual({ output: "1" });
  // Answers do not repeat them.
  expect([await keyOf(one), await keyOf(other)]).toEqual(["[key removed]", "[key removed]"]);
  expect(readdirSync(join(one.own, conversations))).toHaveLength(4);
  await one.editor.end();
  expect(await other.call("mcp__test__count")).toEqual({ output: "2" });
  await other.editor.end();
  expect(filesBelow(join(one.own, conversations))).toEqual([]);
});

onLinux.each(["while a server starts", "while a server runs"])(
  "after kill -9 %s, nothing runs, and the next start leaves nothing",
  async (when) => {
    const startFile = join(await tempDir(), "starts");
    const isStarting = when.includes("starts");
    const server = scripted({ silent: isStarting, ignoresEof: true, startFile }, { env: { KEY: "s3cret-value" } });
    const { editor, home, own, prompt, call } = await editorWith([server]);
    if (isStarting) editor.post("session/prompt", prompt("run true"));
    else await call("mcp__test__count");
    await until(() => startsIn(startFile) === (isStarting ? 1 : 2), "the server");
    const running = () => commandLines().filter((line) => line.includes(startFile));
    expect(running().length).toBeGreaterThan(0);
    editor.child.kill("SIGKILL");
    await until(() => running().length === 0, "the end of the server");
    expect(filesBelow(join(own, conversations)).join("\n")).toContain("secrets.json");
    const doctor = await ikigai(["doctor"], { env: { HOME: home } });
    expect(doctor.stdout).toContain("cache/conversations/");
    await ikigai(["-p", "run true", "--model", "offline"], { env: { HOME: home } });
    expect(filesBelow(join(own, conversations))).toEqual([]);
  },
);

onLinux("the secrets of a server are in its file and its environment, and nowhere else", async () => {
  // Its own: command lines of all processes are searched.
  const mark = randomUUID();
  const [secret, header] = [`${mark}-value`, `${mark}-header`];
  const dies = { dies: `no luck with ${secret}` };
  const env = { KEY: secret };
  const http = {
    type: "http",
    name: "web",
    url: `http://127.0.0.1:9/mcp?key=${mark}-query`,
    headers: [{ name: "X-Key", value: header }],
  };
  const servers = [scripted({}, { env }), scripted(dies, { name: "dies", env }), http];
  const { editor, home, own, call } = await editorWith(servers);
  const seen: string[] = [];
  const answers = [await call("mcp__test__env"), await call("mcp__test__error")];
  for (let look = 0; look < 10; look++) {
    seen.push(...commandLines());
    await sleep(20);
  }
  const files = filesBelow(own).filter((path) => isFile(join(own, path)));
  const holders = files.filter((path) => readFileSync(join(own, path), "utf8").includes(mark));
  expect(holders.map((path) => path.replace(/[0-9a-f-]{36}/, "ID"))).toEqual([
    "cache/conversations/ID/data/mcp-dies/secrets.json",
    "cache/conversations/ID/data/mcp-test/secrets.json",
    "cache/conversations/ID/data/mcp-web/secrets.json",
  ]);
  expect(files.some((path) => path.startsWith("sessions/"))).toBe(true);
  const told = JSON.stringify([answers, editor.messages, editor.stderr(), seen]);
  expect(told).not.toContain(mark);
  expect(told).toContain("[key removed]");
  await editor.end();
  for (const path of filesBelow(home).filter((one) => isFile(join(home, one))))
    expect(readFileSync(join(home, path), "utf8")).not.toContain(mark);
});

function isFile(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

test("without a place for their files, a session works without its servers", async () => {
  const home = await tempDir({ ".ikigai/cache": "", ".ikigai/tools/": "" });
  const { editor, prompt } = await editorWith([scripted()], { home });
  expect((await editor.ask("session/prompt", prompt("run true"))).result?.stopReason).toBe("end_turn");
  expect(editor.text()).toMatch(
    /^`MCP servers cannot be used, because their files cannot be written to \S+\/\.ikigai: .*\.`\n/,
  );
});

test("a list that another program has damaged is asked for again", async () => {
  const [home, startFile] = [await tempDir(), join(await tempDir(), "starts")];
  const { env, requests } = await startModel([]);
  const converse = async () => {
    const { editor, prompt } = await editorWith([scripted({ tools: [echo], startFile })], {
      home,
      args: withModel,
      env,
    });
    await editor.ask("session/prompt", prompt("hello"));
    await editor.end();
    return namesIn(requests.at(-1));
  };
  await converse();
  const lists = join(home, ".ikigai/cache/mcp-lists");
  const [name = ""] = readdirSync(lists);
  const old = JSON.parse(readFileSync(join(lists, name), "utf8"));
  const damages = [
    "{",
    JSON.stringify({ ...old, listedAt: "2020-01-01T00:00:00.000Z" }),
    JSON.stringify({ ...old, tools: 7 }),
  ];
  for (const damage of damages) {
    writeFileSync(join(lists, name), damage);
    expect(await converse()).toEqual(["mcp__test__echo"]);
  }
  expect(startsIn(startFile)).toBe(1 + damages.length);
});
