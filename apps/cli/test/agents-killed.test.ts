// @module-tag sampled
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep, type Scripts } from "./agents-world.ts";
import { until } from "./ikigai.ts";
import type { SentRequest, Step } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const allowed = ["--allow", "agent", "--allow", "bash"];

type World = Awaited<ReturnType<typeof agentsWorld>>;

/** The processes that run an agent of this world, not the tools that have started them. */
function agentPids({ root }: World): number[] {
  const isAgent = (pid: string) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1");
      const words = readFileSync(`/proc/${pid}/cmdline`, "latin1");
      return variables.includes(`HOME=${root}/`) && words.includes("\0--print\0") && words.includes("stream-json");
    } catch {
      return false;
    }
  };
  const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isAgent(name));
  // A program that it is starting is a copy of it for a moment.
  return found.filter((pid) => !found.includes(parentOf(pid))).map(Number);
}

function parentOf(pid: string): string {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
  } catch {
    return "";
  }
}

async function agentPid(world: World): Promise<number> {
  await until(() => agentPids(world).length > 0, "the agent");
  return agentPids(world)[0] ?? 0;
}

/** What is killed, and when. */
const stages: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  "before it says anything": agentPid,
  "in a request to its model": ({ requestsOf }) => until(() => requestsOf("CHILD").length > 0, "the request"),
  "in the text of its model": async ({ requestsOf, home }) => {
    await until(() => requestsOf("CHILD").length > 0, "the request");
    await until(() => agentLog(home).includes("CHILD"), "its task in the log");
  },
};

const scripts: Readonly<Record<string, Step>> = {
  "before it says anything": { text: "Hello." },
  "in a request to its model": { waitMs: 60_000 },
  "in the text of its model": { text: "I have begun.", hangs: true },
};

function agentLog(home: string): string {
  const directory = join(home, "sessions");
  const texts = readdirSync(directory).flatMap((name) =>
    name.endsWith(".jsonl") ? readFileSync(join(directory, name), "utf8") : [],
  );
  return texts.find((text) => text.includes('"parent":')) ?? "";
}

test.each(Object.keys(stages))("an agent that is killed %s is an error, and keeps no place", async (stage) => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), agentStep("NEXT"), { text: "Done." }],
    CHILD: [scripts[stage] ?? {}],
    NEXT: [{ text: "Here." }],
  });
  const { report, exitCode } = await world.run("PARENT", allowed, {
    async whileRunning() {
      await stages[stage]?.(world);
      process.kill(await agentPid(world), "SIGKILL");
    },
  });
  expect({ exitCode, result: report.result }).toEqual({ exitCode: 0, result: "Done." });
  const [killed, next] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(killed).toMatchObject({ error: "The agent was killed (SIGKILL)", error_code: "AGENT_FAILED" });
  expect(next).toMatchObject({ output: "Here." });
  expect(agentPids(world)).toEqual([]);
});

test.each([
  ["the question about its call", bashStep("touch made"), "Run it?", []],
  ["a question of its tool", { calls: [{ name: "ask_user", arguments: { question: "Which?" } }] }, "gives none", []],
] as const)("an agent that is killed at %s takes the question with it", async (_what, step, shown, args) => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Alone, then." }, { text: "And I hear you." }],
    CHILD: [step, { text: "Tried." }],
  });
  const terminal = await openTerminal(["--allow", "agent", "--model", "openai-compatible/m", ...args], {
    cwd: world.cwd,
    env: world.env,
  });
  await terminal.waitForPrompt();
  terminal.type("PARENT\r");
  await terminal.waitFor(shown);
  process.kill(await agentPid(world), "SIGKILL");
  await terminal.waitFor("Alone, then.");
  await terminal.waitForPrompt();
  expect(existsSync(join(world.cwd, "made"))).toBe(false);
  // Keys are no answer any more.
  terminal.type("y\r");
  await terminal.waitFor("And I hear you.");
  expect(existsSync(join(world.cwd, "made"))).toBe(false);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "after %s to the parent the next one starts agents at once",
  async (signal) => {
    const calls = ["1", "2", "3", "4"].map((n) => ({ name: "agent", arguments: { task: `CHILD ${n}` } }));
    const world = await agentsWorld({
      PARENT: [{ calls }, agentStep("NEXT"), { text: "Done." }],
      CHILD: [bashStep("touch started$$; sleep 60")],
      NEXT: [{ text: "Here." }],
    });
    await world.run("PARENT", allowed, {
      async whileRunning({ kill }) {
        await until(() => readdirSync(world.cwd).length === 4, "the agents' commands");
        kill(signal);
      },
    });
    await until(() => agentPids(world).length === 0, "the end of the agents", 10_000);
    const { report, exitCode } = await world.run("go on", [...allowed, "--continue"]);
    expect(exitCode).toBe(0);
    expect(report.tool_calls.at(-1)?.envelope.result).toMatchObject({ output: "Here." });
  },
);

/** A step about the first agent that the conversation has started. */
const about =
  (more: object) =>
  ({ messages }: SentRequest): Step => {
    const id = /\\?"session_id\\?":\s*\\?"([\w-]+)/.exec(JSON.stringify(messages))?.[1] ?? "";
    return { calls: [{ name: "agent", arguments: { session_id: id, ...more } }] };
  };

test("a session that was killed finds its agent again: lists it, sends to it, ends it, and waits for it", async () => {
  const world = await agentsWorld({
    PARENT: [
      agentStep("CHILD", { background: true }),
      bashStep("sleep 60"),
      { calls: [{ name: "agent", arguments: { action: "list" } }] },
      about({ action: "send", message: "The word is plum." }),
      bashStep("touch go; until [ -e heard ]; do sleep 0.05; done"),
      about({ action: "kill" }),
      { calls: [{ name: "agent", arguments: { action: "list" } }] },
      about({ action: "wait" }),
      { text: "Done." },
    ],
    CHILD: [
      bashStep("touch started; until [ -e go ]; do sleep 0.05; done"),
      ({ messages }) => bashStep(JSON.stringify(messages).includes("plum") ? "touch heard; sleep 60" : "sleep 60"),
    ],
  });
  await world.run("PARENT", allowed, {
    async whileRunning({ kill }) {
      await until(() => existsSync(join(world.cwd, "started")), "the agent's command");
      kill("SIGKILL");
    },
  });
  const { report } = await world.run("go on", [...allowed, "--continue"]);
  const [before, sent, , killed, after, waited] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(before?.agents).toMatchObject([{ task: "CHILD", state: "running" }]);
  expect(sent).toMatchObject({ output: "The agent gets the message before its next request" });
  expect(killed).toMatchObject({ output: "The agent has ended" });
  expect(after?.agents).toMatchObject([{ task: "CHILD", state: "ended" }]);
  expect(waited).toMatchObject({ error_code: "AGENT_FAILED" });
  expect(agentPids(world)).toEqual([]);
});

test("an agent in the background that is killed is not running any more, and its place is free", async () => {
  const background = { background: true };
  const four = [1, 2, 3, 4].map((n) => ({ name: "agent", arguments: { task: `CHILD ${n}`, ...background } }));
  const world = await agentsWorld({
    PARENT: [
      { calls: four },
      bashStep("touch started; until [ -e killed ]; do sleep 0.05; done"),
      about({ action: "wait" }),
      about({ action: "send", message: "Hello?" }),
      about({ action: "kill" }),
      agentStep("NEXT", background),
      { text: "Done." },
    ],
    CHILD: [{ text: "I have begun.", hangs: true }],
    NEXT: [{ text: "Here." }],
  });
  const { report } = await world.run("PARENT", allowed, {
    async whileRunning() {
      await until(() => existsSync(join(world.cwd, "started")), "the agents");
      const pids = agentPids(world);
      expect(pids).toHaveLength(4);
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await until(() => !pids.some(isRunning), "their end");
      writeFileSync(join(world.cwd, "killed"), "");
    },
  });
  const [, , , , , waited, sent, killed, next] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(waited).toMatchObject({ error: "The agent was killed", error_code: "AGENT_FAILED" });
  expect(sent).toMatchObject({ error_code: "NOT_SENT" });
  expect(killed).toMatchObject({ output: "The agent has ended" });
  expect(next).toMatchObject({ session_id: expect.any(String) });
});

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/** What stops a log from growing: that of the agent, of the parent, or of both. */
const limitedLogs: readonly (readonly [string, (agent: number, parent: number) => readonly number[]])[] = [
  ["agent's", (agent) => [agent]],
  ["parent's", (_agent, parent) => [parent]],
  ["parent's and the agent's", (agent, parent) => [agent, parent]],
];

test.skipIf(!hasPrlimit).each(limitedLogs)(
  "when the %s log cannot grow any more, both go on to their ends (needs prlimit)",
  async (_whose, limited) => {
    const script: Scripts = {
      PARENT: [agentStep("CHILD"), agentStep("NEXT"), { text: "Done." }],
      CHILD: [bashStep("touch started; until [ -e go ]; do sleep 0.05; done"), { text: "Still here." }],
      NEXT: [{ text: "Here." }],
    };
    const world = await agentsWorld(script);
    const { report, exitCode, stderr } = await world.run("PARENT", allowed, {
      async whileRunning({ pid }) {
        await until(() => existsSync(join(world.cwd, "started")), "the agent's command");
        for (const each of limited(await agentPid(world), pid)) {
          expect(spawnSync("prlimit", ["--pid", String(each), "--fsize=1:1"]).status).toBe(0);
        }
        writeFileSync(join(world.cwd, "go"), "");
      },
    });
    expect({ exitCode, result: report.result }).toEqual({ exitCode: 0, result: "Done." });
    const [first, next] = report.tool_calls.map(({ envelope }) => envelope.result ?? envelope);
    expect(first).toMatchObject({ output: "Still here." });
    const isParent = limited(1, 2).includes(2);
    // A session that cannot be recorded starts no more agents, which no one would count.
    expect(next).toMatchObject(isParent ? { error_code: "TOOL_DENIED" } : { output: "Here." });
    if (isParent) expect(stderr).toContain("This session is not being saved");
    expect(agentPids(world)).toEqual([]);
    expect(readdirSync(join(world.home, "sessions")).filter((name) => name.includes(".lock"))).toEqual([]);
  },
);
