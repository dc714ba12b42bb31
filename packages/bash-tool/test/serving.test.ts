import { isRunning, type ServedProcess, startServed } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { bin } from "./run.ts";

const ready = '{"ready":true}';

async function start(): Promise<ServedProcess> {
  const tool = await startServed(bin);
  expect(await tool.nextLine()).toBe(ready);
  return tool;
}

/** Runs a command and waits until the tool is ready again. */
async function run(tool: ServedProcess, args: object, env: Record<string, string> = {}) {
  const line = await tool.call(args, { env });
  expect(await tool.nextLine(), tool.stderr()).toBe(ready);
  return JSON.parse(line ?? "").answer;
}

describe("many commands in one process", () => {
  test("get their own pipe, variables and limit", async () => {
    await using tool = await start();
    for (let count = 0; count < 5; count++) {
      const command = `[ -p /dev/stdout ] && echo out${count} > /dev/stdout; echo err > /dev/stderr; echo $SECRET; exit ${count}`;
      const env: Record<string, string> = count === 2 ? { SECRET: "s3cret" } : {};
      const output = `out${count}\nerr\n${env.SECRET ?? ""}`;
      expect(await run(tool, { command }, env)).toEqual({
        output,
        exit_code: count,
      });
    }
    expect(await run(tool, { command: "seq 1000" }, { IKIGAI_MAX_OUTPUT_BYTES: "200" })).toMatchObject({
      truncated: true,
    });
    expect((await run(tool, { command: "seq 1000" })).output).toHaveLength(3_892);
  });

  test("do not see that they are served", async () => {
    await using tool = await start();
    expect(
      await run(tool, { command: "echo unset$IKIGAI_SERVE $IKIGAI_CALL_ID" }, { IKIGAI_CALL_ID: "c7" }),
    ).toMatchObject({
      output: "unset c7",
    });
  });

  test("report on descriptor 3 in every call", async () => {
    await using tool = await start();
    for (const word of ["one", "two", "three"]) {
      // Longer than the interval of the reports.
      await run(tool, { command: `echo ${word}; sleep 0.5` });
      await expect.poll(() => tool.progress()).toContain(`"${word}\\n"`);
    }
  });

  test("are served after one that is slow, floods, or leaves processes in its group", async () => {
    await using tool = await start();
    expect(await run(tool, { command: "echo a; sleep 0.3; echo b" })).toMatchObject({ output: "a\nb" });
    expect(
      await run(tool, { command: "head -c 3000000 /dev/zero | tr '\\0' x" }, { IKIGAI_MAX_OUTPUT_BYTES: "100" }),
    ).toMatchObject({ truncated: true });
    expect(await run(tool, { command: "sleep 100 & echo $!" })).toMatchObject({
      output: expect.stringMatching(/^\d+$/),
    });
    const { output: pid } = await run(tool, { command: "sh -c 'sleep 100 & echo $!'; kill -9 $$" });
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
    expect(await run(tool, { command: "echo last" })).toEqual({ output: "last", exit_code: 0 });
  });

  test("get another pipe as long as a process of an earlier one holds theirs", async () => {
    await using tool = await start();
    // Left in a session of its own, where only the host finds it.
    const { output: pid } = await run(tool, { command: "setsid sh -c 'sleep 100' & echo $!" });
    const line = await tool.call({ command: "echo next" });
    expect(line).toContain('"answer":{"output":"next","exit_code":0}');
    expect(tool.killLeftovers()).toBe(true);
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  test("end with one in the background, which continues", async () => {
    await using tool = await start();
    const { answer } = JSON.parse((await tool.call({ command: "exec sleep 100", background: true })) ?? "");
    expect(await tool.nextLine()).toBeUndefined();
    expect(await tool.exitCode()).toBe(0);
    expect(tool.stderr()).toBe("Stopped serving calls: a child process is still running.\n");
    expect(isRunning(answer.pid)).toBe(true);
    process.kill(answer.pid, "SIGKILL");
  });
});

test("SIGTERM during a command: answers with what it printed, and exits", async () => {
  await using tool = await start();
  const answer = tool.call({ command: "echo started; echo $$ >&2; exec sleep 100" });
  await expect.poll(() => tool.progress()).toContain("started");
  process.kill(tool.pid, "SIGTERM");
  expect(await answer).toMatch(/"output":"started\\n\d+","exit_code":143\}\}$/);
  expect(await tool.nextLine()).toBeUndefined();
  expect(await tool.exitCode()).toBe(0);
});

test("SIGTERM ends it between two commands", async () => {
  await using tool = await start();
  await run(tool, { command: "sleep 0.05" });
  process.kill(tool.pid, "SIGTERM");
  expect(await tool.exitCode()).toBe(143);
});
