// @module-tag sampled
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, describeTool, type ServedProcess, startServed } from "@ikigai/testing";
import { beforeAll, describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("./fixtures/traces-tool", import.meta.url));
const bin = join(folder, "dist/traces-tool");
const ready = '{"ready":true}';

beforeAll(() => {
  execFileSync("node", ["../../../build/build-tool.mjs"], { cwd: folder, stdio: "inherit" });
});

/** Starts the tool and waits until it is ready. */
async function start(env: Record<string, string> = {}): Promise<ServedProcess> {
  const tool = await startServed(bin, { env: { HOME: "/home/of-the-host", ...env } });
  expect(await tool.nextLine()).toBe(ready);
  return tool;
}

/** The frame of a call. */
function frame(id: string, args: unknown, env: Record<string, string> = {}): string {
  return `${JSON.stringify({ call: id, tool: "traces", env, arguments: args })}\n`;
}

/** How the process ended: what it printed, its exit code and stderr. */
async function endOf(tool: ServedProcess): Promise<unknown> {
  const line = await tool.nextLine();
  const exitCode = await tool.exitCode();
  return { line, exitCode, stderr: tool.stderr() };
}

describe("a served tool made with the SDK", () =>
  describeTool(bin, { test, calls: [{ text: "a" }, { text: "b", times: 3 }, { leave: "variable" }] }));

describe("a served tool", () => {
  test("answers call after call with the bytes of one call per process", async () => {
    await using tool = await start();
    const calls = [{ text: 'é "\\ \u2028 \n😀' }, { text: "b", times: 3, unknown: 1 }, {}];
    for (const args of [...calls, ...calls]) {
      const { stdout } = await call(bin, args, { env: { HOME: "/home/of-the-host" } });
      expect(await tool.call(args, { id: "one" })).toBe(`{"call":"one","answer":${stdout}}`);
      expect(await tool.nextLine()).toBe(ready);
    }
    tool.closeInput();
    expect(await endOf(tool)).toEqual({ line: undefined, exitCode: 0, stderr: "" });
  });

  test("refuses an invalid call with the text of one call per process, and continues", async () => {
    await using tool = await start();
    for (const args of [[1], "x", null]) {
      const { exitCode, stderr } = await call(bin, JSON.stringify(args));
      expect(exitCode).toBe(1);
      expect(await tool.call(args, { id: 'id "1"' })).toBe(
        JSON.stringify({ call: 'id "1"', refused: stderr.replace(/\n$/, "") }),
      );
      expect(await tool.nextLine()).toBe(ready);
    }
  });

  test("answers a call with an argument of the wrong type as one process per call does", async () => {
    await using tool = await start();
    const args = { text: 5.5 };
    const { stdout } = await call(bin, args);
    expect(await tool.call(args, { id: "a" })).toBe(`{"call":"a","answer":${stdout}}`);
    expect(JSON.parse(stdout)).toMatchObject({ error_code: "INVALID_PARAMS" });
  });

  test("sees the variables of a call only during the call", async () => {
    await using tool = await start({ LEFT: "at the start" });
    const variables = async (args: object, env = {}) => {
      const line = await tool.call(args, { env });
      expect(await tool.nextLine()).toBe(ready);
      return JSON.parse(line ?? "").answer.variables;
    };
    const first = { LEFT: "at the start", HOME: "/home/of-the-host" };
    expect(await variables({}, { SECRET: "s3cret", HOME: "/elsewhere" })).toEqual({
      ...first,
      SECRET: "s3cret",
      HOME: "/elsewhere",
    });
    expect(await variables({})).toEqual(first);
    expect(await variables({ leave: "variable" })).toEqual({ LEFT: "behind" });
    expect(await variables({})).toEqual(first);
  });

  test("keeps each answer within the limit of its call", async () => {
    await using tool = await start();
    const lengths = [];
    for (const limit of ["200", "100000", "300"]) {
      const line = await tool.call({ text: "some line\n", times: 1_000 }, { env: { IKIGAI_MAX_OUTPUT_BYTES: limit } });
      lengths.push(JSON.stringify(JSON.parse(line ?? "").answer).length <= Number(limit));
      await tool.nextLine();
    }
    expect(lengths).toEqual([true, true, true]);
  });

  test("reports progress on descriptor 3 in every call", async () => {
    await using tool = await start();
    for (const text of ["one", "two", "three"]) {
      await tool.call({ text });
      await tool.nextLine();
    }
    const lines = ["one", "two", "three"].map((message) => `${JSON.stringify({ progress: 1, message })}\n`);
    await expect.poll(() => tool.progress()).toBe(lines.join(""));
  });

  test.each(["variable", "short timer"])("is ready again after a call that left a %s", async (leave) => {
    await using tool = await start();
    for (let calls = 0; calls < 3; calls++) {
      expect(await tool.call({ leave })).toContain("answer");
      expect(await tool.nextLine()).toBe(ready);
    }
  });

  test.each([
    ["timer", "a timer is still running"],
    ["unref'd timer", "a timer is still running"],
    ["timer of a promise", "a timer is still running"],
    ["listener", "the listeners of the process changed"],
    ["other listener", "the listeners of the process changed"],
    ["directory", "the working directory changed"],
    ["umask", "the umask changed"],
    ["exit code", "the exit code changed"],
    ["descriptor", expect.stringMatching(/^descriptor \d+ is still open$/)],
    ["closed descriptor 3", "stdin, stdout, stderr or descriptor 3 changed"],
    ["another descriptor 3", "stdin, stdout, stderr or descriptor 3 changed"],
    ["child", "a child process is still running"],
  ])("answers and exits if a call leaves a %s", async (leave, reason) => {
    await using tool = await start();
    expect(await tool.call({ text: "a", leave })).toContain('"answer":{"output":"a"');
    const end = (await endOf(tool)) as { line: unknown; exitCode: number; stderr: string };
    expect(end).toEqual({
      line: undefined,
      exitCode: 0,
      stderr: expect.stringMatching(/^Stopped serving calls: .*\.\n$/),
    });
    expect(end.stderr.slice("Stopped serving calls: ".length, -2)).toEqual(reason);
  });

  test.each(["bug", "bug with a timer"])(
    "exits with the stack on stderr after a %s, as with one call per process",
    async (leave) => {
      await using tool = await start();
      expect(await tool.call({ leave })).toBeUndefined();
      expect(await tool.exitCode()).toBe(1);
      await expect.poll(() => tool.stderr()).toMatch(/^TypeError: a bug\n +at /);
    },
  );

  test("ends with the exit code of a call that exits", async () => {
    await using tool = await start();
    expect(await tool.call({ leave: "exit" })).toBeUndefined();
    expect(await tool.exitCode()).toBe(7);
  });

  test("is not ready again after a call with an unhandled rejection", async () => {
    await using tool = await start();
    expect(await tool.call({ leave: "rejection" })).toContain("answer");
    expect(await tool.nextLine()).toBeUndefined();
    expect(await tool.exitCode()).toBe(1);
  });
});

describe("its frames", () => {
  test.each([
    ["1 MiB of newlines", { text: "\n".repeat(1_048_576) }],
    ["an answer of 60 MiB", { text: "0123456789abcdef", times: 60 * 65_536 }],
  ])("can be long: %s", async (_, args: { text: string; times?: number }) => {
    await using tool = await start();
    for (let calls = 0; calls < 2; calls++) {
      const line = await tool.call(args);
      expect(JSON.parse(line ?? "").answer.output.length).toBe(args.text.length * (args.times ?? 1));
      expect(await tool.nextLine()).toBe(ready);
    }
  });

  test("can arrive in pieces, and two at once", async () => {
    await using tool = await start();
    const [head = "", tail = ""] = frame("one", { text: "é" }).split("é");
    const [first, second] = Buffer.from("é");
    const pieces = [
      head,
      Buffer.from([first ?? 0]),
      Buffer.from([second ?? 0]),
      tail + frame("two", {}) + frame("three", {}).slice(0, 9),
    ];
    for (const piece of [...pieces, frame("three", {}).slice(9)]) {
      tool.write(piece);
      await new Promise((settle) => setTimeout(settle, 20));
    }
    for (const id of ["one", "two", "three"]) {
      expect(JSON.parse((await tool.nextLine()) ?? "")).toMatchObject({ call: id, answer: {} });
      expect(await tool.nextLine()).toBe(ready);
    }
  });

  test.each([
    ["\n", "Expected a frame on stdin, got a line that is not JSON."],
    ['{"call":\n', "Expected a frame on stdin, got a line that is not JSON."],
    ["[]\n", "Expected a frame on stdin, got something other than a JSON object."],
    ['{"cancel":"c1"}\n', 'Expected a frame with "call", "tool", "env" and "arguments" on stdin.'],
    [frame("a", undefined), 'Expected a frame with "call", "tool", "env" and "arguments" on stdin.'],
    [
      '{"call":"a","tool":"traces","env":{"A":1},"arguments":{}}\n',
      'Expected a frame with "call", "tool", "env" and "arguments" on stdin.',
    ],
    [Buffer.from('{"call":"\xe9"}\n', "latin1"), "Expected a frame in UTF-8 on stdin."],
  ])("%j is broken: says why and exits with 1", async (text, reason) => {
    await using tool = await start();
    tool.write(text);
    expect(await endOf(tool)).toEqual({ line: undefined, exitCode: 1, stderr: `${reason}\n` });
  });

  test("that end early are broken", async () => {
    await using tool = await start();
    tool.write('{"call":"a"');
    tool.closeInput();
    const stderr = "Expected a frame on stdin, which ended before its newline.\n";
    expect(await endOf(tool)).toEqual({ line: undefined, exitCode: 1, stderr });
  });
});

describe("a signal", () => {
  test.each([
    ["before its first call", 0],
    ["after calls that listened for it", 2],
  ])("SIGTERM ends an idle process %s", async (_, calls) => {
    await using tool = await start();
    for (let call = 0; call < calls; call++) {
      expect(await tool.call({ leave: "short timer", wait: false })).toContain("answer");
      await tool.nextLine();
    }
    process.kill(tool.pid, "SIGTERM");
    expect(await endOf(tool)).toEqual({ line: undefined, exitCode: 143, stderr: "" });
  });

  test("SIGTERM during a call that listens for it: answers, and exits instead of getting ready", async () => {
    await using tool = await start();
    const answer = tool.call({ text: "stopped", wait: true });
    await expect.poll(() => tool.progress()).toContain("stopped");
    process.kill(tool.pid, "SIGTERM");
    expect(await answer).toContain('"answer":{"output":"stopped"');
    expect(await endOf(tool)).toEqual({
      line: undefined,
      exitCode: 0,
      stderr: "",
    });
  });

  test("SIGSTOP and SIGCONT: reads the frame that was written in between", async () => {
    await using tool = await start();
    process.kill(tool.pid, "SIGSTOP");
    const answer = tool.call({ text: "late" });
    process.kill(tool.pid, "SIGCONT");
    expect(await answer).toContain('"output":"late"');
    expect(await tool.nextLine()).toBe(ready);
  });

  test("a listener outside a call, which would be deaf: exits before it is ready", async () => {
    await using tool = await startServed(bin, { env: { LISTENS: "1" } });
    const stderr = "Cannot serve calls: a SIGTERM listener outside a call. Use the context's signal in run.\n";
    expect(await endOf(tool)).toEqual({ line: undefined, exitCode: 1, stderr });
  });
});
