import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRecording, recordedAnswers, recordedModel, rewindConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { type Agent, agent, resultsIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";
import type { ScriptedAnswer } from "./wire-formats.ts";

const countTool = `cat > /dev/null; echo x >> count; echo "{\\"count\\":$(wc -l < count)}"`;

const countTwice: readonly ScriptedAnswer[] = [
  {
    text: "I count.",
    reasoning: "Twice, then.",
    calls: [{ id: "a", name: "count", arguments: '{"of": "x", "to": 2}' }],
  },
  { calls: [{ id: "b", name: "count", arguments: '{"of": "x", "to": 2}' }] },
  { text: "It is two." },
];

/** An agent that has had a conversation. */
async function afterCounting(): Promise<Agent> {
  const one = await agent({ count: countTool });
  const { url } = await modelServer(...countTwice);
  await one.say(await modelOf(providers[0], url), "count twice");
  return one;
}

const recordingOf = ({ home, conversation, project }: Agent) =>
  readRecording({ home, cwd: project, id: conversation.id });

test("records which executable a call ran, where, and with what limits", async () => {
  const one = await afterCounting();
  const { id, cwd, firstMessage, calls, steps } = recordingOf(one);
  expect({ id, cwd, firstMessage, steps: steps.length }).toEqual({
    id: one.conversation.id,
    cwd: one.project,
    firstMessage: "count twice",
    steps: 3,
  });
  const path = join(one.home, "tools/count-tool");
  expect(calls).toHaveLength(2);
  expect(calls[0]).toEqual({
    id: "a",
    name: "count",
    arguments: '{"of": "x", "to": 2}',
    time: expect.any(Date),
    start: {
      path,
      scope: "user",
      cwd: one.project,
      sha256: createHash("sha256").update(readFileSync(path)).digest("hex"),
      env: expect.objectContaining({
        IKIGAI_PROJECT_DIR: one.project,
        IKIGAI_TIMEOUT_MS: "30000",
        IKIGAI_MAX_OUTPUT_BYTES: "65536",
      }),
    },
    result: { json: '{"tool_success":true,"result":{"count":1}}', durationMs: expect.any(Number) },
  });
});

test("records another hash for a tool that changed between two calls", async () => {
  const one = await agent({ count: countTool });
  const path = join(one.home, "tools/count-tool");
  const { url } = await modelServer(...countTwice);
  const change = (event: { type: string }) => {
    if (event.type === "tool_result") writeFileSync(path, `${readFileSync(path, "utf8")}#\n`);
  };
  await one.say(await modelOf(providers[0], url), "count twice", { emit: change });
  const [first, second] = recordingOf(one).calls;
  expect(first?.start?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(second?.start?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(second?.start?.sha256).not.toBe(first?.start?.sha256);
});

test("repeats recorded responses and results, and runs nothing", async () => {
  const one = await afterCounting();
  const recording = recordingOf(one);
  // Neither the tool nor anything else exists there.
  const other = await agent({});
  const recorded = recordedAnswers(recording);
  const { end, events } = await other.say(recordedModel(recording), "count twice", { recorded });
  expect(end).toMatchObject({ reason: "done", text: "It is two.", steps: 3 });
  expect(resultsIn(events).map(({ json }) => json)).toEqual([
    '{"tool_success":true,"result":{"count":1}}',
    '{"tool_success":true,"result":{"count":2}}',
  ]);
  expect(other.conversation.messages).toEqual(one.conversation.messages);
  expect(existsSync(join(other.project, "count"))).toBe(false);
  expect(other.log().some(({ type }) => type === "tool_start")).toBe(false);
});

test("gives another model recorded results for the same calls, however it writes them, and a failure for others", async () => {
  const recording = recordingOf(await afterCounting());
  const other = await agent({ count: countTool });
  const call = (id: string, args: string) => ({ id, name: "count", arguments: args });
  const { url } = await modelServer(
    { calls: [call("1", '{"to":2,"of":"x"}'), call("2", '{"of":"y"}')] },
    { calls: [call("3", '{"of":"x","to":2}')] },
    { calls: [call("4", '{"of":"x","to":2}')] },
    { text: "Enough." },
  );
  const permission = { mode: "deny", rules: [], projectDir: other.project, home: other.home } as const;
  const { events } = await other.say(await modelOf(providers[3], url), "count", {
    recorded: recordedAnswers(recording),
    permission: { ...permission, rules: [] },
  });
  const envelopes = new Map(resultsIn(events).map(({ id, envelope }) => [id, envelope]));
  const missing = (what: string) => ({
    tool_success: false,
    error: `Nothing was run: the replayed session ${recording.id} has ${what} of 'count' with these arguments.`,
    error_code: "TOOL_UNAVAILABLE",
    exit_code: null,
    stdout: "",
    stderr: "",
  });
  expect(Object.fromEntries(envelopes)).toEqual({
    1: { tool_success: true, result: { count: 1 } },
    2: missing("no call"),
    3: { tool_success: true, result: { count: 2 } },
    4: missing("no other call"),
  });
  expect(existsSync(join(other.project, "count"))).toBe(false);
});

test("reports that a recorded model has no more responses", async () => {
  const other = await agent({});
  const { end } = await other.say(recordedModel({ id: "s1", steps: [] }), "go on");
  expect(end).toMatchObject({ reason: "failed", error: { code: "configuration" } });
  expect(end.error?.message).toBe(
    "The replayed session s1 has only 0 responses, and the model was asked for another one.",
  );
});

test("returns results of rewound calls, and does not repeat their responses", async () => {
  const one = await afterCounting();
  rewindConversation(one.conversation, 1);
  const { url } = await modelServer({ calls: [{ id: "a", name: "count", arguments: "{}" }] }, { text: "Once more." });
  await one.say(await modelOf(providers[0], url), "count again");
  const { firstMessage, calls, steps } = recordingOf(one);
  expect({
    firstMessage,
    calls: calls.map(({ id, result }) => [id, JSON.parse(String(result?.json)).result.count]),
  }).toEqual({
    firstMessage: "count again",
    calls: [
      ["a", 1],
      ["b", 2],
      ["a", 3],
    ],
  });
  expect(steps.map(({ parts }) => parts.at(-1)?.type)).toEqual(["tool_call", "text"]);
});

test("reads sessions of older versions, and rejects other files", async () => {
  const header = { seq: 0, time: "2026-01-02T03:04:05.000Z", type: "session", version: 1, id: "s1", cwd: "/project" };
  const call = { ...header, type: "tool_call", id: "c1", name: "bash", arguments: "" };
  const start = { ...header, type: "tool_start", id: "c1", path: "/bash-tool" };
  const lines = [header, call, start].map((event) => JSON.stringify(event));
  const dir = await tempDir({ "old.jsonl": `${lines.join("\n")}\n{broken\n`, "none.jsonl": "hello\n" });
  const read = (id?: string) => readRecording({ home: dir, cwd: dir, id });
  expect(read(join(dir, "old.jsonl")).calls).toMatchObject([
    { id: "c1", arguments: "{}", start: { path: "/bash-tool" } },
  ]);
  expect(() => read(join(dir, "none.jsonl"))).toThrow(expect.objectContaining({ code: "session_unreadable" }));
  expect(() => read(join(dir, "nowhere.jsonl"))).toThrow("cannot be read");
  expect(() => read("2026")).toThrow("No session 2026 found.");
  expect(() => read()).toThrow(`No session in ${dir} yet.`);
});

test.each(["", "no", "null", "[]", "{}", '{"tool_success":true}', '{"tool_success":true,"result":null}'])(
  "answers nothing with a recorded result that is not an envelope: %j",
  (json) => {
    const call = { id: "1", name: "count", arguments: "{}", time: new Date(0), result: { json, durationMs: 1 } };
    const { envelope } = recordedAnswers({ id: "s1", calls: [call] }).answer("count", "{}");
    expect(envelope).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error:
        "Nothing was run: the replayed session s1 has a damaged result of the call of 'count' with these arguments.",
    });
  },
);
