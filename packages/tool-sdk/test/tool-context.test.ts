// @module-tag sampled
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { call } from "@ikigai/testing";
import { beforeAll, describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("./fixtures/steps-tool", import.meta.url));
const bin = join(folder, "dist/steps-tool");

beforeAll(() => {
  execFileSync("node", ["../../../build/build-tool.mjs"], { cwd: folder, stdio: "inherit" });
});

/** Starts the tool as a host does, with a pipe on descriptor 3. */
function start(args: object, fd3: "pipe" | number = "pipe") {
  const env = { ...process.env, IKIGAI_PROGRESS_FD: "3" };
  const child = spawn(bin, { stdio: ["pipe", "pipe", "pipe", fd3], env });
  child.stdin?.end(JSON.stringify(args));
  return child;
}

type Child = ReturnType<typeof start>;

/** How the tool ends, and what it printed. */
async function end(child: Child) {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("Expected pipes.");
  const [printed, logged, [exitCode, signal]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
  return { stdout: printed, stderr: logged, exitCode, signal };
}

/** The stream on descriptor 3. */
function progressOf(child: Child): NodeJS.ReadableStream {
  const stream = child.stdio[3];
  if (!stream || !("read" in stream)) throw new Error("Expected a pipe on descriptor 3.");
  return stream;
}

describe("progress", () => {
  test("is one JSON object per line on descriptor 3, in order, with long messages cut", async () => {
    const child = start({ count: 3, message: "😀".repeat(1_000) });
    const [lines, ended] = await Promise.all([text(progressOf(child)), end(child)]);
    const message = "😀".repeat(500);
    const step = (progress: number) => `${JSON.stringify({ progress, total: 3, message })}\n`;
    expect(lines).toBe(step(1) + step(2) + step(3));
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"done":3}', stderr: "" });
  });

  test("of more than a pipe holds waits for the reader and loses no line", async () => {
    const child = start({ count: 2_000, message: "x".repeat(900) });
    await once(progressOf(child), "readable");
    const [lines, ended] = await Promise.all([text(progressOf(child)), end(child)]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"done":2000}' });
    const steps = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).progress);
    expect(steps).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
  });

  test("stops when the reader has gone, and the call continues", async () => {
    const child = start({ count: 2_000, message: "x".repeat(900) });
    child.stdio[3]?.destroy();
    expect(await end(child)).toMatchObject({ exitCode: 0, stdout: '{"done":2000}', stderr: "" });
  });

  test("does nothing when descriptor 3 cannot be written, or when there is no host", async () => {
    const readOnly = openSync("/dev/null", "r");
    expect(await end(start({ count: 2 }, readOnly))).toMatchObject({ exitCode: 0, stdout: '{"done":2}', stderr: "" });
    closeSync(readOnly);
    for (const IKIGAI_PROGRESS_FD of ["", "1", "2", "three", "77"])
      expect(await call(bin, { count: 2 }, { env: { IKIGAI_PROGRESS_FD } })).toEqual({
        exitCode: 0,
        result: { done: 2 },
      });
  });
});

describe("SIGTERM", () => {
  /** Stops the tool once it has reported a step. */
  async function stopped(args: object) {
    const child = start({ count: 1, ...args });
    await once(progressOf(child), "data");
    // The step was reported before the tool began to wait.
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill("SIGTERM");
    return end(child);
  }

  test("aborts the signal, and the tool can still answer", async () => {
    const ended = await stopped({ wait: "with signal", on_stop: "answer" });
    expect(ended).toEqual({ exitCode: 0, signal: null, stdout: '{"done":1}', stderr: "" });
  });

  test.each(["with signal", "without signal"])("ends a tool that waits %s and does not catch it", async (wait) => {
    expect(await stopped({ wait })).toEqual({ exitCode: null, signal: "SIGTERM", stdout: "", stderr: "" });
  });

  test("ends a tool that has read the signal and answered, and is kept alive by a timer", async () => {
    const child = start({ leave: true });
    const ended = end(child);
    await once(child.stdout ?? child, "end");
    // The answer is printed before the tool stops catching the signal.
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill("SIGTERM");
    expect(await ended).toEqual({ exitCode: null, signal: "SIGTERM", stdout: '{"done":0}', stderr: "" });
  });

  test("does not hide a bug on the way out", async () => {
    const ended = await stopped({ wait: "with signal", on_stop: "bug" });
    expect(ended).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("TypeError: a bug") });
  });
});

test("fail answers with the tool's own code and the details", async () => {
  expect(await call(bin, { limited: true })).toEqual({
    exitCode: 0,
    result: { error: "Too many requests", error_code: "RATE_LIMITED", hint: "Try again in a minute" },
  });
});
