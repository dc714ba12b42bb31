// @module-tag sampled
import { spawn, spawnSync } from "node:child_process";
import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv, ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends the call and ikigai with exit code %i, and the result is reported", async (signal, code) => {
  const cwd = await tempDir();
  const { env } = await startModel([{ calls: [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }] }]);
  const pid = () => Number(readFileSync(join(cwd, "pid"), "utf8"));
  const { exitCode, stdout } = await ikigai(
    ["-p", "go", "--model", "openai-compatible/m", "--allow", "bash", "--output-format", "json"],
    {
      cwd,
      env,
      async whileRunning({ kill }) {
        await until(() => existsSync(join(cwd, "pid")) && pid() > 0, "the command");
        kill(signal);
      },
    },
  );
  expect(exitCode).toBe(code);
  expect(isRunning(pid())).toBe(false);
  expect(JSON.parse(stdout)).toMatchObject({
    reason: "interrupted",
    tool_calls: [{ envelope: { error_code: "TOOL_CANCELLED" } }],
  });
});

test("SIGINT ends a request to a model that has stopped sending", async () => {
  const { env } = await startModel([{ text: "It beg", hangs: true }]);
  const args = ["-p", "go", "--model", "openai-compatible/m", "--output-format", "stream-json"];
  const { exitCode, stdout } = await ikigai(args, {
    env,
    async whileRunning({ stdout, kill }) {
      await until(() => stdout().includes("It beg"), "the answer's beginning");
      kill("SIGINT");
    },
  });
  expect(exitCode).toBe(130);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ result: "It beg" });
});

test.each([
  ["-p", "run seq 1 5", "--model", "offline"],
  ["--help"],
  ["tool", "list"],
  ["tool", "list", "--json"],
  ["doctor"],
])("reports a full disk behind stdout: ikigai %s", async (...args) => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
    env: await cleanEnv(),
    cwd: await tempDir(),
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("ikigai: cannot write to stdout: the disk is full\n");
});

test.each([
  ["-p", "find *", "--model", "offline"],
  ["tool", "list"],
  ["--model", "offline"],
])("ends quietly when the reader closes the pipe: ikigai %s", async (...args) => {
  const child = spawn(process.execPath, [bin, ...args], { env: await cleanEnv(), stdio: ["pipe", "pipe", "pipe"] });
  child.stdout.destroy();
  child.stdin.end("find *\n");
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise((settle) => child.once("close", settle));
  expect(code).toBe(141);
  expect(stderr.replace(/^Offline: a built-in.*\n/, "")).toBe("");
});

test("fails if a pipe stays empty for 30 seconds", { tags: ["slow"] }, async () => {
  const child = spawn(process.execPath, [bin, "-p", "find *", "--model", "offline"], {
    env: await cleanEnv(),
    cwd: await tempDir(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  expect(await new Promise((settle) => child.once("close", settle))).toBe(2);
  expect(stderr).toContain("/dev/null");
});
