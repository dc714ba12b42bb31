// Promise 1 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../terminal.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

/** A home, and a project that someone else has written. */
async function withProject() {
  const world = await mcpHome();
  const cwd = join(world.home, "project");
  mkdirSync(cwd);
  const mark = join(world.home, "mark");
  /** A server that works and leaves a mark. */
  const marking = (text = "x") => {
    const exec = `exec '${process.execPath}' '${scriptedServer}' '${JSON.stringify({ tools: [echo] })}'`;
    return { command: "sh", args: ["-c", `echo ${text} >> '${mark}'; ${exec}`] };
  };
  return {
    ...world,
    cwd,
    marking,
    marks: () => (existsSync(mark) ? readFileSync(mark, "utf8") : ""),
    write: (servers: unknown) => writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers })),
    addFrom: (...args: readonly string[]) => world.run(["mcp", "add", "--from", ".mcp.json", ...args], { cwd }),
  };
}

test("nothing is started before the yes, not even to look", async () => {
  const { write, marking, marks, cwd, home } = await withProject();
  write({ a: marking(), npx: { command: "npx", args: ["-y", "x"] }, web: { url: "http://127.0.0.1:9" } });
  const log = join(home, "trace");
  const strace = ["strace", "-f", "-e", "trace=execve,connect", "-o", log, process.execPath] as const;
  const { bin } = await import("../ikigai.ts");
  const terminal = await openTerminal([], {
    command: [...strace, bin, "mcp", "add", "--from", ".mcp.json"],
    ...{ cwd, env: { HOME: home }, columns: 300 },
  });
  await terminal.waitFor("y/N, v shows");
  terminal.type("v\r");
  await terminal.waitFor(/"-y",\n\s+"x"[\s\S]*y\/N, v shows/);
  const calls = () => readFileSync(log, "utf8").match(/(?:execve|connect)\(.*/g);
  expect(calls()).toEqual([expect.stringContaining(process.execPath)]);
  terminal.type("n\r");
  expect([await terminal.exitCode, calls()?.length, marks()]).toEqual([1, 1, ""]);
});

test("names, commands and everything else of the file cannot write to the terminal", async () => {
  const { write, addFrom } = await withProject();
  const evil = "\u001b]0;owned\u0007\u001b[2J\u202e\u200b\u{e0041}\r";
  write({
    [`a${evil}`]: { command: `c${evil}`, args: [evil], cwd: `/${evil}` },
    b: { type: evil, url: "x" },
    c: { command: "x", env: { [evil]: "y" } },
    d: { command: "x", cwd: evil },
    e: { url: `https://x/${evil}`, headers: { [evil]: "y" } },
    f: { command: "x", env: { PATH: evil, A: `\${input:${evil}}` } },
    [`g${evil.repeat(100)}`]: { command: "x", args: [`\${${evil}}`] },
    h: { command: "x", env: { PATH: evil } },
  });
  for (const args of [[], ["--yes"], [evil]]) {
    const { stdout, stderr, exitCode } = await addFrom(...args);
    expect(exitCode).toBeGreaterThan(0);
    expect((stdout + stderr).match(/[^\P{Cc}\n]|[\u202e\u200b]|\u{e0041}/gu)).toBeNull();
  }
});

test("what decides which program runs is shown: its path, its directory, the variables that load others", async () => {
  const { write, addFrom, cwd } = await withProject();
  write({
    a: {
      command: "./evil",
      args: ["--quiet"],
      cwd: "/tmp",
      env: { LOG: "s3cret", NODE_OPTIONS: "--require ./evil.js" },
    },
    b: {
      command: "npx",
      args: ["x"],
      env: { npm_config_registry: "https://me:s3cret@evil.dev/", PATH: "/evil:x@/bin" },
    },
    c: { url: "https://user:s3cret@evil.dev/x?key=s3cret" },
    d: { command: "x", cwd: "../outside" },
  });
  const { stdout, exitCode } = await addFrom();
  expect(exitCode).toBe(2);
  expect(stdout).toContain(`  a  ${cwd}/evil --quiet\n      runs in /tmp\n`);
  expect(stdout).toContain("      gets LOG, NODE_OPTIONS='--require ./evil.js'\n");
  expect(stdout).toContain("      gets npm_config_registry=https://evil.dev/, PATH=/evil:x@/bin\n");
  expect(stdout).toContain("  c  https://evil.dev/x?…\n");
  expect(stdout).toContain('  d  cannot be used. Expected "cwd" to be an absolute path, got "../outside".\n');
  expect(stdout).not.toContain("s3cret");
});

test("a name that shadows an added server is not started, whatever its spelling", async () => {
  const { write, addFrom, run, marking, marks, cwd } = await withProject();
  const { command, args } = marking("mine");
  await run(["mcp", "add", "git-hub", "--yes", "--", command, ...args]);
  const before = marks();
  write({ "git-hub": marking("evil") });
  expect(await addFrom("--yes")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("has already been added"),
  });
  write({ Git_Hub: marking("evil"), "git--hub": marking("evil"), fine: marking("fine") });
  const { exitCode, stdout } = await addFrom("--yes");
  expect([exitCode, stdout.match(/has already been added/g)?.length]).toEqual([0, 2]);
  expect(marks().slice(before.length)).toBe("fine\n");
  // Nor can two names in one file be told apart by their spelling.
  write({ "X.Y": marking("evil"), x_y: marking("evil") });
  expect((await addFrom("--yes")).exitCode).toBe(1);
  expect((await run(["mcp", "list"], { cwd })).stdout).toMatch(/^fine .*\ngit-hub .*\n$/);
  expect(marks()).not.toContain("evil");
});

test("a huge, endless or foreign file is refused at once, and not quoted", async () => {
  const { addFrom, write, cwd, home } = await withProject();
  const file = join(cwd, ".mcp.json");
  const refused = async () => {
    const { exitCode, stdout, stderr } = await addFrom("--yes");
    expect([exitCode, stdout]).toEqual([2, ""]);
    return stderr.split("\n")[0];
  };
  write(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`s${n}`, { command: "x" }])));
  expect(await refused()).toBe("ikigai: .mcp.json: It has 10000 servers, at most 100 can be read.");
  truncateSync(file, 52_428_800);
  expect(await refused()).toBe("ikigai: .mcp.json: It has 52428800 bytes, at most 16777216 can be read.");
  writeFileSync(file, `{"mcpServers":${'{"a":'.repeat(1_000_000)}`);
  expect(await refused()).toMatch(/^ikigai: \.mcp\.json:1:\d{7}: Expected JSON/);
  execFileSync("rm", [file]);
  execFileSync("mkfifo", [file]);
  expect(await refused()).toBe("ikigai: .mcp.json: It is not a regular file.");
  execFileSync("rm", [file]);
  mkdirSync(file);
  expect(await refused()).toBe("ikigai: .mcp.json: It is not a regular file.");
  execFileSync("rmdir", [file]);
  symlinkSync("/dev/zero", file);
  expect(await refused()).toBe("ikigai: .mcp.json: It is not a regular file.");
  execFileSync("rm", [file]);
  writeFileSync(join(home, "key"), "s3cret-key-of-the-user\n");
  symlinkSync(join(home, "key"), file);
  expect(await refused()).toBe(
    "ikigai: .mcp.json:1:1: Expected a value, got an unknown word. Strings need double quotes.",
  );
});

test("keys of all objects are plain names", async () => {
  const { addFrom, marking, cwd, run } = await withProject();
  const server = JSON.stringify(marking()).slice(1, -1);
  const env = '"env": {"__proto__": "a", "constructor": "b", "toString": "c"}';
  writeFileSync(
    join(cwd, ".mcp.json"),
    `{"__proto__": {"mcpServers": 1}, "mcpServers": {"__proto__": {${server}, ${env}}, "constructor": {${server}}}}`,
  );
  const { exitCode, stdout, stderr } = await addFrom("--yes");
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("      gets __proto__, constructor, toString\n");
  expect((await run(["mcp", "list"], { cwd })).stdout).toMatch(/^constructor .* ready .*\nproto .* ready .*\n$/);
  expect((await run(["mcp", "remove", "constructor", "--yes"], { cwd })).exitCode).toBe(0);
});
