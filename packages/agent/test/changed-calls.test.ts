// Promise 6 of SECURITY.md.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Ask, Question } from "@ikigai/permission";
import { expect, test } from "vitest";
import { resultsIn } from "./agent-setup.ts";
import { answers, callOf, hookedAgent } from "./hook-agent.ts";

// The user changes a call in its question before it runs.

const bash = { bash: `read -r args; printf '%s' "$args" >> "$PWD/ran"; printf '{"got": %s}' "$args"` };
const done = { text: "ok" };
const call = callOf("bash", { command: "echo hi" });
const changed = JSON.stringify({ command: "echo changed" });

/** Gives these answers one after the other, and keeps the questions. */
function answering(...given: readonly Answer[]): { ask: Ask; questions: Question[] } {
  const questions: Question[] = [];
  return {
    questions,
    ask: async (question) => given[questions.push(question) - 1] ?? { allow: false },
  };
}

test("runs what the user wrote, logs it, and tells the model", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  const { ask, questions } = answering({ allow: true, arguments: changed });
  const { events } = await one.turn([call, done], { ask });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    result: { got: { command: "echo changed" } },
    hook_context: `The user changed the arguments of this call to: ${changed}`,
  });
  expect(questions).toHaveLength(1);
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_start", arguments: changed }));
});

test("a rule that denies refuses what the user wrote, too", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  one.permission.rules = [{ verdict: "deny", rule: "bash(echo changed*)" }];
  const { ask, questions } = answering({ allow: true, arguments: changed });
  const { events } = await one.turn([call, done], { ask });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(existsSync(join(one.project, "ran"))).toBe(false);
  expect(questions).toHaveLength(1);
});

test("hooks see what the user wrote; one that denies refuses it, one that asks does not ask again", async () => {
  const one = await hookedAgent(bash);
  one.hook("before-call/bash/10-asks", answers({ decision: "ask", reason: "look" }));
  one.hook("before-call/bash/20-guard", "grep -q changed && { echo no >&2; exit 2; }; exit 0");
  const { ask, questions } = answering({ allow: true, arguments: changed });
  const { events } = await one.turn([call, done], { ask });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(existsSync(join(one.project, "ran"))).toBe(false);
  const other = JSON.stringify({ command: "echo other" });
  const again = answering({ allow: true, arguments: other });
  await one.turn([call, done], { ask: again.ask });
  expect(readFileSync(join(one.project, "ran"), "utf8")).toBe(other);
  expect([questions, again.questions].map(({ length }) => length)).toEqual([1, 1]);
});

test("if a hook changes it once more, the user is asked once more", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  one.hook("before-call/bash/safe", answers({ arguments: { command: "echo safe" } }));
  const { ask, questions } = answering({ allow: true, arguments: changed }, { allow: false });
  const { events } = await one.turn([call, done], { ask });
  expect(questions.map((question) => JSON.parse(question.call.arguments))).toEqual([
    { command: "echo safe" },
    { command: "echo safe" },
  ]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(existsSync(join(one.project, "ran"))).toBe(false);
});

test.each(["", "[1]", "{", '{"command":"a","command":"b"}'])(
  "refuses %j as arguments, or runs without any",
  async (text) => {
    const one = await hookedAgent(bash);
    one.permission.mode = "ask";
    const { events } = await one.turn([call, done], { ask: answering({ allow: true, arguments: text }).ask });
    const expected = text === "" ? { result: { got: {} } } : { error_code: "INVALID_PARAMS" };
    expect(resultsIn(events)[0]?.envelope).toMatchObject(expected);
  },
);

test("one answer allows waiting calls, but none that a rule denies meanwhile", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  const calls = ["a", "b", "c"].map((id) => ({ id, name: "bash", arguments: JSON.stringify({ command: id }) }));
  const questions: Question[] = [];
  const ask: Ask = async (question) => {
    const waiting = question.waiting ?? [];
    questions.push(question);
    if (questions.length > 1) return { allow: false };
    expect(waiting.map((other) => JSON.parse(other.call.arguments).command)).toEqual(["b", "c"]);
    // A screen reads them at every key.
    expect(question.waiting?.[0]).toBe(waiting[0]);
    one.permission.rules = [{ verdict: "deny", rule: "bash(c)" }];
    return { allow: true, others: waiting.map((other) => other.call.id) };
  };
  const { events } = await one.turn([{ calls }, done], { ask });
  const ran = resultsIn(events).map(({ id, envelope }) => [id, envelope.tool_success]);
  expect(Object.fromEntries(ran)).toEqual({ a: true, b: true, c: false });
  expect(questions).toHaveLength(1);
});

test("an answer for several calls is not one for a later call with an ID of theirs", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  const first = ["a", "b"].map((id) => ({ id, name: "bash", arguments: JSON.stringify({ command: id }) }));
  const again = { calls: [{ id: "b", name: "bash", arguments: JSON.stringify({ command: "evil" }) }] };
  const asked: string[] = [];
  const ask: Ask = async ({ call: { arguments: text }, waiting = [] }) => {
    asked.push(JSON.parse(text).command);
    // As compaction does, which then no longer knows the IDs.
    one.conversation.messages.splice(1);
    return asked.length === 1 ? { allow: true, others: waiting.map((other) => other.call.id) } : { allow: false };
  };
  await one.turn([{ calls: first }, again, done], { ask });
  expect(asked).toEqual(["a", "evil"]);
});
