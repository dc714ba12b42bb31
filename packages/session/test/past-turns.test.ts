import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noUsage } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { SessionEvent } from "../src/log/events.ts";
import { resumeConversation } from "../src/open.ts";

const usage = { ...noUsage, inputTokens: 3, outputTokens: 2 };
const id = "20260101-000000-0000abcd";
const json = '{"tool_success":true,"result":{}}';
const user = (text: string): SessionEvent => ({ type: "user", text });
const said = (text: string): SessionEvent => ({ type: "text", text });
const step: SessionEvent = { type: "step_end", model: "x/m", finish: "tool_calls", usage };
const call = (name: string): SessionEvent => ({ type: "tool_call", id: name, name: "bash", arguments: "{}" });
const start = (name: string): SessionEvent => ({ type: "tool_start", id: name, path: "/bash-tool" });
const result = (name: string, durationMs: number): SessionEvent => {
  return { type: "tool_result", id: name, name: "bash", json, durationMs };
};
const end = (reason: "done" | "interrupted" = "done"): SessionEvent => ({ type: "turn_end", reason });

/** The turns of a session whose lines were written at these seconds. */
async function turnsOf(...lines: readonly (readonly [second: number, event: SessionEvent])[]) {
  const home = await tempDir();
  mkdirSync(join(home, "sessions"));
  const header: SessionEvent = { type: "session", version: 1, id, cwd: "/proj" };
  const text = [[0, header] as const, ...lines]
    .map(([second, event], seq) => JSON.stringify({ seq, time: new Date(second * 1_000).toISOString(), ...event }))
    .join("\n");
  writeFileSync(join(home, "sessions", `${id}.jsonl`), `${text}\n`);
  const { conversation } = resumeConversation({ home, id, cwd: "/proj" });
  conversation.log.close();
  return conversation.turns ?? [];
}

test("a turn worked while it waited for the model and for its calls", async () => {
  const turns = await turnsOf(
    ...([
      [10, user("go")],
      [14, call("a")],
      [14, step],
      [14, start("a")],
      [19, result("a", 5_000)],
    ] as const),
    ...([
      [22, said("Done.")],
      [22, step],
      [22, end()],
    ] as const),
  );
  expect(turns).toEqual([
    expect.objectContaining({ end: 4, reason: "done", workedMs: 12_000, model: "x/m", endedAt: new Date(22_000) }),
  ]);
  expect(turns[0]?.usage).toEqual({ ...usage, inputTokens: 6, outputTokens: 4 });
});

test("the time in which a question may have been open is not work", async () => {
  const asked: SessionEvent = { type: "question", id: "b", question: "?", kind: "confirm", options: [], refused: true };
  const turns = await turnsOf(
    ...([
      [0, user("go")],
      [2, call("a")],
      [2, call("b")],
      [2, call("c")],
      [2, step],
    ] as const),
    // Allowed after 100 seconds, asked by its tool for 100 more, refused after another 100.
    ...([
      [102, start("a")],
      [103, result("a", 1_000)],
      [103, start("b")],
      [203, asked],
    ] as const),
    ...([
      [204, result("b", 101_000)],
      [304, result("c", 0)],
      [304, end("interrupted")],
    ] as const),
  );
  expect(turns).toMatchObject([{ reason: "interrupted", workedMs: 4_000 }]);
});

test("a clock that went back, a pause before a message and a turn without an end count nothing", async () => {
  const turns = await turnsOf(
    ...([
      [100, user("go")],
      [101, said("One.")],
      [50, step],
      [52, end()],
    ] as const),
    ...([
      [900, user("again")],
      [901, said("Two.")],
      [901, step],
      [901, end()],
      [990, user("killed")],
    ] as const),
  );
  expect(turns).toMatchObject([{ workedMs: 3_000 }, { workedMs: 1_000 }]);
});

test("turns that were rewound or summarised are gone, and the others keep their place", async () => {
  const turns = await turnsOf(
    ...([
      [1, user("one")],
      [2, said("One.")],
      [2, step],
      [2, end()],
    ] as const),
    ...([
      [3, user("two")],
      [4, said("Two.")],
      [4, step],
      [4, end()],
    ] as const),
    ...([
      [5, user("wrong")],
      [6, said("Bad.")],
      [6, step],
      [6, end()],
      [7, { type: "rewind", to: 9 }],
    ] as const),
    [8, { type: "summary", before: 2, text: "They talked." }],
  );
  expect(turns).toMatchObject([{ end: 3, endedAt: new Date(4_000) }]);
});

test("names only copies that the session itself keeps", async () => {
  const kept = (name: string, copy: string | null): SessionEvent => {
    return { type: "checkpoint", id: name, path: "/proj/a", kept: copy };
  };
  const lines = [
    [1, user("go")],
    [1, kept("a", null)],
    [1, kept("b", "/etc/passwd")],
    [2, end()],
  ] as const;
  expect([...((await turnsOf(...lines))[0]?.before ?? [])]).toEqual([["a", null]]);
});
