// @module-tag tables
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, run } from "./run.ts";

test.each([
  "echo a > /dev/stdout; echo b > /dev/stderr; echo c",
  "echo a > /dev/fd/1; echo b > /dev/fd/2; echo c > /proc/self/fd/1",
  "echo a | tee /dev/stderr > /dev/null; printf 'b\\nc\\n' >> /dev/stdout",
  "echo a; sh -c 'echo b > /dev/stderr'; echo c",
])("lets the command open its output by name: %s", async (command) => {
  expect(await run(command)).toEqual(answer("a\nb\nc"));
});

test("is a pipe", async () => {
  expect(await run("[ -p /dev/stdout ] && [ -p /dev/stderr ] && echo pipe")).toEqual(answer("pipe"));
});

test("gives the command only three descriptors", async () => {
  const child = spawn(bin, { stdio: ["pipe", "pipe", "inherit", "pipe"] });
  child.stdin?.end(
    JSON.stringify({ command: "for fd in 3 4 5 6 7 8 9; do (: >&$fd) 2>/dev/null && echo $fd; done; exit 0" }),
  );
  expect(JSON.parse(await text(child.stdout as NodeJS.ReadableStream))).toEqual({ output: "", exit_code: 0 });
});

test("keeps running after the command has closed its output", async () => {
  expect(await run("echo a; exec >&- 2>&-; sleep 0.1; exit 5")).toEqual(answer("a", 5));
});

test("does not wait for background processes of the command", async () => {
  const before = performance.now();
  expect(await run("sleep 60 & echo a")).toEqual(answer("a"));
  expect(performance.now() - before).toBeLessThan(20_000);
});

test("reads what background processes print just after the end", async () => {
  // On a busy machine that moment may once be over before they run.
  await expect.poll(() => run("(sleep 0.05; echo b) & echo a")).toEqual(answer("a\nb"));
});

test("does not read forever from a background process that floods", async () => {
  const { result } = await run("yes | head -n 5000; yes & exit 7", { env: { IKIGAI_MAX_OUTPUT_BYTES: "1000" } });
  expect(result).toMatchObject({ exit_code: 7, truncated: true });
});

test("does not need the caller's PATH", async () => {
  const env = { PATH: "/no/such/directory" };
  expect(await call(process.execPath, { command: "echo a > /dev/stderr" }, { args: [bin], env })).toEqual(answer("a"));
});

test("keeps concurrent calls apart", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `${index}`);
  const ends = await Promise.all(names.map((name) => run(`echo ${name} > /dev/stderr; exit ${name}`)));
  expect(ends).toEqual(names.map((name) => answer(name, Number(name))));
});

test("leaves no file behind", async () => {
  const tmp = await tempDir();
  await run("echo a", { env: { TMPDIR: tmp } });
  await run(`: ${"x".repeat(200_000)}`, { env: { TMPDIR: tmp } });
  expect(readdirSync(tmp)).toEqual([]);
});

test.each(["/no/such/directory", "/proc"])("works without its own pipe, in TMPDIR=%s", async (tmp) => {
  expect(await run("echo a; echo b >&2; no-such-command; exit 3", { env: { TMPDIR: tmp } })).toEqual(
    answer("a\nb\nbash: line 1: no-such-command: command not found", 3),
  );
  expect((await run("fi", { env: { TMPDIR: tmp } })).result?.output).toMatch(/^bash: .*syntax error .*fi/);
});

test("says that a long command needs a temporary directory", async () => {
  const { result } = await run(`: ${"x".repeat(200_000)}`, { env: { TMPDIR: "/no/such/directory" } });
  expect(result).toMatchObject({ exit_code: 127, output: expect.stringMatching(/^bash: cannot be started: ENOENT/) });
});

test.each([{}, { IKIGAI_PRESTART: "1" }])("waits for its input, with %j", async (env) => {
  const child = spawn(bin, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  const answered = text(child.stdout);
  await new Promise((settle) => setTimeout(settle, 200));
  child.stdin.write('{"command": "echo $IKIGAI_PRESTART ');
  await new Promise((settle) => setTimeout(settle, 50));
  child.stdin.end('a"}');
  expect(JSON.parse(await answered)).toEqual({ output: "a", exit_code: 0 });
  if (child.exitCode === null) await once(child, "exit");
});
