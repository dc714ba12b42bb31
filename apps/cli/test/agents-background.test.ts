// @module-tag sampled
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep, type agentsWorld as World } from "./agents-world.ts";
import { until } from "./ikigai.ts";
import type { SentRequest, Step } from "./model-server.ts";

const allowed = ["--allow", "agent", "--allow", "bash"];

const background = { background: true };

/** What the agent's command does until the file `go` exists. */
const waiting = "echo $$ > pid.part; mv pid.part pid; until [ -e go ]; do sleep 0.05; done";

/** A step about the last agent that the conversation has started. */
const about =
  (more: object) =>
  ({ messages }: SentRequest): Step => {
    const id = /\\?"session_id\\?":\s*\\?"([\w-]+)/.exec(JSON.stringify(messages))?.[1] ?? "";
    return { calls: [{ name: "agent", arguments: { session_id: id, ...more } }] };
  };

function results({ report }: Awaited<ReturnType<Awaited<ReturnType<typeof World>>["run"]>>) {
  return report.tool_calls.map(({ envelope }) => envelope.result ?? envelope);
}

test("an agent in the background is listed, gets a message, and answers a call that waits", async () => {
  const world = await agentsWorld({
    PARENT: [
      agentStep("CHILD", background),
      bashStep("until [ -e pid ]; do sleep 0.05; done"),
      { calls: [{ name: "agent", arguments: { action: "list" } }] },
      about({ action: "send", message: "The word is plum." }),
      bashStep("touch go"),
      about({ action: "wait" }),
      { text: "Done." },
    ],
    CHILD: [bashStep(waiting), { text: "I got it." }],
  });
  const end = await world.run("PARENT", allowed);
  const [started, , list, sent, , answer] = results(end);
  expect(started).toEqual({ output: expect.any(String), session_id: expect.stringMatching(/^\d{8}-/) });
  expect(list?.agents).toEqual([{ session_id: started?.session_id, task: "CHILD", state: "running" }]);
  expect(sent).toMatchObject({ session_id: started?.session_id });
  expect(answer).toMatchObject({ output: "I got it.", session_id: started?.session_id, calls: 1 });
  const said = world.requestsOf("CHILD").at(-1)?.messages.at(-1);
  expect(said).toEqual({
    role: "user",
    content: `Message from agent ${end.report.session_id}:\n\nThe word is plum.`,
  });
  expect(readdirSync(join(world.home, "sessions", `${started?.session_id}.inbox`))).toEqual([]);
});

test("kill ends an agent with its command, and only an agent of this session", async () => {
  const kill = { calls: [{ name: "agent", arguments: { action: "kill", session_id: "20200101-000000-00000000" } }] };
  const world = await agentsWorld({
    PARENT: [
      agentStep("CHILD", background),
      bashStep("until [ -e pid ]; do sleep 0.05; done"),
      kill,
      about({ action: "kill" }),
      about({ action: "wait" }),
      about({ action: "send", message: "Hello?" }),
      { text: "Done." },
    ],
    CHILD: [bashStep(waiting)],
  });
  const [, , other, killed, waited, sent] = results(await world.run("PARENT", allowed));
  expect(other).toMatchObject({ error_code: "NOT_FOUND" });
  expect(killed).toMatchObject({ output: "The agent has ended" });
  expect(isRunning(Number(readFileSync(join(world.cwd, "pid"), "utf8")))).toBe(false);
  expect(waited).toMatchObject({ error: "The agent was ended before it finished", error_code: "AGENT_FAILED" });
  expect(sent).toMatchObject({ error_code: "NOT_SENT" });
});

test("an agent in the background outlives a parent that is killed, and can be waited for afterwards", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD", background), bashStep("sleep 60"), about({ action: "wait" }), { text: "Done." }],
    CHILD: [bashStep(waiting), { text: "Still here." }],
  });
  await world.run("PARENT", allowed, {
    async whileRunning({ kill }) {
      await until(() => existsSync(join(world.cwd, "pid")), "the agent's command");
      kill("SIGKILL");
    },
  });
  writeFileSync(join(world.cwd, "go"), "");
  const again = await world.run("go on", [...allowed, "--continue"]);
  expect(results(again).at(-1)).toMatchObject({ output: "Still here." });
});

test("-p says which agents it leaves running", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD", background), { text: "Done." }],
    CHILD: [bashStep(waiting), { text: "Late." }],
  });
  const { stderr, report } = await world.run("PARENT", allowed);
  const [{ session_id: id } = { session_id: "" }] = results({ report } as never);
  expect(stderr).toContain(`Still running in the background: agent ${id}: CHILD`);
  writeFileSync(join(world.cwd, "go"), "");
  const lock = join(world.home, "sessions", `${id}.jsonl.lock`);
  await until(() => !existsSync(lock) && !existsSync(`${lock}.part`), "the end of the agent");
});

test("four agents in the background leave no place for another one", async () => {
  const calls = ["1", "2", "3", "4"].map((n) => ({
    name: "agent",
    arguments: { task: `CHILD ${n}`, background: true },
  }));
  const world = await agentsWorld({
    PARENT: [{ calls }, agentStep("CHILD 5"), bashStep("touch go"), about({ action: "wait" }), { text: "Done." }],
    CHILD: [bashStep("until [ -e go ]; do sleep 0.05; done"), { text: "Done." }],
  });
  const all = results(await world.run("PARENT", allowed));
  expect(all.slice(0, 4).every(({ session_id: id }) => typeof id === "string")).toBe(true);
  expect(all[4]).toMatchObject({ error_code: "TOOL_DENIED", error: expect.stringContaining("4 agents are running") });
  const { home } = world;
  const locks = () => readdirSync(join(home, "sessions")).filter((name) => name.endsWith(".lock"));
  await until(() => locks().length === 0, "the end of the agents");
});

test("from: session gives an agent this conversation", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("what is the word?", { from: "session" }), { text: "Plum, it says." }],
  });
  // The copy has the parent's first message, so it plays the same script.
  const { report } = await world.run("PARENT knows that the word is plum", allowed);
  const [answer] = report.tool_calls.map(({ envelope }) => envelope.result);
  expect(answer).toMatchObject({ output: "Plum, it says." });
  const copied = world.requests.find(({ messages }) => messages.at(-1)?.content === "what is the word?");
  expect(JSON.stringify(copied?.messages)).toContain("PARENT knows that the word is plum");
  const { parent } = world.sessions().find(({ id }) => id === answer?.session_id) ?? {};
  expect(parent?.session).toBe(report.session_id);
});

test("from names no session but this one and its agents", async () => {
  const world = await agentsWorld({ PARENT: [{ text: "Private." }], OTHER: [] });
  const { report } = await world.run("PARENT", allowed);
  const other = await agentsWorld({ OTHER: [agentStep("tell", { from: report.session_id }), { text: "Done." }] });
  mkdirSync(join(other.home, "sessions"), { recursive: true, mode: 0o700 });
  const name = `${report.session_id}.jsonl`;
  writeFileSync(join(other.home, "sessions", name), readFileSync(join(world.home, "sessions", name)));
  const [answer] = results(await other.run("OTHER", allowed));
  expect(answer).toMatchObject({ error_code: "NOT_FOUND" });
});

test.each([
  [16_384, undefined],
  [16_385, "INVALID_ARG"],
])("a message of %i bytes is answered with %s", async (bytes, code) => {
  const world = await agentsWorld({
    PARENT: [
      agentStep("CHILD", background),
      about({ action: "send", message: "x".repeat(bytes) }),
      bashStep("touch go"),
      about({ action: "wait" }),
      { text: "Done." },
    ],
    CHILD: [bashStep("until [ -e go ]; do sleep 0.05; done"), { text: "Done." }],
  });
  const [, sent, , answer] = results(await world.run("PARENT", allowed));
  expect(sent?.error_code).toBe(code);
  expect(answer).toMatchObject({ output: "Done." });
  expect(JSON.stringify(world.requestsOf("CHILD").at(-1)?.messages).includes("x".repeat(bytes))).toBe(
    code === undefined,
  );
});
