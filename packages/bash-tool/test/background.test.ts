import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { call, isRunning, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { answer, bin } from "./run.ts";

/** Starts a command in the background; it is killed with the test. */
async function startInBackground(command: string, env: Record<string, string> = {}) {
  const TMPDIR = await tempDir();
  const { result } = await call(bin, { command, background: true }, { env: { ...env, TMPDIR } });
  const { pid, log, output, exit_code } = result as { pid: number; log: string; output: string; exit_code: number };
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(-pid, "SIGKILL");
  });
  return { pid, log, output, exit_code };
}

test("answers before the command ends, with its process and log", async () => {
  const before = performance.now();
  const { pid, log, output, exit_code } = await startInBackground("echo a; echo b >&2; echo $$; sleep 60");
  expect(performance.now() - before).toBeLessThan(20_000);
  expect(exit_code).toBe(0);
  expect(output).toBe(`Running in the background as process ${pid}. It prints to ${log}. To stop it: kill -- -${pid}`);
  await expect.poll(() => readFileSync(log, "utf8")).toBe(`a\nb\n${pid}\n`);
  expect(isRunning(pid)).toBe(true);
});

test.each([
  ["no-such-command --x", "bash: line 1: no-such-command: command not found", 127],
  ["echo a; echo b >&2; exit 3", "a\nb", 3],
  ["true", "", 0],
  ["kill -9 $$", "", 137],
])("answers with the exit code of what ends at once, and keeps no log: %s", async (command, output, exitCode) => {
  const TMPDIR = await tempDir();
  expect(await call(bin, { command, background: true }, { env: { TMPDIR } })).toEqual(answer(output, exitCode));
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test("shows the ends of what printed too much", async () => {
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "1000" };
  const { result } = await call(bin, { command: "seq 5000", background: true }, { env });
  expect(result).toMatchObject({ truncated: true, exit_code: 0, output: expect.stringMatching(/^1\n[\s\S]*\n5000$/) });
});

test("a command that leaves a process in its group is running", async () => {
  const { pid, log } = await startInBackground("(sleep 60; echo late) & echo up");
  await expect.poll(() => readFileSync(log, "utf8")).toBe("up\n");
  expect(pid).toBeGreaterThan(0);
  process.kill(-pid, "SIGKILL");
});

test("keeps the log private", async () => {
  const { log } = await startInBackground("umask 0; sleep 60");
  expect(statSync(log).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(log)).mode & 0o777).toBe(0o700);
});

test("gives the command its own session, empty input, and nothing that marks the call", async () => {
  const env = { IKIGAI_CALL_ID: "c1", IKIGAI_PROGRESS_FD: "3", IKIGAI_TIMEOUT_MS: "1", IKIGAI_SESSION_ID: "s1" };
  const { pid, log } = await startInBackground(
    "cat; env | grep ^IKIGAI_; ps -o sid=,pgid= -p $$; echo done; exec sleep 60",
    env,
  );
  await expect.poll(() => readFileSync(log, "utf8")).toContain("done");
  const [session = "", ids = ""] = readFileSync(log, "utf8").split("\n");
  expect(session).toBe("IKIGAI_SESSION_ID=s1");
  expect(ids.trim().split(/\s+/).map(Number)).toEqual([pid, pid]);
});

test("runs no file that the environment names", async () => {
  const bash = {
    BASH_ENV: join(await tempDir({ "noise.sh": "echo configured\n" }), "noise.sh"),
  };
  const { log } = await startInBackground("echo done; exec sleep 60", bash);
  await expect.poll(() => readFileSync(log, "utf8")).toBe("done\n");
});

test("survives the end of the call's process group", async () => {
  const { pid } = await startInBackground("sleep 60");
  expect(isRunning(pid)).toBe(true);
  process.kill(-pid, "SIGTERM");
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test("does not hold the tool's own output open", async () => {
  const TMPDIR = await tempDir();
  const tool = spawn(bin, { env: { ...process.env, TMPDIR } });
  tool.stdin.end(JSON.stringify({ command: "sleep 60", background: true }));
  const { pid } = JSON.parse(await text(tool.stdout));
  expect(isRunning(pid)).toBe(true);
  process.kill(-pid, "SIGKILL");
});

test("reports a log that cannot be created", async () => {
  const { result } = await call(bin, { command: "echo", background: true }, { env: { TMPDIR: "/no/such/directory" } });
  expect(result).toMatchObject({
    exit_code: 127,
    output: expect.stringMatching(/^bash: cannot be started: ENOENT.*mkdtemp/),
  });
});

test("starts nothing for an empty command", async () => {
  expect(await call(bin, { command: "", background: true })).toEqual(answer("", 127));
});
