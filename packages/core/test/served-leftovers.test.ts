import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findTool } from "../src/index.ts";
import { isLinux, servingStage, untilGone } from "./serving-tool.ts";
import { schema, world } from "./world.ts";

const onLinux = test.runIf(isLinux);
const note = "It left processes running; they were killed.";

onLinux.each(["group", "session", "double-fork", "no-environment"])(
  "kills what a call left running, and replaces the process: %s",
  async (mode) => {
    const { call, answer } = await servingStage();
    const { pid } = await answer();
    const { envelope, notes } = await call({ mode });
    const left = envelope.tool_success ? envelope.result.left : undefined;
    expect(notes).toEqual([note]);
    expect(isRunning(Number(left))).toBe(false);
    await untilGone(pid);
    expect(await answer()).toMatchObject({ calls: 1 });
  },
);

onLinux("leaves a process alone that the call gave no id", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const { envelope, notes } = await call({ mode: "background" });
  const left = Number(envelope.tool_success && envelope.result.left);
  try {
    expect(notes).toEqual([]);
    expect(await answer()).toMatchObject({ pid, calls: 3 });
    await sleep(100);
    expect(isRunning(left)).toBe(true);
  } finally {
    process.kill(left, "SIGKILL");
  }
});

onLinux("lets a tool end its own processes before it is ready", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const { notes } = await call({ mode: "passing" });
  expect(notes).toEqual([]);
  expect(await answer()).toMatchObject({ pid, calls: 3 });
});

onLinux("does not take the processes of a call that is still running for leftovers", async () => {
  const { answer, call } = await servingStage();
  await Promise.all([answer({ wait_ms: 200 }), answer({ wait_ms: 200 })]);
  const long = answer({ mode: "group", wait_ms: 400 });
  for (let time = 0; time < 20; time++) expect((await call({ wait_ms: 20 })).notes).toEqual([]);
  await untilGone((await long).left);
});

/** A served tool that forks without `exec`: the fork has the tool's environment, and no call's id. */
const forking = `#!/usr/bin/env python3
import json, os, sys, time
if sys.argv[1:] == ["--schema"]:
    print('${schema("fork", { ikigai: { serves: true } })}')
    sys.exit()
say = lambda value: print(json.dumps(value), flush=True)
say({"ready": True})
for line in sys.stdin:
    call = json.loads(line)
    read, write = os.pipe()
    if call["arguments"].get("fork") and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            os.close(0), os.close(1)
            time.sleep(100)
        os._exit(0)
    pid = int(os.read(read, 20)) if call["arguments"].get("fork") else 0
    say({"answer": {"pid": os.getpid(), "left": pid}, "call": call["call"]})
    say({"ready": True})
`;

const hasPython = isLinux && (await import("node:child_process")).spawnSync("python3", ["-c", ""]).status === 0;

test.runIf(hasPython)("kills a fork that left its group without exec", async () => {
  const { discover } = await world({ "system/fork-tool": forking });
  const { call, answer } = await servingStage({}, findTool(await discover(), "fork"));
  const { pid } = await answer();
  const { envelope, notes } = await call({ fork: true });
  const left = envelope.tool_success ? envelope.result.left : undefined;
  expect(notes).toEqual([note]);
  await untilGone(left);
  await untilGone(pid);
});

/** Forks without `exec` before it is ready, and answers how the fork ended. */
const warming = `#!/usr/bin/env python3
import json, os, sys, time
if sys.argv[1:] == ["--schema"]:
    print('${schema("warm", { ikigai: { serves: true } })}')
    sys.exit()
fork = os.fork()
if fork == 0:
    os.setsid()
    os.close(0), os.close(1)
    time.sleep(0.7)
    os._exit(7)
status = os.waitpid(fork, 0)[1]
say = lambda value: print(json.dumps(value), flush=True)
say({"ready": True})
for line in sys.stdin:
    say({"answer": {"status": os.waitstatus_to_exitcode(status)}, "call": json.loads(line)["call"]})
    say({"ready": True})
`;

test.runIf(hasPython)("does not take a fork of a process that is still starting for a leftover", async () => {
  const { discover } = await world({ "system/warm-tool": warming });
  const stage = await servingStage({}, findTool(await discover(), "warm"));
  const other = await servingStage();
  await other.answer();
  const ends = stage.answer();
  const notes = [];
  for (let time = 0; time < 20; time++) notes.push(...(await other.call({ wait_ms: 20 })).notes);
  expect(notes).toEqual([]);
  expect(await ends).toEqual({ status: 7 });
});
