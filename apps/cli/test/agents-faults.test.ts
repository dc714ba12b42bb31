// Promise 10 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep, resultOf } from "./agents-world.ts";
import { bin, until } from "./ikigai.ts";

/** A command that says who runs it, and would run for a minute. */
const sleeping = 'echo "$$ $PPID" > pids.part; mv pids.part pids; sleep 60';

const allowed = ["--allow", "agent", "--allow", "bash"];

/** The command of an agent and the programs above it, up to the test's. */
async function pidsIn(cwd: string): Promise<number[]> {
  const path = join(cwd, "pids");
  await until(() => existsSync(path), "the agent's command");
  const [command = 0, tool = 0] = readFileSync(path, "utf8").trim().split(" ").map(Number);
  const pids = [command, tool];
  // The agent, and the tool that started it.
  while (pids.length < 4) pids.push(parentOf(pids.at(-1) ?? 0));
  return pids;
}

function parentOf(pid: number): number {
  return Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGKILL", 137],
] as const)("%s to the parent leaves no process of an agent", async (signal, code) => {
  const world = await agentsWorld({ PARENT: [agentStep("CHILD")], CHILD: [bashStep(sleeping)] });
  let pids: number[] = [];
  const { exitCode } = await world.run("PARENT", allowed, {
    async whileRunning({ kill }) {
      pids = await pidsIn(world.cwd);
      kill(signal);
    },
  });
  expect(exitCode).toBe(code);
  await until(() => !pids.some(isRunning), "the end of all processes", 10_000);
});

test("a killed agent is an error for its parent, and its command ends", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "It was killed." }],
    CHILD: [bashStep(sleeping)],
  });
  const { report, exitCode } = await world.run("PARENT", allowed, {
    async whileRunning() {
      const [command = 0, , agent = 0] = await pidsIn(world.cwd);
      process.kill(agent, "SIGKILL");
      await until(() => !isRunning(command), "the end of the command", 10_000);
    },
  });
  expect({ exitCode, result: report.result }).toEqual({ exitCode: 0, result: "It was killed." });
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({
    error: "The agent was killed (SIGKILL)",
    error_code: "AGENT_FAILED",
    session_id: expect.any(String),
  });
});

test("an agent stops when its share of the tokens is spent, and a session when all of them are", async () => {
  const endless = Array.from({ length: 20 }, (_, index) => bashStep(`echo ${index}`));
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD one"), agentStep("CHILD two"), { text: "Done." }],
      CHILD: endless,
    },
    // A request of the model takes 110 tokens.
    { "home/.ikigai/config.json": '{ "agents": { "maxTokens": 300 } }' },
  );
  const { report } = await world.run("PARENT", allowed);
  const [first, second] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(first).toMatchObject({ error_code: "BUDGET_SPENT", turns: 3, calls: 3 });
  expect(second).toEqual({ error: expect.any(String), error_code: "BUDGET_SPENT", hint: expect.any(String) });
  expect(world.requestsOf("CHILD two")).toEqual([]);
});

test.each([
  [220, 0],
  [221, 1],
])("with %i tokens, of which one agent takes 220, the next makes %i requests", async (maxTokens, requests) => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD one"), agentStep("CHILD two"), { text: "Done." }],
      CHILD: [bashStep("true"), { text: "Done." }],
    },
    { "home/.ikigai/config.json": `{ "agents": { "maxTokens": ${maxTokens} } }` },
  );
  const { report } = await world.run("PARENT", allowed);
  const [first, second] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(first).toMatchObject({ output: "Done." });
  expect(second).toMatchObject({ error_code: "BUDGET_SPENT" });
  expect(world.requestsOf("CHILD two")).toHaveLength(requests);
});

test("of 40 agents at once four run at a time, and as many in all as are configured", async () => {
  const calls = Array.from({ length: 40 }, (_, index) => ({ name: "agent", arguments: { task: `CHILD ${index}` } }));
  const world = await agentsWorld(
    {
      PARENT: [{ calls }, { text: "Done." }],
      // Notes how many are running, and stays long enough for the others to start.
      CHILD: [bashStep("mkdir -p r; touch r/$$; ls r | wc -l >> counts; sleep 0.4; rm r/$$"), { text: "Done." }],
    },
    { "home/.ikigai/config.json": '{ "agents": { "maxStarted": 8 } }' },
  );
  const { report } = await world.run("PARENT", allowed);
  const codes = report.tool_calls.map(({ envelope: { error_code: code } }) => code ?? "done");
  expect(codes.filter((code) => code === "done")).toHaveLength(8);
  expect(codes.filter((code) => code === "TOOL_DENIED")).toHaveLength(32);
  expect(report.tool_calls.at(-1)?.envelope.error).toContain("has started 8 agents");
  const counts = readFileSync(join(world.cwd, "counts"), "utf8").trim().split("\n").map(Number);
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  expect(Math.max(...counts)).toBeGreaterThan(1);
  expect(world.sessions()).toHaveLength(9);
});

test.each([
  [1, 1],
  [3, 3],
])("with agents.maxDepth %i, agents that all start another one go %i levels deep", async (maxDepth, deepest) => {
  const again = { calls: [{ name: "agent", arguments: { task: "TASK again" } }] };
  const world = await agentsWorld(
    { TASK: [again, { text: "Done." }] },
    { "home/.ikigai/config.json": `{ "agents": { "maxDepth": ${maxDepth} } }` },
  );
  const { exitCode } = await world.run("TASK", allowed);
  expect(exitCode).toBe(0);
  expect(world.sessions()).toHaveLength(deepest + 1);
});

test("twenty levels of agents are not even configured", async () => {
  const world = await agentsWorld({ TASK: [] }, { "home/.ikigai/config.json": '{ "agents": { "maxDepth": 20 } }' });
  const { exitCode, stderr } = await world.run("TASK", allowed);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("agents.maxDepth");
  expect(world.requests).toEqual([]);
});

/** A tool of the user's that gives its own task to another ikigai. */
const again = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"again","description":"x","parameters":{"type":"object","properties":{}}}'; exit; fi
cat > /dev/null
echo "level $IKIGAI_DEPTH" >> levels
"${process.execPath}" "${bin}" -p 'TASK again' --model openai-compatible/m --allow again > out$IKIGAI_DEPTH 2>&1
echo '{"output":"Started."}'
`;

test("of twenty levels that a tool starts without a grant, eight run below the first one", async () => {
  const world = await agentsWorld(
    { TASK: [{ calls: [{ name: "again", arguments: {} }] }] },
    { "home/.ikigai/tools/again-tool": { content: again, mode: 0o755 } },
  );
  const { exitCode } = await world.run("TASK", ["--allow", "again"]);
  expect(exitCode).toBe(0);
  const levels = readFileSync(join(world.cwd, "levels"), "utf8").trim().split("\n");
  expect(levels).toEqual(Array.from({ length: 9 }, (_, index) => `level ${index + 1}`));
  expect(readFileSync(join(world.cwd, "out9"), "utf8")).toContain("at most 8 are allowed");
  expect(world.requests.filter(({ messages }) => messages.length === 2)).toHaveLength(9);
});

test("two agents edit one file, and no edit is lost", async () => {
  const edit = (old_string: string, new_string: string) => ({
    calls: [{ name: "file_edit", arguments: { file_path: "list.txt", old_string, new_string } }],
  });
  const read = { calls: [{ name: "file_read", arguments: { file_path: "list.txt" } }] };
  const world = await agentsWorld(
    {
      PARENT: [{ calls: ["ONE", "TWO"].map((task) => ({ name: "agent", arguments: { task } })) }, { text: "Done." }],
      ONE: [read, edit("first", "1st"), { text: "Done." }],
      TWO: [read, edit("second", "2nd"), read, edit("second", "2nd"), { text: "Done." }],
    },
    { "project/list.txt": "first\nsecond\n" },
  );
  await world.run("PARENT", ["--allow", "agent", "--permission-mode", "edits"]);
  expect(readFileSync(join(world.cwd, "list.txt"), "utf8")).toBe("1st\n2nd\n");
});

test("a call that would ask is denied to an agent, and its parent knows how to allow it", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }],
    CHILD: [bashStep("touch made"), { text: "I was not allowed." }],
  });
  const { report } = await world.run("PARENT", ["--allow", "agent"]);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({
    output: "I was not allowed.",
    denied: [expect.stringContaining("--allow 'bash(touch made)'")],
  });
});

/** Whether this machine lets a test mount a small disk. */
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test.skipIf(!canMount)("on a full disk no agent is started, and the conversation continues", async () => {
  const world = await agentsWorld({ PARENT: [agentStep("CHILD"), { text: "Alone, then." }] });
  // The home directory is on a disk that is full.
  const small =
    'mount -t tmpfs -o size=64k tmpfs "$HOME" && head -c 90000 /dev/zero > "$HOME/fill" 2> /dev/null; exec "$@"';
  const { report, exitCode } = await world.run("PARENT", allowed, {
    launcher: ["unshare", "-rm", "sh", "-c", small, "sh"],
  });
  expect({ exitCode, result: report.result }).toEqual({ exitCode: 0, result: "Alone, then." });
  expect(report.tool_calls[0]?.envelope).toMatchObject({
    error: expect.stringMatching(/^No agent was started.* the disk is full\.$/),
    error_code: "TOOL_DENIED",
  });
  expect(world.requestsOf("CHILD")).toEqual([]);
});

test("--replay of a parent starts no agent", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "It says hello." }],
    CHILD: [{ text: "Hello." }],
  });
  const { report } = await world.run("PARENT", ["--allow", "agent"]);
  const again = await world.run("PARENT", ["--replay", report.session_id]);
  expect(again.report.tool_calls).toEqual(report.tool_calls);
  expect(world.requestsOf("CHILD")).toHaveLength(1);
  expect(world.sessions().filter(({ parent }) => parent)).toHaveLength(1);
});

test("an agent's session is not the last one of its directory, but can be resumed", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }, { text: "Still the parent." }],
    CHILD: [{ text: "Hello." }, { text: "Still the agent." }],
  });
  const { report } = await world.run("PARENT", ["--allow", "agent"]);
  const last = await world.run("and now?", ["--continue"]);
  expect(last.report).toMatchObject({ session_id: report.session_id, result: "Still the parent." });
  const id = resultOf(report).session_id;
  const agent = await world.run("and you?", ["--resume", id]);
  expect(agent.report).toMatchObject({ session_id: id, result: "Still the agent." });
});
