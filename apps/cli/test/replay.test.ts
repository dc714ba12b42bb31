// Promise 8 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai, type RunEnd, until } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";
import { openTerminal, steady } from "./terminal.ts";

/** A tool that counts its calls, and returns its input and its environment. */
const tellTool = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"tell","description":"Tell","parameters":{"type":"object","properties":{}}}'; exit; fi
echo x >> calls
printf '{"input":%s,"env":"%s"}' "$(cat)" "$(env | grep -E '^(IKIGAI_(TOOL|SESSION|CALL|TIMEOUT|MAX|ANSWER|DATA)|WORD=)' | sort | tr '\\n' ' ')"
`;

interface Past {
  readonly cwd: string;
  readonly tool: string;
  readonly run: (...args: string[]) => Promise<RunEnd>;
  readonly env: Readonly<Record<string, string>>;
}

/** A directory with a session in which a model made these calls, all allowed. */
async function past(...steps: Step[]): Promise<Past> {
  const cwd = await tempDir();
  const env = { HOME: await tempDir({ ".ikigai/tools/tell-tool": tellTool }), TMPDIR: await tempDir() };
  const model = await startModel(steps);
  const first = ["-p", "do it", "--permission-mode", "allow", "--model", "openai-compatible/m"];
  const { exitCode, stderr } = await ikigai(first, { cwd, env: { ...env, ...model.env, WORD: "then" } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const run = (...args: string[]) => ikigai(args, { cwd, env: { ...env, WORD: "now" } });
  return { cwd, env, tool: join(env.HOME, ".ikigai/tools/tell-tool"), run };
}

const tell = (args: object | string): Step => ({ calls: [{ name: "tell", arguments: args }] });
const bash = (command: string): Step => ({ calls: [{ name: "bash", arguments: { command } }] });

test.each([
  { text: 'it\'s "quoted" $HOME `date` \\n \\\\ %s\ttab é 🌍' },
  { text: "-n", "'": "!" },
  '{ "spaced":\n  "twice" }',
])("the shell line of a call repeats it in any shell: %j", async (args) => {
  const { cwd, run } = await past(tell(args));
  const { stdout } = await run("tool", "log", "--json");
  const [call] = JSON.parse(stdout).calls;
  expect(call.arguments).toEqual(typeof args === "string" ? JSON.parse(args) : args);
  const env = { PATH: process.env.PATH, WORD: "then" };
  for (const [shell = "", ...options] of [["sh"], ["bash", "--norc"]]) {
    const printed = execFileSync(shell, [...options, "-c", call.command], { cwd: "/", env, encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual(call.envelope.result);
  }
  expect(readFileSync(join(cwd, "calls"), "utf8")).toBe("x\nx\nx\n");
});

test("lists every call, also those that never ran", async () => {
  const { cwd, tool, run } = await past(bash("exit 3"), { calls: [{ name: "nothing", arguments: { a: 1 } }] });
  rmSync(tool);
  const { stdout, exitCode } = await run("tool", "log");
  expect(exitCode).toBe(0);
  expect(
    steady(stdout)
      .replaceAll(", N ms", "")
      .replaceAll(/\d{8}-\d{6}-\w+/g, "ID"),
  ).toMatch(
    new RegExp(`^Session ID, ${cwd}, 2 calls: do it

1 bash: exit 3
cd ${cwd} && echo '{"command":"exit 3"}' \\| IKIGAI_TIMEOUT_MS=30000 IKIGAI_MAX_OUTPUT_BYTES=65536 IKIGAI_ANSWER_BYTES=32768 /.*/bash-tool

2 nothing: TOOL_NOT_FOUND
\\(not run\\) \\{"a":1\\}
$`),
  );
});

test("tells a call that was running when ikigai was killed from one that never ran", async () => {
  const cwd = await tempDir();
  const model = await startModel([bash("[ -e started ] || { touch started; sleep 60; }")]);
  const env = { HOME: await tempDir(), TMPDIR: await tempDir(), ...model.env };
  await ikigai(["-p", "do it", "--permission-mode", "allow", "--model", "openai-compatible/m"], {
    cwd,
    env,
    async whileRunning({ kill }) {
      await until(() => existsSync(join(cwd, "started")), "the call");
      kill("SIGKILL");
    },
  });
  const { stdout } = await ikigai(["tool", "log"], { cwd, env });
  expect(stdout).toContain("\n1 bash: the session ended during the call\n");
  const again = await ikigai(["replay", "1", "--yes"], { cwd, env });
  expect(again.stdout).toContain("\nThe session ended during this call. Result now, after ");
});

test("a command behind ! is also a call of the session", async () => {
  const cwd = await tempDir();
  const env = { HOME: await tempDir() };
  await ikigai(["--model", "offline"], { cwd, env, typed: "!echo by hand\nrun touch by-model\n" });
  const { stdout } = await ikigai(["tool", "log", "--json"], { cwd, env });
  const { calls } = JSON.parse(stdout) as { calls: Record<string, unknown>[] };
  expect(calls.map(({ name, by, envelope }) => ({ name, by, envelope }))).toMatchObject([
    { name: "bash", by: "user", envelope: { tool_success: true, result: { output: "by hand" } } },
    { name: "bash", by: "model", envelope: expect.anything() },
  ]);
  const again = await ikigai(["replay", "1", "--yes"], { cwd, env });
  expect(again.stdout).toContain("Same result");
  // The title is the request, not the command run by hand.
  expect((await ikigai(["tool", "log"], { cwd, env })).stdout).toContain("2 calls: run touch by-model\n");
});

test("reports the same result, or shows the difference", async () => {
  const { cwd, run } = await past(bash("cat lines 2>/dev/null || seq 9"));
  const same = await run("replay", "1", "--yes");
  expect(same).toMatchObject({ exitCode: 0, stderr: "" });
  expect(steady(same.stdout)).toMatch(/^cd .*bash-tool\nSame result: N ms then, N ms now\n$/);
  writeFileSync(join(cwd, "lines"), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
  const different = await run("replay", "1", "--yes");
  expect(different.exitCode).toBe(1);
  expect(steady(different.stdout.split("\n").slice(1).join("\n"))).toBe(
    `Different result: N ms then, N ms now
   …
 6   3\\n
 7   4\\n
 8 - 5\\n
 8 + five\\n
 9   6\\n
10   7\\n
`,
  );
});

test("uses the recorded variables and the current environment, and prints both results as JSON", async () => {
  const { run, tool } = await past(tell({}));
  const id = JSON.parse((await run("tool", "log", "--json")).stdout).calls[0].id;
  const { stdout, exitCode } = await run("replay", id.slice(0, -2), "--yes", "--json");
  expect(exitCode).toBe(1);
  const { recorded, envelope, ...rest } = JSON.parse(stdout);
  expect(rest).toMatchObject({ id, name: "tell", tool: "same", same: false });
  expect(rest.command).toContain(tool);
  expect(recorded.result.env).toContain("WORD=then");
  expect(recorded.result.env).toContain("IKIGAI_ANSWER_BYTES=65536");
  expect(recorded.result.env).toContain(`IKIGAI_CALL_ID=${id}`);
  expect(envelope.result.env).toBe(recorded.result.env.replace("WORD=then", "WORD=now"));
  // No model reads that answer.
  expect((await run("tool", "call", "tell", "{}")).stdout).not.toContain("IKIGAI_ANSWER_BYTES");
});

test("reports that a tool has changed, no longer exists, or is no longer trusted", async () => {
  const { cwd, env, tool, run } = await past(tell({}));
  writeFileSync(tool, tellTool.replace("echo x", "echo y"));
  expect((await run("tool", "log")).stdout).toContain("; the tool has changed since");
  expect((await run("replay", "1", "-y")).stderr).toMatch(
    /^The tool has changed: SHA-256 [0-9a-f]{64} when recorded, [0-9a-f]{64} now\.\n$/,
  );
  rmSync(tool);
  expect((await run("tool", "log")).stdout).toContain("; the tool no longer exists");
  expect(await run("replay", "1", "-y")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `ikigai: The tool no longer exists: ${tool}.\n`,
  });
  const own = join(cwd, ".ikigai/tools/tell-tool");
  execFileSync("mkdir", ["-p", join(cwd, ".ikigai/tools")]);
  writeFileSync(own, tellTool, { mode: 0o755 });
  await run("trust", "--yes");
  const model = await startModel([tell({})]);
  await ikigai(["-p", "again", "--allow", "tell", "--model", "openai-compatible/m"], {
    cwd,
    env: { ...env, ...model.env },
  });
  expect(await run("replay", "1", "-y")).toMatchObject({ stdout: expect.stringContaining(own) });
  rmSync(join(cwd, "calls"));
  writeFileSync(own, tellTool.replace("echo x", "echo z"));
  const { exitCode, stderr } = await run("replay", "1", "-y");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("is not trusted") });
  expect(existsSync(join(cwd, "calls"))).toBe(false);
});

test("asks on a terminal before a call that may change something, needs --yes elsewhere, and reads freely", async () => {
  const { cwd, env, run } = await past(bash("echo x >> made"), {
    calls: [{ name: "file_read", arguments: { file_path: "made" } }],
  });
  const made = () => readFileSync(join(cwd, "made"), "utf8");
  const refused = await run("replay", "1");
  expect(refused).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("pass --yes to confirm") });
  expect(await run("replay", "2")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Same result") });
  for (const [answer, code, content] of [
    ["\r", 1, "x\n"],
    ["\u0004", 1, "x\n"],
    ["y\r", 0, "x\nx\n"],
  ] as const) {
    const terminal = await openTerminal(["replay", "1"], { cwd, env });
    expect(await terminal.waitFor("Run it again? y/N")).toContain(`echo '{"command":"echo x >> made"}'`);
    terminal.type(answer);
    expect(await terminal.exitCode).toBe(code);
    expect(made()).toBe(content);
  }
});

test("cut answers are the same if they agree as far as they go", async () => {
  const { cwd, env } = await past(tell({ text: "x".repeat(30_000), more: "y".repeat(60_000) }));
  for (const [word, verdict] of [
    ["then", true],
    ["now", false],
  ] as const) {
    const { stdout } = await ikigai(["replay", "1", "-y", "--json"], { cwd, env: { ...env, WORD: word } });
    const { same, recorded, envelope } = JSON.parse(stdout);
    for (const end of [recorded, envelope])
      expect(end.result.input.more).toContain("bytes left out; the whole answer is in");
    expect(same).toBe(verdict);
  }
});

test("says what cannot be replayed", async () => {
  const { run } = await past({ calls: [{ name: "nothing", arguments: {} }] });
  const text = async (...args: string[]) => (await run(...args)).stderr.split("\n")[0];
  const silent = (await (await past({ text: "nothing to do" })).run("replay", "1")).stderr;
  expect(silent).toMatch(/^ikigai: Session \S+ has no calls, so there is nothing to replay\.\n/);
  expect(await text("replay", "7")).toMatch(/^ikigai: Session \S+ has no call 7 \(calls: 1\)\. See: ikigai tool log /);
  expect(await text("replay", "1")).toMatch(/^ikigai: This call of nothing never ran: .*TOOL_NOT_FOUND/);
  expect(await text("replay", "1", "--session", "1999")).toBe("ikigai: No session 1999 found.");
  expect(await text("tool", "log", "/nowhere.jsonl")).toContain("cannot be read");
});
