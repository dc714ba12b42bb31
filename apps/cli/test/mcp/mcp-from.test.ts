// Promise 1 of SECURITY.md.
// @module-tag sampled
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTerminal } from "../terminal.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

/** The scripted server, as a configuration file names it. */
function scripted(script: object = { tools: [echo] }) {
  return { command: process.execPath, args: [scriptedServer, JSON.stringify(script)] };
}

/** A home, and a project whose `.mcp.json` has these servers. */
async function withConfig(servers: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  const world = await mcpHome(env);
  const cwd = join(world.home, "project");
  mkdirSync(cwd);
  const write = (text: string) => writeFileSync(join(cwd, ".mcp.json"), text);
  write(JSON.stringify({ mcpServers: servers }));
  const addFrom = (...args: readonly string[]) => world.run(["mcp", "add", "--from", ".mcp.json", ...args], { cwd });
  return { ...world, cwd, write, addFrom, place: world.here(cwd) };
}

describe("mcp add --from", () => {
  test("shows what each server would start, adds those that work, and reports the others", async () => {
    const env = { KEY: "s3cret-value", FROM: `\${HOME}`, GONE: `\${GONE:-x}` };
    const world = await withConfig({
      "My Server": { ...scripted(), env, cwd: "/" },
      dies: scripted({ dies: "out of cheese" }),
      web: { url: "http://127.0.0.1:9/mcp?k=s3cret-value", headers: { "X-Key": `\${NOT_SET}` } },
      odd: { type: "ws", url: "ws://127.0.0.1:9" },
      last: scripted(),
    });
    const { exitCode, stdout, stderr } = await world.addFrom("--yes");
    expect(exitCode).toBe(1);
    const [listing = ""] = stdout.split("\n\n");
    expect(listing.replaceAll(process.execPath, "NODE").replaceAll(scriptedServer, "SERVER")).toBe(
      `5 MCP servers in .mcp.json, for this directory only:
  my-server (My Server in the file)  NODE SERVER '{"tools":[{"name":"echo","description":"Says it","inputSchema":{"type":"object","properties":{}}}]}'
      runs in /
      gets KEY, FROM
      takes from your environment: GONE (not set: the file has a default), HOME
  dies  NODE SERVER '{"dies":"out of cheese"}'
  web  http://127.0.0.1:9/mcp?…
      gets the headers X-Key
      takes from your environment: NOT_SET (not set)
  last  NODE SERVER '{"tools":[{"name":"echo","description":"Says it","inputSchema":{"type":"object","properties":{}}}]}'
  odd  cannot be used. Expected "type" to be stdio, http or sse, got "ws".`,
    );
    expect(stderr).toContain("out of cheese");
    expect(stderr).toContain(
      'odd was not added: it cannot be used. Expected "type" to be stdio, http or sse, got "ws".\n',
    );
    expect(stderr).toContain("which is not set. Run: export NOT_SET=…");
    expect(stdout).toMatch(
      /\n\nlast\n[\s\S]*Added for this directory\. Each call asks; to allow some: --allow 'mcp__last__\*'\n$/,
    );
    expect(world.names(`${world.place}/tools`)).toEqual(["mcp__last__echo-tool", "mcp__my_server__echo-tool"]);
    const secrets = join(world.own, world.place, "data/mcp-my-server/secrets.json");
    expect(JSON.parse(readFileSync(secrets, "utf8"))).toEqual({ "env.KEY": "s3cret-value", "env.GONE": `\${GONE:-x}` });
    expect([statSync(secrets).mode & 0o777, (stdout + stderr).includes("s3cret")]).toEqual([0o600, false]);
    const called = await world.run(["tool", "call", "mcp__last__echo", '{"message":"hi"}'], { cwd: world.cwd });
    expect(JSON.parse(called.stdout).result).toEqual({ output: "Echo: hi" });
  });

  test("starts none that the file disables, unless it is named", async () => {
    const world = await withConfig({ off: { ...scripted(), disabled: true }, on: scripted() });
    const all = await world.addFrom("--yes");
    expect([all.exitCode, all.stderr]).toEqual([0, ""]);
    expect(all.stdout).toContain("\n  off  is disabled in the file; to add it anyway, name it: off\n");
    expect(world.names(`${world.place}/tools`)).toEqual(["mcp__on__echo-tool"]);
    expect((await world.addFrom("off", "--yes")).exitCode).toBe(0);
    expect(world.names(`${world.place}/tools`)).toEqual(["mcp__off__echo-tool", "mcp__on__echo-tool"]);
  });

  test("names a variable of the environment once, with what becomes of it if it is not set", async () => {
    const env = {
      MODE: `\${MODE:-fast}`,
      TOKEN: `\${TOKEN}`,
      SET: `\${SET:-x}`,
      PATH: `\${PATH:-/evil}`,
      OTHER: `\${MODE:-x}`,
      BOTH: `\${BOTH:-x} \${BOTH}`,
    };
    const world = await withConfig({ a: { ...scripted(), env } }, { SET: "1" });
    const { stdout } = await world.addFrom();
    expect(stdout.split("\n").slice(2, 4)).toEqual([
      `      gets PATH='\${PATH:-/evil}', OTHER, BOTH`,
      "      takes from your environment: BOTH (not set), MODE (not set: the file has a default), PATH, SET, TOKEN (not set)",
    ]);
  });

  test("skips servers that have been added, and takes the names of the file or its own", async () => {
    const world = await withConfig({ "One.A": scripted(), two: scripted({ dies: "must not start" }) });
    expect(await world.addFrom("One.A", "--yes", "--include", "e*")).toMatchObject({ exitCode: 0 });
    const again = await world.addFrom("one-a", "--yes");
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    expect(again.stdout).toBe(`1 MCP server in .mcp.json:
  one-a (One.A in the file)  has already been added. To update it: ikigai mcp update one-a\n`);
    expect(await world.addFrom("three", "--yes")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No server "three" in .mcp.json. It has: one-a, two.'),
    });
  });

  test.each([
    [[], "Not a terminal, and nothing was changed: pass --yes to confirm."],
    [["--yes", "--env", "A=b"], "--env is for one server. With --from, the file says"],
    [["--yes", "--", "node"], "-- is for one server."],
    [["--yes", "--header", "A: b"], "--header is for one server."],
  ])("with %j is a usage error, and starts nothing", async (args, why) => {
    const { addFrom, names, home, place } = await withConfig({
      x: { command: "sh", args: ["-c", "echo > $HOME/mark"] },
    });
    expect(await addFrom(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
    expect([names(`${place}/packages`), existsSync(join(home, "mark"))]).toEqual([[], false]);
  });

  test("of a file that cannot be read says where and why", async () => {
    const { addFrom, write, run, cwd } = await withConfig({});
    expect(await addFrom()).toMatchObject({ exitCode: 0, stdout: "0 MCP servers in .mcp.json.\n" });
    write('{\n  "mcpServers": {,\n');
    expect(await addFrom("--yes")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(/^ikigai: \.mcp\.json:2:18: Expected a value\.\n/),
    });
    expect(await run(["mcp", "add", "--from", "gone.json"], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Cannot read gone.json: no such file or directory."),
    });
  });

  test("asks before it starts a server, and about the tools of each", async () => {
    const marked = (name: string) => {
      const script = `echo ${name} >> "$HOME/started"; exec '${process.execPath}' '${scriptedServer}' '${JSON.stringify({ tools: [echo] })}'`;
      return { command: "sh", args: ["-c", script] };
    };
    const world = await withConfig({ a: marked("a"), b: marked("b") });
    const started = () => existsSync(join(world.home, "started")) && readFileSync(join(world.home, "started"), "utf8");
    const open = () =>
      openTerminal(["mcp", "add", "--from", ".mcp.json"], { cwd: world.cwd, env: { HOME: world.home }, columns: 200 });
    const first = await open();
    const question = "Start them now, with your rights (no sandbox), to see what they have? y/N";
    expect(await first.waitFor(question)).toContain("  b  sh -c 'echo b >> ");
    first.type("n\r");
    expect([await first.exitCode, started()]).toEqual([1, false]);
    const second = await open();
    await second.waitFor(question);
    second.type("y\r");
    await second.waitFor("Add them? y/N");
    expect(started()).toBe("a\n");
    second.type("n\r");
    await second.waitFor(/a was not added\.\n\nb\n[\s\S]*Add them\? y\/N/);
    second.type("y\r");
    expect([await second.exitCode, world.names(`${world.place}/packages`)]).toEqual([1, ["mcp-b"]]);
  });
});
