import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Agent, type AgentEvent, createAgent } from "../src/index.ts";
import { shellTool } from "./agent-setup.ts";
import { endOf, eventsOf, touches, world } from "./agent-world.ts";
import { begin } from "./model-server.ts";

const sleeper = shellTool("sleep_it", "echo $$ > pid; sleep 600");
const sleeps = { calls: [{ name: "sleep_it", arguments: "{}" }] };

/** An agent whose only tool prints its process ID and sleeps. */
async function sleepy() {
  const options = { permission: { mode: "allow" } } as const;
  const made = await world([sleeps, { text: "Next." }], options, { "tools/sleep-it-tool": sleeper });
  const pid = () => Number(readFileSync(join(made.project, "pid"), "utf8"));
  return {
    ...made,
    pid,
    hasStarted: () => vi.waitUntil(() => existsSync(join(made.project, "pid")) && pid() > 0, { timeout: 50_000 }),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("ends the running call when the loop is left, and takes the next message", async () => {
  const { agent, pid, hasStarted } = await sleepy();
  for await (const { type } of agent.run("go")) {
    if (type !== "tool_start") continue;
    await hasStarted();
    break;
  }
  expect(isAlive(pid())).toBe(false);
  expect(endOf(await eventsOf(agent))).toMatchObject({ reason: "done", text: "Next." });
});

test("ends the running request when the loop is left", async () => {
  let isClosed = false;
  const hangs = begin({ text: "hello there" }, 4, (response) => {
    response.on("close", () => {
      isClosed = true;
    });
  });
  const { agent } = await world([hangs]);
  for await (const { type } of agent.run("go")) if (type === "text") break;
  await vi.waitUntil(() => isClosed, { timeout: 50_000 });
});

test("ends a turn as interrupted when its signal is aborted", async () => {
  const { agent, pid, hasStarted } = await sleepy();
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of agent.run("go", { signal: controller.signal })) {
    events.push(event);
    if (event.type === "tool_start") void hasStarted().then(() => controller.abort());
  }
  expect(endOf(events)).toMatchObject({ reason: "interrupted" });
  expect(isAlive(pid())).toBe(false);
});

test("sends no request if the signal was already aborted", async () => {
  const { agent, server } = await world([{ text: "No." }]);
  const events: AgentEvent[] = [];
  for await (const event of agent.run("go", { signal: AbortSignal.abort() })) events.push(event);
  expect(endOf(events)).toMatchObject({ reason: "interrupted", steps: 0 });
  expect(server.requests).toEqual([]);
});

test.each<[string, (agent: Agent) => PromiseLike<void>]>([
  ["close()", (agent) => agent.close()],
  ["await using", (agent) => agent[Symbol.asyncDispose]()],
])("%s stops the turn, and leaves nothing running or open", async (_, close) => {
  const { agent, home, pid, hasStarted } = await sleepy();
  const reading = eventsOf(agent);
  await hasStarted();
  await close(agent);
  expect(isAlive(pid())).toBe(false);
  expect(endOf(await reading)).toMatchObject({ reason: "interrupted" });
  expect(existsSync(join(home, "sessions", `${agent.sessionId}.jsonl.lock`))).toBe(false);
  await expect(eventsOf(agent)).rejects.toThrow("closed");
  await close(agent);
});

test("runs one turn at a time, and starts it with the first read", async () => {
  const { agent, server } = await world([touches, { text: "." }]);
  const unread = agent.run("never");
  const first = agent.run("one");
  await first.next();
  await expect(agent.run("two").next()).rejects.toThrow("Another turn is running");
  await first.return();
  await unread.return();
  expect(JSON.stringify(server.requests)).not.toContain("never");
  expect(endOf(await eventsOf(agent)).reason).toBe("done");
});

test.runIf(process.platform === "linux")("is not created if the configured sandbox does not work", async () => {
  const home = await tempDir({ "config.json": '{"sandbox": {"enabled": true}}' });
  vi.stubEnv("IKIGAI_BWRAP", "/no/bwrap");
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-test-0123456789abcdef" };
  const created = createAgent({ home, cwd: await tempDir(), env });
  onTestFinished(() => created.then((agent) => agent.close()).catch(() => {}));
  await expect(created).rejects.toMatchObject({ name: "AgentError", code: "sandbox_unavailable" });
});
