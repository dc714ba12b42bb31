// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { call, isRunning, ownExecutable, tempDir } from "../src/index.ts";

test("passes arguments as JSON and returns the answer as a value", async () => {
  const dir = await tempDir({ "echo-tool": "#!/bin/sh\necho debugging >&2\nexec cat\n" });
  const end = await call(`${dir}/echo-tool`, { text: "é" });
  expect(end).toEqual({ exitCode: 0, result: { text: "é" } });
  expect(end).toStrictEqual({ exitCode: 0, result: { text: "é" } });
  expect(end.stderr).toBe("debugging\n");
  expect(end.stdout).toBe('{"text":"é"}');
});

test("passes a string unchanged", async () => {
  const dir = await tempDir({ "deaf-tool": "#!/bin/sh\ncat >&2\nexit 1\n" });
  expect(await call(`${dir}/deaf-tool`, "{")).toEqual({ exitCode: 1, stdout: "", stderr: "{" });
});

test("returns the output if it is not a JSON object", async () => {
  const dir = await tempDir({ "list-tool": "#!/bin/sh\necho '[1]'\n" });
  expect(await call(`${dir}/list-tool`, {})).toEqual({ exitCode: 0, stdout: "[1]\n", stderr: "" });
});

test("reports signal N as exit code 128+N", async () => {
  const dir = await tempDir({ "crash-tool": "#!/bin/sh\nkill -SEGV $$\n" });
  expect(await call(`${dir}/crash-tool`, {})).toEqual({ exitCode: 139, stdout: "", stderr: "" });
});

test("sends SIGTERM on timeout and returns what the tool then prints", async () => {
  const dir = await tempDir({
    "forever-tool": `#!/bin/sh\ntrap 'echo "{\\"output\\": \\"partial\\"}"; exit 0' TERM\nwhile :; do sleep 0.1; done\n`,
  });
  expect(await call(`${dir}/forever-tool`, {}, { timeoutMs: 300 })).toEqual({
    exitCode: 0,
    result: { output: "partial" },
    timedOut: true,
  });
});

test.runIf(process.platform === "linux")(
  "counts a tool that ended in time as such, however late that is noticed",
  async () => {
    const dir = await tempDir({ "echo-tool": "#!/bin/sh\necho $$ > pid\necho '{}'\n" });
    const timeoutMs = 200;
    const startedMs = performance.now();
    const calling = call(`${dir}/echo-tool`, {}, { cwd: dir, timeoutMs });
    const pid = () => (existsSync(`${dir}/pid`) ? Number(readFileSync(`${dir}/pid`, "utf8")) : 0);
    // Blocks the event loop.
    while (pid() === 0 || isRunning(pid()) || performance.now() < startedMs + 2 * timeoutMs);
    expect(await calling).toEqual({ exitCode: 0, result: {} });
  },
);

test("kills a tool that ignores SIGTERM", async () => {
  const dir = await tempDir({ "ignore-term-tool": "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n" });
  expect(await call(`${dir}/ignore-term-tool`, {}, { timeoutMs: 200 })).toEqual({
    exitCode: 137,
    stdout: "",
    stderr: "",
    timedOut: true,
  });
});

test("kills processes that the tool leaves running without waiting for them", async () => {
  const dir = await tempDir({ "leave-grandchild-tool": '#!/bin/sh\nsleep 60 &\necho "{\\"pid\\": $!}"\n' });
  const { result } = await call(`${dir}/leave-grandchild-tool`, {});
  await expect.poll(() => isRunning(Number(result?.pid))).toBe(false);
});

test("removes a host's variables and adds the caller's", async () => {
  const dir = await tempDir({ "env-tool": '#!/bin/sh\necho "{\\"a\\": \\"$IKIGAI_A\\", \\"b\\": \\"$IKIGAI_B\\"}"\n' });
  process.env.IKIGAI_A = "inherited";
  try {
    const { result } = await call(`${dir}/env-tool`, {}, { env: { IKIGAI_B: "given" } });
    expect(result).toEqual({ a: "", b: "given" });
  } finally {
    delete process.env.IKIGAI_A;
  }
});

test("survives a tool that does not read its stdin", async () => {
  const dir = await tempDir({ "deaf-tool": "#!/bin/sh\nexec 0<&-\necho '{}'\n" });
  expect(await call(`${dir}/deaf-tool`, { text: "x".repeat(1_000_000) })).toEqual({ exitCode: 0, result: {} });
});

test("stops a tool that floods stdout", async () => {
  const dir = await tempDir({ "flood-tool": "#!/bin/sh\nexec yes\n" });
  const { exitCode, stdout } = await call(`${dir}/flood-tool`, {});
  expect(exitCode).toBe(137);
  expect(stdout.length).toBeLessThanOrEqual(64 * 1_048_576);
});

test("reports why a tool cannot be started", async () => {
  const dir = await tempDir({ "gone-tool": { content: "", mode: 0o644 } });
  await expect(call(`${dir}/gone-tool`, {})).rejects.toMatchObject({ code: "EACCES" });
  await expect(call(`${dir}/no-tool`, {})).rejects.toMatchObject({ code: "ENOENT" });
});

test("ownExecutable returns the tool that the nearest package.json names", async () => {
  const dir = await tempDir({
    "package.json": '{ "bin": { "x-tool": "./dist/x-tool", "x": "./x.js" } }',
    "test/": "",
    "two/package.json": '{ "bin": { "x-tool": "./x", "y-tool": "./y" } }',
  });
  expect(ownExecutable(`file://${dir}/test/x.test.ts`)).toBe(`${dir}/dist/x-tool`);
  expect(() => ownExecutable(`file://${dir}/two/x.test.ts`)).toThrow('Expected one "bin" that ends in -tool in');
});
