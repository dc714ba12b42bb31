import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { recordTypedCall } from "../src/internal.ts";
import { backgroundJobs, endJob, nextJobNumber } from "../src/jobs/background-jobs.ts";
import { type Agent, agent } from "./agent-setup.ts";

/** A process with its own process group that ends with the test. */
async function started(script: string): Promise<number> {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // It has already ended.
    }
  });
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

function record({ conversation: { log } }: Agent, id: string, command: string, result: unknown): void {
  log.append({ type: "tool_call", id, name: "bash", arguments: JSON.stringify({ command, background: true }) });
  log.append({
    type: "tool_result",
    id,
    name: "bash",
    json: JSON.stringify({ tool_success: true, result }),
    durationMs: 1,
  });
}

test("names a command that the user typed", async () => {
  const { conversation } = await agent({});
  const pid = await started("echo; sleep 60");
  const json = JSON.stringify({ tool_success: true, result: { output: "", pid, log: "/tmp/a.log" } });
  const typed = { name: "bash", arguments: JSON.stringify({ command: "sleep 60", background: true }) };
  recordTypedCall(conversation, typed, "typed-1", { json, durationMs: 1 });
  expect(backgroundJobs(conversation)).toMatchObject([{ pid, command: "sleep 60", isRunning: true }]);
});

test("a rewind forgets no command that runs", async () => {
  const one = await agent({});
  one.conversation.log.append({ type: "user", text: "go" });
  record(one, "c1", "sleep 60", { output: "", exit_code: 0, pid: await started("echo; sleep 60"), log: "/tmp/a.log" });
  one.conversation.log.append({ type: "rewind", to: 1 });
  expect(backgroundJobs(one.conversation)).toMatchObject([{ command: "sleep 60", isRunning: true }]);
});

test("reports running and ended background commands", async () => {
  const one = await agent({});
  const pid = await started("echo; sleep 60");
  const gone = await started("echo");
  record(one, "c1", "npm run dev", { output: "", exit_code: 0, pid, log: "/tmp/a.log" });
  record(one, "c2", "true", { output: "", exit_code: 0, pid: gone, log: "/tmp/b.log" });
  record(one, "c3", "ls", { output: "pid", exit_code: 0 });
  record(one, "c4", "evil", { pid: 1, log: "/tmp/c.log" });
  await expect
    .poll(() => backgroundJobs(one.conversation).map(({ command, isRunning }) => [command, isRunning]))
    .toEqual([
      ["npm run dev", true],
      ["true", false],
    ]);
});

test.each([{ sandbox: { network: false } }, { launched: true }])("believes no process ID from %o", async (place) => {
  const one = await agent({});
  const pid = await started("echo; sleep 60");
  const start = { path: "/tools/bash", scope: "system", cwd: "/", env: {} } as const;
  one.conversation.log.append({ type: "tool_start", id: "c1", ...start, ...place });
  record(one, "c1", "evil", { output: "", job: 1, pid, log: "/tmp/a.log" });
  expect(backgroundJobs(one.conversation)).toMatchObject([{ pid, isRunning: false }]);
});

test.each(["echo; sleep 60", "trap '' TERM; echo; while :; do sleep 0.1; done"])("ends %j", async (script) => {
  const one = await agent({});
  const pid = await started(script);
  record(one, "c1", script, { output: "", exit_code: 0, pid, log: "/tmp/a.log" });
  const [job] = backgroundJobs(one.conversation);
  expect(job && (await endJob(job))).toBe(true);
  expect(backgroundJobs(one.conversation)[0]?.isRunning).toBe(false);
});

test("numbers jobs on from the last one of the session", async () => {
  const one = await agent({});
  expect(nextJobNumber(one.conversation)).toBe(1);
  record(one, "c1", "server", { output: "", job: 3, pid: await started("echo"), log: "/tmp/a.log" });
  expect([backgroundJobs(one.conversation)[0]?.number, nextJobNumber(one.conversation)]).toEqual([3, 4]);
});

test("leaves alone a process that has reused the process ID", async () => {
  const one = await agent({});
  const pid = await started("echo; sleep 60");
  const startedAt = new Date(Date.now() - 3_600_000);
  expect(await endJob({ pid, command: "", log: "", startedAt, isRunning: true, isInSandbox: false })).toBe(true);
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(backgroundJobs(one.conversation)).toEqual([]);
});
