// @module-tag sampled
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, conformance, type ServedProcess, startServed, tempDir } from "@ikigai/testing";
import { beforeAll, describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("./fixtures/tally-tool", import.meta.url));
const bin = join(folder, "dist/tally-tool");
const ready = '{"ready":true}';
const starting = '{"progress":{"progress":0,"message":"tally: starting"}}';
const cancelled = { error: "The call was cancelled.", error_code: "TOOL_CANCELLED" };

beforeAll(() => {
  execFileSync("node", ["../../../build/build-tool.mjs"], { cwd: folder, stdio: "inherit" });
});

/** Starts the service and waits until it is ready. */
async function start(env: Record<string, string> = {}): Promise<ServedProcess> {
  const service = await startServed(bin, { env });
  expect(await service.nextLine()).toBe(starting);
  expect(await service.nextLine()).toBe(ready);
  return service;
}

/** The next line that is not progress. */
async function nextReply(service: ServedProcess): Promise<Record<string, unknown> | undefined> {
  for (;;) {
    const line = await service.nextLine();
    const reply = line === undefined ? undefined : JSON.parse(line);
    if (reply?.progress === undefined) return reply;
  }
}

test.each(conformance)("a service made with the SDK $title", async ({ run }) => {
  expect(await run(bin, { calls: [{ by: 1 }, { by: 2, act: "pause" }] })).toBeUndefined();
});

test("the schema names the service", () => {
  const { ikigai } = JSON.parse(execFileSync(bin, ["--schema"], { encoding: "utf8" }));
  expect(ikigai).toEqual({ version: "1.0.0", timeoutMs: 60_000, service: "tally" });
});

describe("a service", () => {
  test("opens its state once and keeps it from call to call", async () => {
    const dir = await tempDir();
    await using service = await start({ LOG: `${dir}/log` });
    for (const total of [1, 2, 3]) {
      service.send({ by: 1 }, { id: `${total}` });
      expect(await nextReply(service)).toEqual({
        call: `${total}`,
        answer: { total, text: "", variables: { IKIGAI_CALL_ID: `${total}` } },
      });
    }
    service.closeInput();
    expect(await service.exitCode()).toBe(0);
    expect(readFileSync(`${dir}/log`, "utf8")).toBe("open\nclose 3\n");
    expect(service.stderr()).toBe("");
  });

  test("answers overlapping calls as they end, each with its own progress, limit and variables", async () => {
    await using service = await start();
    service.send({ by: 1, act: "pause", text: "first" }, { id: "1", env: { SECRET: "s3cret" } });
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "150" };
    service.send({ by: 2, text: "second ".repeat(100) }, { id: "2", env });
    expect(await service.nextLine()).toBe('{"call":"1","progress":{"progress":1,"message":"first"}}');
    expect(await service.nextLine()).toBe('{"call":"2","progress":{"progress":2,"message":"second second second"}}');
    expect(await nextReply(service)).toMatchObject({
      call: "2",
      answer: { total: 3, truncated: true, variables: { IKIGAI_CALL_ID: "2" } },
    });
    const variables = { IKIGAI_CALL_ID: "1", SECRET: "s3cret" };
    expect(await nextReply(service)).toEqual({ call: "1", answer: { total: 1, text: "first", variables } });
  });

  test("refuses invalid calls and other tools with the text of one call per process, and continues", async () => {
    await using service = await start();
    for (const args of [{}, [1], null]) {
      const { stderr } = await call(bin, JSON.stringify(args));
      service.send(args, { id: 'id "1"' });
      expect(await nextReply(service)).toEqual({ call: 'id "1"', refused: stderr.replace(/\n$/, "") });
    }
    service.send({ by: 1 }, { id: "2", tool: "other" });
    expect(await nextReply(service)).toEqual({ call: "2", refused: 'This service has no tool "other".' });
    service.send({ by: 1 }, { id: "3" });
    expect(await nextReply(service)).toMatchObject({ answer: { total: 1 } });
  });

  test("answers a failure as an error, and continues after a bug in a call, whose stack is the refusal", async () => {
    await using service = await start();
    service.send({ by: 1, act: "fail" }, { id: "1" });
    expect(await nextReply(service)).toEqual({
      call: "1",
      answer: { error: "Nothing there", error_code: "NOT_FOUND" },
    });
    service.send({ by: 1, act: "bug" }, { id: "2" });
    expect(await nextReply(service)).toEqual({
      call: "2",
      refused: expect.stringMatching(/^TypeError: a bug\n +at /),
    });
    await expect.poll(() => service.stderr()).toMatch(/^TypeError: a bug\n +at /);
    service.send({ by: 1 }, { id: "3" });
    expect(await nextReply(service)).toMatchObject({ answer: { total: 3 } });
  });

  test("names a bug outside a call on the last line of stderr, and exits with 1", async () => {
    await using service = await start();
    service.send({ by: 1, act: "bug outside a call" });
    await expect.poll(() => service.exitCode(0)).toBe(1);
    expect(service.stderr()).toMatch(/^Error: lost\nthe thread\n +at .*\nThe service tally stopped: Error: lost\n$/s);
  });

  test("is called by the name of its file, too", async () => {
    await using service = await startServed(bin, { env: { IKIGAI_TOOL_NAME: "renamed" } });
    await service.nextLine();
    await service.nextLine();
    service.send({ by: 1 }, { tool: "renamed" });
    expect(await nextReply(service)).toMatchObject({ answer: { total: 1 } });
  });

  test("reports no start after it is ready", async () => {
    await using service = await start();
    service.send({ by: 1, act: "report start" }, { id: "1" });
    expect(await service.nextLine()).toBe('{"call":"1","progress":{"progress":1,"message":""}}');
    expect(await service.nextLine()).toMatch(/"answer"/);
  });

  test("gives a process of a call the variables of the call", async () => {
    await using service = await start();
    service.send({ by: 1, act: "start" });
    expect(await nextReply(service)).toMatchObject({ answer: { total: 1 } });
    // It finds them by the id of the call.
    expect(service.killLeftovers()).toBe(process.platform === "linux");
  });

  test("reads frames that are long, and those that arrive in pieces", async () => {
    await using service = await start();
    const text = "é\n".repeat(500_000);
    service.send({ by: 1, text });
    expect(await nextReply(service)).toMatchObject({ answer: { text } });
    const frame = Buffer.from(
      `${JSON.stringify({ call: "1", tool: "tally", env: {}, arguments: { by: 1, text: "é" } })}\n`,
    );
    const cut = frame.indexOf("é") + 1;
    for (const piece of [frame.subarray(0, cut), frame.subarray(cut), Buffer.concat([frame, frame.subarray(0, 9)])]) {
      service.write(piece);
      await new Promise((settle) => setTimeout(settle, 20));
    }
    service.write(frame.subarray(9));
    // They run at once: the last may end first.
    const replies = [await nextReply(service), await nextReply(service), await nextReply(service)];
    replies.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
    expect(replies).toMatchObject([2, 3, 4].map((total) => ({ answer: { total, text: "é" } })));
  });

  test.each([
    ["{\n", "Expected a frame on stdin, got a line that is not JSON."],
    ["[]\n", "Expected a frame on stdin, got something other than a JSON object."],
    ['{"cancel":1}\n', 'Expected a frame with "call", "tool", "env" and "arguments" on stdin.'],
    [Buffer.from('{"cancel":"\xe9"}\n', "latin1"), "Expected a frame in UTF-8 on stdin."],
  ])("says why it exits with 1 after the broken frame %j", async (frame, reason) => {
    await using service = await start();
    service.write(frame);
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr()).toBe(`${reason}\n`);
  });

  test("takes a frame for broken that the end of stdin cuts", async () => {
    await using service = await start();
    service.write('{"cancel":"1"}');
    service.closeInput();
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr()).toBe("Expected a frame on stdin, which ended before its newline.\n");
  });
});

describe("a cancelled call", () => {
  test.each([
    ["waits with its signal", { by: 1, act: "wait" }, cancelled],
    ["answers when its signal aborts", { by: 1, act: "answer when cancelled" }, { total: 1 }],
    ["never reads its signal", { by: 1, act: "pause" }, cancelled],
  ])("that %s is answered, and others continue", async (_, args, answer) => {
    await using service = await start();
    const first = service.send(args);
    expect(await service.nextLine()).toContain("progress");
    service.cancel(first);
    const second = service.send({ by: 1, act: "pause" });
    expect(await nextReply(service)).toMatchObject({ call: first, answer });
    expect(await nextReply(service)).toMatchObject({ call: second, answer: { total: 2 } });
    service.cancel(first);
    const third = service.send({ by: 1 });
    expect(await nextReply(service)).toMatchObject({ call: third, answer: { total: 3 } });
  });

  test("that has not begun does nothing", async () => {
    await using service = await start();
    const frame = { call: "1", tool: "tally", env: {}, arguments: { by: 5 } };
    service.write(`${JSON.stringify(frame)}\n{"cancel":"1"}\n`);
    expect(await nextReply(service)).toEqual({ call: "1", answer: cancelled });
    service.send({ by: 1 });
    expect(await nextReply(service)).toMatchObject({ answer: { total: 1 } });
  });
});

describe("the start of a service", () => {
  test.each([{ OPEN: "fails" }])("that fails is the answer, as with one call per process", async (env) => {
    const { stdout } = await call(bin, { by: 1 }, { env });
    expect(JSON.parse(stdout)).toEqual({
      error: "No key",
      error_code: "MISSING_CREDENTIALS",
      help: { steps: ["Get one"] },
    });
    await using service = await startServed(bin, { env });
    expect(await service.nextLine()).toBe(starting);
    expect(`${await service.nextLine()}`).toBe(stdout.trimEnd());
    expect(await service.nextLine()).toBeUndefined();
    expect(await service.exitCode()).toBe(0);
  });

  test("that has a bug ends the process with 1 and the reason on stderr", async () => {
    await using service = await startServed(bin, { env: { OPEN: "has a bug" } });
    expect(await service.nextLine()).toBe(starting);
    expect(await service.nextLine()).toBeUndefined();
    expect(await service.exitCode()).toBe(1);
    expect(service.stderr()).toMatch(/^TypeError: a bug\n.*\nThe service tally stopped: TypeError: a bug\n$/s);
  });

  test.each(["hangs", "can be aborted"])("that %s ends with stdin", async (OPEN) => {
    await using service = await startServed(bin, { env: { OPEN } });
    expect(await service.nextLine()).toBe(starting);
    service.closeInput();
    expect(await service.exitCode()).toBe(0);
    expect(service.stderr()).toBe("");
  });
});

describe("the end of a service", () => {
  test("on SIGTERM cancels its calls and closes its state", async () => {
    const dir = await tempDir();
    await using service = await start({ LOG: `${dir}/log` });
    const id = service.send({ by: 5, act: "wait" });
    expect(await service.nextLine()).toContain("progress");
    process.kill(service.pid, "SIGTERM");
    expect(await nextReply(service)).toEqual({ call: id, answer: cancelled });
    expect(await service.exitCode()).toBe(0);
    expect(readFileSync(`${dir}/log`, "utf8")).toBe("open\nclose 5\n");
  });

  test.each([
    ["hangs", ""],
    ["has a bug", expect.stringMatching(/^Cannot close tally: TypeError: a bug\n/)],
  ])("comes even if its close %s", async (CLOSE, stderr) => {
    await using service = await start({ CLOSE });
    service.closeInput();
    expect(await service.exitCode()).toBe(0);
    expect(service.stderr()).toEqual(stderr);
  });
});

describe("one call per process", () => {
  test("opens the state, answers and closes it", async () => {
    const dir = await tempDir();
    const end = await call(bin, { by: 4 }, { env: { LOG: `${dir}/log`, IKIGAI_CALL_ID: "c" } });
    expect(end).toEqual({ exitCode: 0, result: { total: 4, text: "", variables: { IKIGAI_CALL_ID: "c" } } });
    expect(readFileSync(`${dir}/log`, "utf8")).toBe("open\nclose 4\n");
  });

  test("does not open the state for an invalid call", async () => {
    const dir = await tempDir({ log: "" });
    expect(await call(bin, { by: "x" }, { env: { LOG: `${dir}/log` } })).toMatchObject({
      result: { error_code: "INVALID_PARAMS" },
    });
    expect(readFileSync(`${dir}/log`, "utf8")).toBe("");
  });

  test("closes the state after a failure and a bug", async () => {
    for (const [act, exitCode] of [
      ["fail", 0],
      ["bug", 1],
    ] as const) {
      const dir = await tempDir();
      expect(await call(bin, { by: 1, act }, { env: { LOG: `${dir}/log` } })).toMatchObject({ exitCode });
      expect(readFileSync(`${dir}/log`, "utf8")).toBe("open\nclose 1\n");
    }
  });

  test("answers even if the state cannot be closed", async () => {
    const end = await call(bin, { by: 1 }, { env: { CLOSE: "has a bug" } });
    expect(end).toMatchObject({ exitCode: 0, result: { total: 1 } });
    expect(end.stderr).toMatch(/^Cannot close tally: TypeError: a bug\n/);
  });

  test("ends by SIGTERM, which aborts the signal, after it has closed the state", async () => {
    const dir = await tempDir();
    const options = { env: { LOG: `${dir}/log` }, timeoutMs: 1_500 };
    expect(await call(bin, { by: 1, act: "wait" }, options)).toMatchObject({ exitCode: 143, timedOut: true });
    expect(readFileSync(`${dir}/log`, "utf8")).toBe("open\nclose 1\n");
  });
});
