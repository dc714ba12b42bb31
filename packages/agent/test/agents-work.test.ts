import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noUsage } from "@ikigai/models";
import { readOnlyLog, type SessionEvent } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentsWork } from "../src/internal.ts";

const step = (model: string, inputTokens: number): SessionEvent => {
  return { type: "step_end", model, finish: "tool_calls", usage: { ...noUsage, inputTokens } };
};
const call = (id: string): SessionEvent => ({ type: "tool_call", id, name: "bash", arguments: "{}" });

/** Lines of a log, from a second on. */
function linesOf(second: number, events: readonly SessionEvent[]): string {
  const time = new Date(second * 1_000).toISOString();
  return events.map((event, seq) => `${JSON.stringify({ seq, time, ...event })}\n`).join("");
}

/** A session that has started agents, by their sessions, with the lines that they have copied and their own. */
async function sessionWith(agents: Record<string, { readonly copied?: SessionEvent[]; readonly own: SessionEvent[] }>) {
  const home = await tempDir();
  const sessions = join(home, "sessions");
  mkdirSync(join(sessions, "top.agents"), { recursive: true });
  for (const [index, [session, { copied = [], own }]] of Object.entries(agents).entries()) {
    slot(join(sessions, "top.agents"), index + 1, session);
    const header: SessionEvent = { type: "session", version: 1, id: session, cwd: "/proj" };
    const text = linesOf(100, [header]) + linesOf(50, copied) + linesOf(101, own);
    writeFileSync(join(sessions, `${session}.jsonl`), text);
  }
  const path = join(sessions, "top.jsonl");
  return {
    sessions,
    log: readOnlyLog(path),
  };
}

function slot(directory: string, number: number, session: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${number}.json`), JSON.stringify({ call: `c${number}`, tokens: 9, task: "t" }));
  writeFileSync(join(directory, `${number}.child.json`), JSON.stringify({ session, spent: 1, isOver: true }));
}

test("adds up the calls and the usage of a session's agents, and of those that they have started", async () => {
  const one = { own: [call("a"), call("b"), step("x/m", 10), step("y/m", 1)] };
  const conversation = await sessionWith({ one, two: { own: [call("c"), step("x/m", 100)] } });
  slot(join(conversation.sessions, "one.agents"), 1, "two");
  const { calls, usage } = agentsWork(conversation);
  expect(calls).toBe(3);
  expect(Object.fromEntries(usage)).toMatchObject({ "x/m": { inputTokens: 110 }, "y/m": { inputTokens: 1 } });
  expect(agentsWork(conversation, ({ call: id }) => id === "c2").calls).toBe(1);
});

test("what an agent has copied from another conversation is not its work", async () => {
  const one = { copied: [call("a"), step("x/m", 1_000)], own: [call("b"), step("x/m", 1)] };
  const { calls, usage } = agentsWork(await sessionWith({ one }));
  expect([calls, usage.get("x/m")?.inputTokens]).toEqual([1, 1]);
});

test("counts what has been added since", async () => {
  const conversation = await sessionWith({ one: { own: [call("a")] } });
  expect(agentsWork(conversation).calls).toBe(1);
  appendFileSync(join(conversation.sessions, "one.jsonl"), linesOf(102, [call("b")]));
  expect(agentsWork(conversation).calls).toBe(2);
});

test("damaged files count nothing, and agents that name each other end", async () => {
  const conversation = await sessionWith({ one: { own: [call("a")] }, two: { own: [] } });
  slot(join(conversation.sessions, "one.agents"), 1, "top");
  slot(join(conversation.sessions, "top.agents"), 3, "gone");
  writeFileSync(join(conversation.sessions, "two.jsonl"), "\u0000\n{\n");
  expect(agentsWork(conversation)).toEqual({ calls: 1, usage: new Map() });
});
