// @module-tag sampled
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Message, noUsage } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { knownServer, profileOf } from "../../models/src/server-profiles.ts";
import { promptWriter } from "../../models/src/to-prompt.ts";
import type { Conversation } from "../src/conversation.ts";
import { listSessions } from "../src/finding/list-sessions.ts";
import type { SessionEvent } from "../src/log/events.ts";
import { resumeConversation, startConversation } from "../src/open.ts";
import { userTurns } from "../src/rewind/rewind.ts";

const usage = { ...noUsage, inputTokens: 3, outputTokens: 2 };
const end: SessionEvent = { type: "step_end", model: "x/m", finish: "tool_calls", usage };
const call = (id: string): SessionEvent => ({ type: "tool_call", id, name: "bash", arguments: '{"command":"ls"}' });
const start = (id: string): SessionEvent => ({ type: "tool_start", id, path: "/bash-tool" });
const result = (id: string): SessionEvent => ({
  type: "tool_result",
  id,
  name: "bash",
  json: `{"tool_success":true,"result":{"output":"${"long ".repeat(100)}"}}`,
  durationMs: 1,
});

/** A session with every kind of event. */
const events: SessionEvent[] = [
  { type: "user", text: "look", images: [{ mediaType: "image/png", path: "/nowhere.png" }] },
  { type: "reasoning", text: "I should.", metadata: { x: { signature: "s" } } },
  { type: "text", text: "I look." },
  ...[call("c1"), call("c2"), end, start("c1"), start("c2"), result("c2"), result("c1")],
  { type: "checkpoint", id: "c1", path: "/proj/a", kept: null },
  { type: "changed", id: "c1", path: "/proj/a", sha256: null },
  { type: "text", text: "Done." },
  { ...end, finish: "stop" },
  { type: "turn_end", reason: "done" },
  { type: "typed_call", id: "t1", name: "bash", arguments: "{}" },
  { type: "user", text: "I ran it", typed: true },
  { type: "user", text: "wrong" },
  { type: "text", text: "Well." },
  { ...end, finish: "stop" },
  { type: "rewind", to: 18 },
  { type: "compact", before: 3, directory: "/nowhere" },
  { type: "user", text: "again" },
  ...[call("c3"), end, result("c3")],
  { type: "summary", before: 2, text: "They looked." },
  { type: "drop_images" },
  { type: "use", model: "x/m", thinking: "low" },
  { type: "lost", lines: 2 },
  ...[call("c4"), end, start("c4")],
];

const home = await tempDir();
const session = startConversation({ home, cwd: "/proj" });
for (const event of events) session.log.append(event);
session.log.close();
const path = join(home, "sessions", `${session.id}.jsonl`);
const whole = readFileSync(path);

/** Replacements for an envelope: JSON of every other shape, and almost an envelope. */
const failure = { tool_success: false, error: "x", error_code: "TOOL_CRASHED", exit_code: 1, stdout: "", stderr: "" };
const notEnvelopes = [
  ...["", "{", "null", "[]", "5", '"x"', "{}", '{"tool_success":true}', '{"tool_success":true,"result":[]}'],
  ...Object.keys(failure).flatMap((key) => [
    JSON.stringify({ ...failure, [key]: undefined }),
    JSON.stringify({ ...failure, [key]: { a: 1 } }),
  ]),
];

/** One kind of damage to a file. */
type Damage = (bytes: Buffer) => Buffer;

const changeLines = (change: (lines: string[]) => void): Damage => {
  return (bytes) => {
    const lines = bytes.toString("latin1").split("\n");
    change(lines);
    return Buffer.from(lines.join("\n"), "latin1");
  };
};

/** Replaces or removes a value, keeping the line valid JSON. */
const spoil = (at: number, key: number, value: unknown): Damage =>
  changeLines((lines) => {
    const index = at % lines.length;
    const line = lines[index];
    if (!line?.startsWith("{") || !line.endsWith("}")) return;
    try {
      const object = JSON.parse(line) as Record<string, unknown>;
      const names = Object.keys(object);
      object[names[key % names.length] ?? ""] = value;
      lines[index] = JSON.stringify(object);
    } catch {
      // It was already damaged.
    }
  });

const place = fc.nat({ max: whole.length });
const values = fc.constantFrom<unknown>(undefined, null, 0, -1, 1e9, "", "x", [], {}, [null], "session", "tool_call");
const damages: fc.Arbitrary<Damage> = fc.oneof(
  place.map(
    (length): Damage =>
      (bytes) =>
        bytes.subarray(0, length),
  ),
  fc.tuple(place, fc.nat({ max: 7 })).map(([at, bit]): Damage => {
    return (bytes) => Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte)));
  }),
  fc.tuple(place, fc.uint8Array({ maxLength: 30 })).map(([at, more]): Damage => {
    return (bytes) => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  }),
  place.map((at) => changeLines((lines) => lines.splice(at % lines.length, 1))),
  place.map((at) => changeLines((lines) => lines.splice(at % lines.length, 0, lines[at % lines.length] ?? ""))),
  fc
    .tuple(place, place)
    .map(([from, to]) =>
      changeLines((lines) => lines.splice(to % lines.length, 0, ...lines.splice(from % lines.length, 1))),
    ),
  fc.tuple(place, fc.nat({ max: 12 }), values).map(([at, key, value]) => spoil(at, key, value)),
);

/** Checks that every provider accepts the messages: the user first, and one result per call after each step. */
function expectValid(messages: readonly Message[]): void {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (index === 0) expect(message.role).toBe("user");
    if (message.role === "tool") {
      expect(open).toContain(message.id);
      expect([typeof message.json, typeof message.name]).toEqual(["string", "string"]);
      open = open.filter((id) => id !== message.id);
      continue;
    }
    expect(open).toEqual([]);
    if (message.role === "user") expect(message.text).toBeTypeOf("string");
    else open = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
    for (const id of open) {
      expect(seen).not.toContain(id);
      seen.add(id);
    }
  }
  expect(open).toEqual([]);
  promptWriter({ model: "m", server: knownServer(profileOf({ provider: "m" })) })({ system: "", messages });
}

/** A message without the mark of how it ended. */
function said(message: object): object {
  return { ...message, interrupted: undefined };
}

/** Resumes the session for a moment. */
function resume(meanwhile: (conversation: Conversation) => void = () => {}): Conversation {
  const { conversation } = resumeConversation({ home, cwd: "/here", id: session.id });
  try {
    meanwhile(conversation);
    return conversation;
  } finally {
    conversation.log.close();
  }
}

test("resumes a session whose file is damaged in any way, in a form that every provider accepts", () => {
  const property = fc.property(fc.array(damages, { minLength: 1, maxLength: 4 }), (all) => {
    let bytes: Buffer = whole;
    for (const damage of all) bytes = damage(bytes);
    writeFileSync(path, bytes);
    listSessions(home, "/proj");
    const { messages, id } = resume((conversation) => {
      userTurns(conversation);
      conversation.log.append({ type: "user", text: "and now?" });
      conversation.messages.push({ role: "user", text: "and now?" });
    });
    expect(id).toBe(session.id);
    expectValid(messages);
    const again = resume();
    expect(again.messages.map(said)).toEqual(messages.map(said));
    expect(Object.values(again.usage).every(Number.isFinite)).toBe(true);
  });
  fc.assert(property, { numRuns: inject("isThorough") ? 5_000 : 200 });
});

test.each(notEnvelopes)("treats a result of %j as lost, and its call as cancelled", (json) => {
  const lines = events.map((event, seq) =>
    JSON.stringify({
      seq: seq + 1,
      time: "2026-01-02T03:04:05.000Z",
      ...event,
      ...(event.type === "tool_result" && { json }),
    }),
  );
  const [header = ""] = whole.toString("utf8").split("\n");
  writeFileSync(path, `${[header, ...lines].join("\n")}\n`);
  const { messages } = resume();
  expectValid(messages);
  const results = messages.filter((message) => message.role === "tool");
  expect(results.length).toBeGreaterThan(0);
  for (const result of results) expect(JSON.parse(result.json)).toMatchObject({ error_code: "TOOL_CANCELLED" });
});

test("reads everything before the cut in a file that was cut at any byte", () => {
  const lines = whole.toString("utf8").split("\n");
  for (let length = 0; length <= whole.length; length += 13) {
    writeFileSync(path, whole.subarray(0, length));
    expectValid(resume().messages);
    const left = readFileSync(path, "utf8").split("\n").filter(Boolean);
    const complete = whole.subarray(0, length).toString("latin1").split("\n").length - 1;
    expect(left.slice(0, complete)).toEqual(lines.slice(0, complete));
  }
});

test("finds a session with a lost first line under its name", () => {
  writeFileSync(path, whole.subarray(whole.indexOf("\n") + 1));
  expect(listSessions(home, "/anywhere").map(({ id }) => id)).toEqual([basename(path, ".jsonl")]);
  const { id, cwd } = resume();
  expect([id, cwd]).toEqual([session.id, "/here"]);
});
