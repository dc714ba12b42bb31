// @module-tag tables
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resumeConversation } from "@ikigai/session";
import { describe, expect, test } from "vitest";
import { agent, noticesIn, resultsIn, unansweredIn } from "./agent-setup.ts";
import { begin, modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;
const calls = (...names: string[]) => ({ calls: names.map((name, n) => ({ id: `c${n}`, name, arguments: "{}" })) });

describe.each(providers)("with $name", (provider) => {
  test("asks, runs two tools in parallel, and answers", async () => {
    const meet = (other: string, own: string) =>
      `: > "$HOME_DIR/${own}"; while [ ! -e "$HOME_DIR/${other}" ]; do sleep 0.02; done; echo '{"n": 12345678901234567890}'`;
    const one = await agent({ left: meet("r", "l"), right: meet("l", "r") });
    const server = await modelServer({ text: "I look.", ...calls("left", "right") }, { text: "Done." });
    const model = await modelOf(provider, server.url);
    const { end, events } = await one.say(model, "go", { env: { ...process.env, HOME_DIR: one.project } });
    expect({ reason: end.reason, text: end.text, steps: end.steps }).toEqual({
      reason: "done",
      text: "Done.",
      steps: 2,
    });
    expect(resultsIn(events).map(({ json }) => json)).toEqual(
      Array(2).fill('{"tool_success":true,"result":{"n": 12345678901234567890}}'),
    );
    expect(JSON.stringify(server.requests[1]?.body)).toContain("12345678901234567890");
    expect(unansweredIn(one)).toEqual([]);
    expect(end.usage.outputTokens).toBe(10);
  });
});

test("reports what happens, in order", async () => {
  const one = await agent({ greet: `echo '{"progress": 1}' >&3; echo '{"hi": 1}'` });
  const server = await modelServer({ text: "Hi!", ...calls("greet") }, { text: "Done" });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go");
  const merged = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  expect(merged).toEqual([
    "user",
    "text",
    "tool_call_start",
    "tool_call",
    "step_end",
    "tool_start",
    "tool_progress",
    "tool_result",
    "text",
    "step_end",
    "turn_end",
  ]);
  expect(one.log().map(({ type }) => type)).toEqual([
    "session",
    "user",
    "text",
    "tool_call",
    "step_end",
    "tool_start",
    "tool_result",
    "text",
    "step_end",
    "turn_end",
  ]);
});

test("shows the model the tools by name, in order, with their schemas", async () => {
  const one = await agent({ zebra: "", ant: "" });
  const server = await modelServer({ text: "ok" });
  await one.say(await modelOf(anthropic, server.url), "go");
  expect(server.requests[0]?.body.tools?.map(({ name }) => name)).toEqual(["ant", "zebra"]);
});

test("passes a tool's output to the model unchanged, also when it fails", async () => {
  const one = await agent({
    soft: `echo '{"error": "no", "error_code": "X"}'`,
    hard: "echo oops >&2; exit 3",
    mad: "echo '{'",
  });
  const server = await modelServer(calls("soft", "hard", "mad"), { text: "ok" });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(Object.fromEntries(resultsIn(events).map(({ name, envelope }) => [name, envelope]))).toMatchObject({
    soft: { tool_success: true, result: { error: "no", error_code: "X" } },
    hard: { tool_success: false, error_code: "TOOL_CRASHED", exit_code: 3, stderr: "oops\n" },
    mad: { tool_success: false, error_code: "INVALID_OUTPUT" },
  });
});

test.each([
  ["an unknown tool", "file_raed", "{}", "TOOL_NOT_FOUND", "file_read"],
  ["arguments that are cut off", "file_read", '{"file_path": "a', "INVALID_PARAMS", "JSON object"],
  ["arguments that are not an object", "file_read", "[1]", "INVALID_PARAMS", "got [1]"],
  ["a duplicate name", "file_read", '{"a": {"b": 1, "b": 2}, "c": 1, "c": 2}', "INVALID_PARAMS", '"c" twice'],
])("answers %s, and runs nothing", async (_, name, args, code, text) => {
  const one = await agent({ file_read: ": > ran; echo '{}'" });
  const server = await modelServer({ calls: [{ id: "c", name, arguments: args }] }, { text: "ok" });
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    tool_success: false,
    error_code: code,
    error: expect.stringContaining(text),
  });
  expect(events.map(({ type }) => type)).not.toContain("tool_start");
  expect([end.reason, unansweredIn(one)]).toEqual(["done", []]);
});

test("treats missing arguments as an empty object, and makes missing or repeated IDs unique", async () => {
  const one = await agent({ show: "cat" });
  const twice = { calls: ["", "same", "same", ""].map((id) => ({ id, name: "show", arguments: "" })) };
  const server = await modelServer(twice, twice, { text: "ok" });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go");
  const results = resultsIn(events);
  expect(results.map(({ json }) => json)).toEqual(Array(8).fill('{"tool_success":true,"result":{}}'));
  expect(new Set(results.map(({ id }) => id)).size).toBe(8);
  expect(unansweredIn(one)).toEqual([]);
});

test("reports a response that was cut by the limit, to the model and the user", async () => {
  const one = await agent({ show: "cat" });
  const cut = { calls: [{ id: "c", name: "show", arguments: '{"a": "b' }], finish: "length" as const };
  const server = await modelServer(cut, { text: "half", finish: "length" });
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(resultsIn(events)[0]?.json).toContain("max tokens");
  expect(noticesIn(events)).toEqual([expect.stringContaining("The response is incomplete")]);
  expect(end).toMatchObject({ reason: "failed", text: "half", error: { code: "cut_off" } });
});

test("reports a filter that stops the response as a failure", async () => {
  const one = await agent({});
  const server = await modelServer({ text: "half", finish: "content_filter" });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end).toMatchObject({ reason: "failed", error: { code: "content_filter" } });
});

test("stops after the maximum number of requests", async () => {
  const one = await agent({ show: "cat" });
  const server = await modelServer(calls("show"));
  const { end } = await one.say(await modelOf(anthropic, server.url), "go", { maxSteps: 3 });
  expect([end.reason, end.steps, server.requests.length, unansweredIn(one)]).toEqual(["max_steps", 3, 3, []]);
});

test("stops a model that makes the same failing call again and again", async () => {
  const one = await agent({ bad: "exit 1" });
  const server = await modelServer(calls("bad"));
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, server.requests.length, unansweredIn(one)]).toEqual(["loop", 5, []]);
});

const edit = (n: number) => ({ calls: [{ id: `e${n}`, name: "edit", arguments: `{"n":${n}}` }] });

test("does not stop a model that changes something between two failing runs", async () => {
  const one = await agent({ bad: "exit 1", edit: "echo '{}'" });
  const rounds = Array.from({ length: 8 }, (_, n) => [edit(n), calls("bad")]).flat();
  const server = await modelServer(...rounds, { text: "ok" });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, end.text, unansweredIn(one)]).toEqual(["done", "ok", []]);
});

test.each([
  ["reads in between", "file_read", (n: number) => n],
  ["makes the same two changes again and again", "edit", (n: number) => n % 2],
])("stops a model that repeats a failing call and only %s", async (_, name, change) => {
  const one = await agent({ bad: "exit 1", [name]: "cat" });
  const round = (n: number) => [{ calls: [{ id: `e${n}`, name, arguments: `{"n":${change(n)}}` }] }, calls("bad")];
  const rounds = Array.from({ length: 20 }, (_, n) => round(n)).flat();
  const server = await modelServer(...rounds, { text: "ok" });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end.reason).toBe("loop");
  // Two changes are new, so counting starts at the second one.
  expect(server.requests.length).toBe(name === "edit" ? 12 : 10);
});

test("continues if the call works, or fails in another way each time", async () => {
  const one = await agent({ count: `echo x >> n; echo "{\\"error\\": \\"$(wc -l < n)\\"}"`, good: "echo '{}'" });
  const server = await modelServer(...Array(8).fill(calls("count", "good")), { text: "ok" });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end.reason).toBe("done");
});

test("keeps the order of writes to one file and of what follows them", async () => {
  const slow = 'sleep 0.2; echo "$IKIGAI_CALL_ID" >> log; echo "{}"';
  const quick = 'echo "$IKIGAI_CALL_ID" >> log; echo "{}"';
  const one = await agent({ file_edit: slow, file_write: slow, bash: quick, file_read: quick });
  const edit = (id: string, name: string, file_path: string) => ({
    id,
    name,
    arguments: JSON.stringify({ file_path }),
  });
  const server = await modelServer(
    {
      calls: [
        edit("1", "file_write", "a"),
        edit("2", "file_edit", "./b/../a"),
        edit("3", "file_read", "other"),
        edit("4", "bash", ""),
      ],
    },
    { text: "ok" },
  );
  await one.say(await modelOf(anthropic, server.url), "go");
  expect(readFileSync(join(one.project, "log"), "utf8").trim().split("\n")).toEqual(["3", "1", "2", "4"]);
});

describe("when the user stops it", () => {
  test("keeps and marks the partial response", async () => {
    const one = await agent({});
    const server = await modelServer(
      begin({ text: "Hello there" }, 3, () => {}),
      { text: "ok" },
    );
    const controller = new AbortController();
    const model = await modelOf(anthropic, server.url);
    const emit = ({ type }: { type: string }) => type === "text" && controller.abort();
    const { end } = await one.say(model, "go", { signal: controller.signal, emit });
    expect([end.reason, end.text]).toEqual(["interrupted", "Hello"]);
    expect(one.conversation.messages.at(-1)).toMatchObject({ role: "assistant", interrupted: true });
    expect((await one.say(model, "again")).end.reason).toBe("done");
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("interrupted here");
  });

  test("stops running calls, starts no waiting ones, and gives each one result", async () => {
    const one = await agent({ file_write: "sleep 30", bash: ": > ran" });
    const server = await modelServer(calls("file_write", "bash"), { text: "ok" });
    const controller = new AbortController();
    const model = await modelOf(anthropic, server.url);
    const emit = (event: { type: string }) => event.type === "tool_start" && controller.abort();
    const { end } = await one.say(model, "go", { signal: controller.signal, emit });
    expect([end.reason, unansweredIn(one)]).toEqual(["interrupted", []]);
    expect(one.log().filter(({ type }) => type === "tool_result")).toHaveLength(2);
    expect(one.log().filter(({ type }) => type === "tool_start")).toHaveLength(1);
    expect((await one.say(model, "again")).end.reason).toBe("done");
  });
});

test("continues after a restart", async () => {
  const one = await agent({ show: "cat" });
  const server = await modelServer({ text: "I look.", ...calls("show") }, { text: "Done." }, { text: "Again." });
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "go");
  const before = structuredClone(one.conversation.messages);
  one.conversation.log.close();
  const { conversation, notices } = resumeConversation({ home: one.home, cwd: one.project, id: one.conversation.id });
  expect([conversation.messages, notices]).toEqual([before, []]);
  expect(conversation.usage).toEqual(one.conversation.usage);
});

test("removes keys that a tool prints", async () => {
  const one = await agent({ leak: `echo '{"key": "sk-very-secret"}'` });
  const server = await modelServer(calls("leak"), { text: "ok" });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go", { secrets: ["sk-very-secret"] });
  expect(resultsIn(events)[0]?.json).toBe('{"tool_success":true,"result":{"key": "[key removed]"}}');
});
