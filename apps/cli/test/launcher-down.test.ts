// Promise 6 of SECURITY.md.
// @module-tag sampled
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const libexec = join(import.meta.dirname, "../libexec/ikigai");

/** Launchers that reach nothing, and what they say. */
const ways: readonly [string, readonly string[], string][] = [
  ["a missing program", ["nosuch"], "its launcher's program nosuch was not found"],
  ["a stopped daemon", ["sh", "-c", "echo 'Cannot connect to the daemon' >&2; exit 1", "x"], "Cannot connect"],
  ["an unknown host", ["sh", "-c", "echo 'Could not resolve hostname' >&2; exit 255", "x"], "Could not resolve"],
];

/** A user who runs the file and bash tools somewhere else. */
async function place(launcher: readonly string[]) {
  const tools = Object.fromEntries(
    ["bash", "file_read"].map((name) => {
      return [name, { launcher, path: join(libexec, `${name.replace("_", "-")}-tool`) }];
    }),
  );
  const root = await tempDir({
    "home/.ikigai/config.json": { content: JSON.stringify({ tools }), mode: 0o600 },
    "project/a.txt": "secret of this machine\n",
  });
  const [cwd, env] = [join(root, "project"), { HOME: join(root, "home") }];
  const run = (...args: string[]) => ikigai(args, { cwd, env });
  return { root, cwd, env, run, hasRunHere: () => existsSync(join(cwd, "ran")) };
}

const touch = '{"command":"touch ran"}';

describe.each(ways)("with a launcher that fails for %s", (_name, launcher, why) => {
  test("tool call runs nothing here, and says why", async () => {
    const { run, hasRunHere } = await place(launcher);
    const { exitCode, stdout, stderr } = await run("tool", "call", "bash", touch);
    expect(JSON.parse(stdout)).toMatchObject({ error_code: "TOOL_UNAVAILABLE", error: expect.stringContaining(why) });
    expect(stderr).toMatch(/^Tool 'bash' is unavailable: its launcher failed \(.*\): /);
    expect(stderr).not.toContain("Debug:");
    expect({ exitCode, ran: hasRunHere() }).toEqual({ exitCode: 1, ran: false });
  });

  test("-p runs nothing here, whatever is allowed", async () => {
    const { cwd, env, hasRunHere } = await place(launcher);
    const model = await startModel([
      { calls: [{ name: "bash", arguments: touch }] },
      { calls: [{ name: "file_read", arguments: { path: "a.txt" } }] },
    ]);
    const args = ["-p", "do it", "--permission-mode", "allow", "--allow", "bash", "--model", "openai-compatible/m"];
    await ikigai(args, { cwd, env: { ...env, ...model.env } });
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent.match(/TOOL_UNAVAILABLE/g)).toHaveLength(2);
    expect(sent).not.toContain("secret of this machine");
    expect(hasRunHere()).toBe(false);
    const offline = ["-p", "run touch ran", "--allow", "bash", "--model", "offline"];
    expect((await ikigai(offline, { cwd, env })).stdout).not.toContain("exit_code: 0");
    expect(hasRunHere()).toBe(false);
  });

  test("the REPL reports it and runs no command typed after !", async () => {
    const { cwd, env, hasRunHere } = await place(launcher);
    const typed = "!touch ran\nrun touch ran\n";
    const { stdout, stderr } = await ikigai(["--model", "offline", "--allow", "bash"], { cwd, env, typed });
    expect(stdout + stderr).toContain("Tool 'bash' is unavailable: its launcher failed");
    expect(stdout + stderr).toContain(why);
    expect(hasRunHere()).toBe(false);
  });

  test("doctor counts it as a problem", async () => {
    const { run } = await place(launcher);
    const { exitCode, stdout } = await run("doctor");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(new RegExp(`^! bash .*${why}`, "m"));
  });

  test("replay does not repeat a call of the tool it replaces", async () => {
    const { cwd, env, root, run, hasRunHere } = await place(launcher);
    const config = join(root, "home/.ikigai/config.json");
    const other = join(root, "home/.ikigai/other.json");
    writeFileSync(other, readFileSync(config), { mode: 0o600 });
    writeFileSync(config, "{}");
    await ikigai(["-p", "run touch ran", "--allow", "bash", "--model", "offline"], { cwd, env });
    expect(hasRunHere()).toBe(true);
    rmSync(join(cwd, "ran"));
    writeFileSync(config, readFileSync(other));
    const { exitCode, stderr } = await run("replay", "1", "--yes");
    expect({ exitCode, ran: hasRunHere() }).toEqual({ exitCode: 1, ran: false });
    expect(stderr).toContain("bash cannot be started through");
    expect(stderr).toContain(why);
  });
});

test("doctor notices a launcher that fails although its schema is cached", async () => {
  const { root, run } = await place(["sh", "-c", '[ ! -e "$0" ] || { echo gone >&2; exit 1; }; exec "$@"', "DOWN"]);
  const config = join(root, "home/.ikigai/config.json");
  writeFileSync(config, readFileSync(config, "utf8").replaceAll("DOWN", join(root, "down")));
  expect((await run("doctor")).exitCode).toBe(0);
  expect((await run("tool", "call", "bash", '{"command":"echo there"}')).stdout).toContain('"output":"there');
  writeFileSync(join(root, "down"), "");
  const { exitCode, stdout } = await run("doctor");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^! bash .*: crash: --schema ended with exit code 1: gone/m);
});

test("replay does not run a tool here that a working launcher runs elsewhere now", async () => {
  const { cwd, env, root, run } = await place(["env"]);
  const config = join(root, "home/.ikigai/config.json");
  const launched = readFileSync(config);
  writeFileSync(config, "{}");
  await ikigai(["-p", "run touch ran", "--allow", "bash", "--model", "offline"], { cwd, env });
  rmSync(join(cwd, "ran"));
  writeFileSync(config, launched);
  const { exitCode, stderr } = await run("replay", "1", "--yes");
  expect(stderr).toContain(`bash runs elsewhere now: env ${libexec}/bash-tool`);
  expect({ exitCode, ran: existsSync(join(cwd, "ran")) }).toEqual({ exitCode: 1, ran: false });
});

test.each([["env"], ["/usr/bin/env"]])(
  "the line of a call behind the launcher %s repeats it there",
  async (launcher) => {
    const { cwd, env, run } = await place([launcher, "THERE=1"]);
    const args = ["-p", "run echo at $THERE", "--allow", "bash", "--model", "offline"];
    expect((await ikigai(args, { cwd, env })).stdout).toContain("at 1");
    const line = (await run("tool", "log")).stdout.trim().split("\n").at(-1) ?? "";
    expect(line).toMatch(/^ikigai replay \S+ --session \S+$/);
    const repeated = await run(...line.split(" ").slice(1), "--yes");
    expect(repeated).toMatchObject({ exitCode: 0, stderr: "" });
    expect(repeated.stdout).toContain(`| ${launcher} THERE=1 ${libexec}/bash-tool\nSame result`);
  },
);

test("the full screen runs no typed command here", async () => {
  const { cwd, env, hasRunHere } = await place(["nosuch"]);
  const terminal = await openTerminal(["--model", "offline"], { cwd, env });
  await terminal.waitForPrompt();
  terminal.type("!touch ran\r");
  await terminal.waitFor("cannot be started through");
  expect(hasRunHere()).toBe(false);
});
