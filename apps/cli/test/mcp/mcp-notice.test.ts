// Promise 1 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFullScreen, openTerminal } from "../terminal.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const notice = ".mcp.json found, not in use. To use it: ikigai mcp add --from .mcp.json";
const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };
const works = { command: process.execPath, args: [scriptedServer, JSON.stringify({ tools: [echo] })] };
const fails = { command: "false" };

/** A project, and whether a conversation in it begins with the notice. */
async function withProject() {
  const world = await mcpHome();
  const cwd = join(world.home, "project");
  mkdirSync(cwd);
  const file = join(cwd, ".mcp.json");
  const write = (servers: object) => writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const start = (launcher: readonly string[] = []) =>
    world.run(["-p", "help", "--model", "offline"], { cwd, launcher });
  const isNoticed = async () => (await start()).stderr.includes(`${notice}\n`);
  const addFrom = (...args: readonly string[]) => world.run(["mcp", "add", "--from", ".mcp.json", ...args], { cwd });
  return { ...world, cwd, file, write, start, isNoticed, addFrom };
}

test("a project's .mcp.json is noticed by one stat, on both screens and by -p, and not opened", async () => {
  const { start, write, cwd, home, file } = await withProject();
  const traced = async () => {
    const { stderr } = await start(["strace", "-f", "-e", "trace=%file"]);
    return stderr.split("\n").filter((line) => line.includes('.mcp.json"'));
  };
  const before = await traced();
  expect(before).toEqual([expect.stringMatching(/\bstat\w*\(.*ENOENT/)]);
  write({ x: works });
  const after = await traced();
  expect(after).toEqual([expect.stringMatching(/\bstat\w*\(/)]);
  const options = { cwd, env: { HOME: home } };
  for (const open of [openTerminal, openFullScreen]) {
    const terminal = await open([], options);
    await terminal.waitFor(notice);
    terminal.kill("SIGTERM");
    await terminal.exitCode;
  }
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect((await start()).stderr).not.toContain(".mcp.json");
});

test("the notice ends with an answer, and comes again when the file changes", async () => {
  const { isNoticed, write, addFrom, cwd, home, file } = await withProject();
  expect(await isNoticed()).toBe(false);
  write({ x: works, bad: fails });
  expect(await isNoticed()).toBe(true);
  // Neither of these is an answer.
  expect([(await addFrom()).exitCode, (await addFrom("bad", "--yes")).exitCode]).toEqual([2, 1]);
  expect(await isNoticed()).toBe(true);
  const terminal = await openTerminal(["mcp", "add", "--from", ".mcp.json"], {
    cwd,
    env: { HOME: home },
    columns: 200,
  });
  await terminal.waitFor("y/N");
  terminal.type("n\r");
  expect([await terminal.exitCode, await isNoticed()]).toEqual([1, false]);
  utimesSync(file, 1, 1);
  expect(await isNoticed()).toBe(true);
  expect((await addFrom("--yes")).exitCode).toBe(1);
  expect(await isNoticed()).toBe(false);
  write({ other: { type: "ws" } });
  expect(await isNoticed()).toBe(true);
  // The user has seen that none of its servers can be used.
  expect((await addFrom("--yes")).exitCode).toBe(1);
  expect(await isNoticed()).toBe(false);
});

test("there is no notice in a conversation that uses the file through --mcp, whatever it is called there", async () => {
  const { write, run, cwd, home, file } = await withProject();
  write({ x: works });
  writeFileSync(join(cwd, "other.json"), JSON.stringify({ mcpServers: { y: works } }));
  symlinkSync(file, join(cwd, "link.json"));
  for (const [named, isExpected] of [
    [".mcp.json", false],
    [file, false],
    ["link.json", false],
    ["other.json", true],
  ] as const) {
    const { stderr } = await run(["-p", "help", "--model", "offline", "--mcp", named], { cwd });
    expect([named, stderr.includes(notice)]).toEqual([named, isExpected]);
  }
  for (const open of [openTerminal, openFullScreen]) {
    const terminal = await open(["--mcp", ".mcp.json", "--model", "offline"], { cwd, env: { HOME: home } });
    await terminal.waitFor("offline");
    expect(terminal.screen()).not.toContain("not in use");
    terminal.kill("SIGTERM");
    await terminal.exitCode;
  }
});
