// Promise 10 of SECURITY.md.
// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isLinux } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai, until } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { openFullScreen, openTerminal } from "../terminal.ts";
import { commandLines, filesBelow, startsIn } from "./acp-servers.ts";
import { scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };
const hello = 'mcp__test__echo {"message": "hello"}';

/** An entry of `.mcp.json` for the scripted server. */
const scripted = (script: object = {}, more: object = {}) => {
  return { command: process.execPath, args: [scriptedServer, JSON.stringify(script)], ...more };
};

/** A project with files of servers, and a home. */
async function place(files: Readonly<Record<string, object | string>>) {
  const [cwd, home] = [await tempDir(), await tempDir()];
  for (const [name, servers] of Object.entries(files))
    writeFileSync(join(cwd, name), typeof servers === "string" ? servers : JSON.stringify({ mcpServers: servers }));
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    ikigai([...args, "--model", "offline"], { cwd, env: { HOME: home, ...env } });
  return { cwd, home, run, left: () => filesBelow(join(home, ".ikigai/cache/conversations")) };
}

describe("ikigai -p --mcp", () => {
  test("uses the servers of several files for one task, and leaves nothing behind", async () => {
    const { run, left, home } = await place({
      "mcp.json": `{ // For CI\n"mcpServers": ${JSON.stringify({ test: scripted({}, { env: { KEY: `\${FROM}` } }) })},\n}`,
      "more.json": { "Other one": scripted({ tools: [echo] }) },
    });
    const files = ["--mcp", "mcp.json", "--mcp", "more.json"];
    const end = await run(["-p", hello, ...files, "--allow", "mcp__test__*"], { FROM: "s3cret-value" });
    expect([end.exitCode, end.stdout]).toEqual([0, "Echo: hello\n"]);
    const other = await run(["-p", "mcp__other_one__echo {}", ...files], { FROM: "s3cret-value" });
    expect(other.stderr).toContain("To allow it: --allow mcp__other_one__echo");
    expect([left(), filesBelow(join(home, ".ikigai/tools"))]).toEqual([[], []]);
  });

  test.each<[string, object | string | undefined, number, string]>([
    ["that is missing", undefined, 2, "ikigai: Cannot read mcp.json: no such file or directory.\n"],
    ["that is not JSON", '{\n"mcpServers": }', 2, "ikigai: mcp.json:2:15: Expected a value"],
    ["without servers", {}, 2, "ikigai: mcp.json: It has no MCP servers.\n"],
    [
      "with a value that ikigai does not fill in",
      { x: scripted({}, { env: { A: `\${input:a}` } }) },
      2,
      'mcp.json: "x": It has',
    ],
    [
      "with a server that ends",
      { x: scripted({ dies: "out of cheese" }) },
      1,
      "exited with code 4 during startup. It printed: out of cheese\n",
    ],
    [
      "with a server that needs a variable",
      { x: scripted({}, { env: { A: `\${NOT_SET}` } }) },
      1,
      "NOT_SET, which is not set.",
    ],
  ])("with a file %s fails before any request", async (_, file, exitCode, why) => {
    const { cwd, home, left } = await place(file === undefined ? {} : { "mcp.json": file });
    const { env, requests } = await startModel([]);
    const options = { cwd, env: { ...env, HOME: home } };
    const end = await ikigai(["-p", "hello", "--mcp", "mcp.json", "--model", "openai-compatible/m"], options);
    expect([end.exitCode, end.stdout, end.stderr]).toEqual([exitCode, "", expect.stringContaining(why)]);
    expect([requests, left()]).toEqual([[], []]);
  });

  test("tells all that is wrong, and refuses what makes no sense", async () => {
    const { run } = await place({
      "a.json": { test: scripted({ tools: [echo] }) },
      "b.json": { test: scripted({ dies: "x" }) },
    });
    const twice = await run(["-p", hello, "--mcp", "a.json", "--mcp", "b.json"]);
    expect([twice.exitCode, twice.stderr]).toEqual([
      1,
      expect.stringContaining('Several MCP servers are named "test"; only the first one counts.'),
    ]);
    const broken = await run(["-p", hello, "--mcp", "no.json", "--mcp", "neither.json"]);
    expect(broken.stderr).toMatch(/no\.json: [^\n]*\n[^\n]*neither\.json: /);
    const replay = await run(["-p", "--replay", "1", "--mcp", "a.json"]);
    expect([replay.exitCode, replay.stderr]).toEqual([2, expect.stringContaining("--replay runs no tool")]);
  });

  test("takes 200 tools of a server, and fails for one of more", async () => {
    const dir = await tempDir();
    const script = (count: number) => {
      const listFile = join(dir, `${count}.json`);
      writeFileSync(listFile, JSON.stringify(Array.from({ length: count }, (_, n) => ({ ...echo, name: `t${n}` }))));
      return { "mcp.json": { x: scripted({ listFile }) } };
    };
    const most = await (await place(script(200))).run(["-p", "mcp__x__t199 {}", "--mcp", "mcp.json"]);
    expect(most.stderr).toContain("To allow it: --allow mcp__x__t199");
    const { exitCode, stderr } = await (await place(script(201))).run(["-p", hello, "--mcp", "mcp.json"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("has 201 tools, at most 200 can be used.")]);
  });

  test.each([
    [3, /odd0 \([^)]*\), odd1 \([^)]*\), odd2 \([^)]*\)\.$/m],
    [4, /odd0 \([^)]*\), odd1 \([^)]*\), odd2 \([^)]*\) and 1 more\.$/m],
  ])("names three tools that are left out: of %i", async (count, told) => {
    const inputSchema = { type: "object", properties: { "\u202e": {} } };
    const odd = Array.from({ length: count }, (_, n) => ({ ...echo, name: `odd${n}`, inputSchema }));
    const { run } = await place({ "mcp.json": { test: scripted({ tools: [echo, ...odd] }) } });
    expect((await run(["-p", hello, "--mcp", "mcp.json"])).stderr).toMatch(told);
  });

  test("says which tools are left out, and works without them", async () => {
    const odd = { ...echo, name: "odd", inputSchema: { type: "object", properties: { "\u202e": {} } } };
    const { run } = await place({ "mcp.json": { test: scripted({ tools: [echo, odd] }) } });
    const { exitCode, stderr } = await run(["-p", hello, "--mcp", "mcp.json", "--allow", "mcp__test__*"]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining("Tools of the MCP server test that cannot be used: odd (its parameters contain"),
    ]);
  });

  test.runIf(isLinux)("Ctrl-C ends a task that waits for a server, and the server", async () => {
    const startFile = join(await tempDir(), "starts");
    const { cwd, home, left } = await place({
      "mcp.json": { test: scripted({ silent: true, ignoresEof: true, startFile }) },
    });
    const running = () => commandLines().filter((line) => line.includes(startFile));
    const { exitCode } = await ikigai(["-p", hello, "--mcp", "mcp.json", "--model", "offline"], {
      cwd,
      env: { HOME: home },
      async whileRunning({ kill }) {
        await until(() => startsIn(startFile) === 1, "the server");
        kill("SIGINT");
      },
    });
    expect([exitCode, running(), left()]).toEqual([130, [], []]);
  });
});

describe.each(["lines", "the full screen"])("the REPL in %s with --mcp", (screen) => {
  const open = async (files: Readonly<Record<string, object | string>>) => {
    const { cwd, home, left } = await place(files);
    const args = ["--model", "offline", ...Object.keys(files).flatMap((name) => ["--mcp", name])];
    const options = { cwd, env: { HOME: home }, columns: 160 };
    const terminal = await (screen === "lines" ? openTerminal(args, options) : openFullScreen(args, options));
    return { terminal, left };
  };

  test("asks about calls of the servers, and says which cannot be used", async () => {
    const { terminal, left } = await open({
      "mcp.json": { test: scripted(), bad: scripted({ dies: "\u001b[2Jout of cheese" }) },
      "broken.json": "{",
    });
    await terminal.waitFor("broken.json:1:2: Expected");
    await terminal.waitFor("The MCP server bad exited with code 4 during startup. It printed: ␛[2Jout of cheese");
    terminal.type(`${hello}\r`);
    const question = await terminal.waitFor(/Run (it|mcp__test__echo)\?/);
    expect(question).toContain(`server test: ${process.execPath} ${scriptedServer}`);
    terminal.type(screen === "lines" ? "y\r" : "y");
    const shown = await terminal.waitFor("Echo: hello");
    expect(shown.match(/The MCP server bad/g)).toHaveLength(1);
    terminal.type("/exit\r");
    expect([await terminal.exitCode, left()]).toEqual([0, []]);
  });

  test("a message waits for a server that says nothing, until the user stops it", async () => {
    const { terminal, left } = await open({ "mcp.json": { slow: scripted({ silent: true }) } });
    await terminal.waitFor("›");
    terminal.type("run echo one\r");
    await terminal.waitFor("Waiting for MCP servers: slow");
    await sleep(300);
    terminal.type(screen === "lines" ? "\u0003" : "\u001b");
    await terminal.waitFor(/[Ii]nterrupted/);
    expect(terminal.screen()).not.toContain("\none");
    terminal.type(screen === "lines" ? "/exit\r" : "\u0015/exit\r");
    expect([await terminal.exitCode, left()]).toEqual([0, []]);
  });
});
