// Promise 6 of SECURITY.md.
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { maxHookOutputBytes } from "../src/hooks/run-hook.ts";
import { findHooks, type Hook, type HookEvent, runHook } from "../src/hooks.ts";
import { trust } from "../src/index.ts";
import { hookOptions, hookScript, hookWorld } from "./hook-files.ts";
import type { World } from "./world.ts";

/** Writes a hook of the user and runs it. */
async function runLines(lines: readonly string[], { event = "before-call" as HookEvent, input = "{}" } = {}) {
  const made = await hookWorld({ [`${event}/hook`]: hookScript(...lines) });
  return { made, run: await runHook(await only(made, event), input, hookOptions(made)) };
}

async function only(made: World, event: HookEvent): Promise<Hook> {
  const { hooks } = await findHooks(made).find(event);
  const [hook] = hooks;
  if (!hook || hooks.length > 1) throw new Error(`Expected one hook, got ${hooks.length}.`);
  return hook;
}

test("a hook gets its input on one line and its environment as a tool does", async () => {
  const { made, run } = await runLines(
    [
      "read -r line; cat",
      'echo "$line|$IKIGAI_TOOL_SCOPE|$IKIGAI_SESSION_ID|$CLAUDE_PROJECT_DIR|$IKIGAI_DATA_DIR|$(pwd)|$AGENT|$ANTHROPIC_API_KEY"',
    ],
    { input: '{"a":1}' },
  );
  const { projectDir, home } = made;
  expect(run.stdout.trimEnd().split("|")).toEqual([
    '{"a":1}',
    "user",
    "s1",
    projectDir,
    join(home, "data/+hooks"),
    projectDir,
    "ikigai",
    "",
  ]);
  expect(run).toMatchObject({ exitCode: 0, stderr: "" });
  expect(run.problem).toBeUndefined();
  expect(run.durationMs).toBeGreaterThan(0);
});

test("keeps the exit code and stderr of a refusal", async () => {
  const { run } = await runLines(["echo no force >&2", "exit 2"]);
  expect(run).toMatchObject({ exitCode: 2, stderr: "no force\n" });
  expect(run.problem).toBeUndefined();
});

test("a hook that never reads its input is answered for", async () => {
  const { run } = await runLines(["exit 0"], { input: JSON.stringify({ long: "x".repeat(1_000_000) }) });
  expect(run).toMatchObject({ exitCode: 0 });
});

test.each<[string, string[], string]>([
  ["a signal", ["kill -9 $$"], "killed by SIGKILL"],
  ["a flood", ["exec yes"], "it printed more than 64 KiB"],
])("reports %s", async (_, lines, problem) => {
  const { run } = await runLines(lines);
  expect(run.problem).toContain(problem);
});

test("64 KiB on stdout are an answer, one byte more is not", async () => {
  const bytes = (count: number) => [`head -c ${count} /dev/zero | tr '\\0' x`];
  const { run } = await runLines(bytes(maxHookOutputBytes));
  expect(run.stdout.length).toBe(maxHookOutputBytes);
  expect(run.problem).toBeUndefined();
  expect((await runLines(bytes(maxHookOutputBytes + 1))).run.problem).toBe("it printed more than 64 KiB");
});

test("stderr is cut, and does not end the hook", async () => {
  const { run } = await runLines(["head -c 1000000 /dev/zero | tr '\\0' x >&2", "exit 2"]);
  expect(run.exitCode).toBe(2);
  expect(Buffer.byteLength(run.stderr)).toBeLessThanOrEqual(maxHookOutputBytes);
});

test("a hook that only notifies is ended after 5 s", async () => {
  const { run } = await runLines(["trap 'echo ended >&2; exit 0' TERM", "sleep 60 & wait"], { event: "question" });
  expect(run.problem).toBe("no answer within 5 s");
  expect(run.stderr).toBe("ended\n");
  expect(run.durationMs).toBeGreaterThanOrEqual(5_000);
}, 30_000);

test("an interrupted hook is ended", async () => {
  const made = await hookWorld({ "stop/hook": hookScript("sleep 60") });
  const controller = new AbortController();
  const running = runHook(await only(made, "stop"), "{}", hookOptions(made, { signal: controller.signal }));
  controller.abort();
  expect((await running).problem).toBe("it was interrupted");
});

test("the answer of a hook whose stdout is held open by an escaped process does not count", async () => {
  const made = await hookWorld({});
  const pidFile = join(made.root, "pid");
  const { run } = await runLines([
    `env -i PATH="$PATH" setsid sh -c 'echo $$ > ${pidFile}; exec sleep 600' </dev/null 2>&1 &`,
    `while [ ! -s ${pidFile} ]; do sleep 0.01; done`,
  ]);
  process.kill(Number(readFileSync(pidFile, "utf8")));
  expect(run.problem).toContain("it left a process running that holds its stdout open");
});

test("kills a daemon that a hook leaves behind", async () => {
  const made = await hookWorld({});
  const pidFile = join(made.root, "pid");
  const { run } = await runLines([
    `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 600' </dev/null >/dev/null 2>&1 &`,
    `while [ ! -s ${pidFile} ]; do sleep 0.01; done`,
  ]);
  expect(run.problem).toBeUndefined();
  expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
});

test.each<[string, string, string]>([
  ["an empty file", "", "it is empty"],
  ["a file that is neither program nor script", "\0\0data", "it is neither a program nor a script"],
  ["a script whose interpreter is missing", "#!/no/such/sh\n", "its interpreter /no/such/sh is missing"],
])("does not start %s", async (_, content, problem) => {
  const made = await hookWorld({ "before-call/hook": { content, mode: 0o755 } });
  const run = await runHook(await only(made, "before-call"), "{}", hookOptions(made));
  expect(run).toMatchObject({ problem, durationMs: expect.any(Number), stdout: "" });
});

test("does not run a project's hook that was swapped after it was found", async () => {
  const made = await hookWorld({}, { "before-call/hook": hookScript("exit 0") });
  await trust(made);
  const hook = await only(made, "before-call");
  const mark = join(made.root, "ran");
  writeFileSync(`${hook.path}.new`, `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
  renameSync(`${hook.path}.new`, hook.path);
  const run = await runHook(hook, "{}", hookOptions(made));
  expect(run.problem).toContain("has changed since you trusted it");
  expect(existsSync(mark)).toBe(false);
});

test("the answer of a project's hook does not count if it was swapped while it ran", async () => {
  const made = await hookWorld({}, { "before-call/hook": hookScript('rm "$0"', `echo '{"decision":"allow"}'`) });
  await trust(made);
  const run = await runHook(await only(made, "before-call"), "{}", hookOptions(made));
  expect(run.problem).toContain("has changed since you trusted it");
});

test("takes the interpreter of the user's hook from outside the project", async () => {
  const made = await hookWorld({ "stop/hook": { content: "#!/usr/bin/env sh\necho real\n", mode: 0o755 } });
  writeFileSync(join(made.projectDir, "sh"), "#!/bin/sh\necho fake\n", { mode: 0o755 });
  const env = { PATH: `${made.projectDir}:${process.env.PATH}` };
  expect((await runHook(await only(made, "stop"), "{}", hookOptions(made, { env }))).stdout).toBe("real\n");
});

test("hooks have a private data directory, the project's one of their own", async () => {
  const made = await hookWorld(
    { "stop/user": hookScript('echo "$IKIGAI_DATA_DIR"') },
    { "stop/project": hookScript('echo "$IKIGAI_DATA_DIR"') },
  );
  await trust(made);
  const { hooks } = await findHooks(made).find("stop");
  const outputs = await Promise.all(hooks.map((hook) => runHook(hook, "{}", hookOptions(made))));
  const [own = "", projects = ""] = outputs.map(({ stdout }) => stdout.trim());
  expect(own).toBe(join(made.home, "data/+hooks"));
  expect(projects).toMatch(/data\/project-[0-9a-f]{12}-\+hooks$/);
  expect(statSync(projects).mode & 0o777).toBe(0o700);
  rmSync(own, { recursive: true });
});
