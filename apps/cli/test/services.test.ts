// @module-tag sampled
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";

const fixture = fileURLToPath(new URL("../../../packages/core/test/fixtures/counting-tool", import.meta.url));

/** A home with a tool whose service counts its calls, and the file where it writes its process ids. */
async function countingHome() {
  const cwd = await tempDir();
  const home = await tempDir();
  mkdirSync(join(home, "tools"), { mode: 0o700 });
  writeFileSync(join(home, "config.json"), '{ "sandbox": { "env": ["PID_FILE"] } }', { mode: 0o600 });
  copyFileSync(fixture, join(home, "tools/counting-tool"));
  const pidFile = join(cwd, "pids");
  const pids = () => (existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n").filter(Boolean) : []);
  return { cwd, home, pids, env: { IKIGAI_HOME: home, IKIGAI_NO_SERVE: undefined, PID_FILE: pidFile } };
}

const args = ["--model", "offline", "--allow", "cou*"];

test.each([
  ["", []],
  [", in the sandbox", ["--sandbox"]],
])("ikigai -p answers with a service, which it ends%s", async (_where, more) => {
  const { cwd, env, pids, home } = await countingHome();
  const flags = hasBubblewrap ? more : [];
  // It needs a key.
  await ikigai(["tool", "allow", "counting", "--yes"], { cwd, env });
  const { stdout, exitCode } = await ikigai(["-p", "counting", ...args, ...flags], { cwd, env });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ {2}"count": 1,$/m);
  expect(pids()).toHaveLength(1);
  expect(pids()[0]).not.toContain("one-shot");
  if (flags.length === 0) expect(isRunning(Number(pids()[0]))).toBe(false);
  expect(readFileSync(join(home, "logs/service-counting.log"), "utf8")).toMatch(/ended, exit code 0\n$/);
});

test("keeps a service for a conversation, and shows it", async () => {
  const { cwd, env, pids } = await countingHome();
  const lines = [
    "/tool counting",
    "counting",
    "counting",
    "/tool counting",
    "/new",
    "counting",
    "/refresh",
    "counting",
  ];
  const { stdout, stderr } = await ikigai(args, { cwd, env, typed: `${lines.join("\n")}\n` });
  expect(stderr).toBe("");
  expect([...stdout.matchAll(/\bcount"?: ?(\d)/g)].map(([, count]) => count)).toEqual(["1", "2", "1", "1"]);
  const [first = ""] = pids();
  expect([...stdout.matchAll(/^Service: (.*)$/gm)].map(([, text]) => text)).toEqual([
    "counting; not running, its next call starts it",
    expect.stringMatching(
      new RegExp(`^counting; pid ${first}, started just now, 2 calls, log .*service-counting\\.log$`),
    ),
  ]);
  expect(pids()).toHaveLength(3);
  for (const pid of pids()) expect(isRunning(Number(pid))).toBe(false);
});

test("says why a tool does not use its service", async () => {
  const { cwd, env } = await countingHome();
  const off = { ...env, IKIGAI_NO_SERVE: "1" };
  const { stdout } = await ikigai(args, { cwd, env: off, typed: "counting\ncounting\n/tool counting\n" });
  expect(stdout.match(/oneShot"?: ?true/g)).toHaveLength(2);
  expect(stdout).toContain("Service: counting; not used, because IKIGAI_NO_SERVE is set: one process per call\n");
});

test("names a tool's service, and calls the tool without it", async () => {
  const { cwd, env } = await countingHome();
  const shown = await ikigai(["tool", "show", "counting"], { cwd, env });
  expect(shown.stdout).toMatch(/^Service: counting; one process answers its calls of a conversation$/m);
  const called = await ikigai(["tool", "call", "counting", "{}"], { cwd, env });
  expect(JSON.parse(called.stdout)).toMatchObject({ tool_success: true, result: { oneShot: true } });
});
