import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { readLines } from "../src/log/read-log.ts";
import { compactMessages } from "../src/log/rebuild.ts";
import { copySession, resumeConversation, startConversation } from "../src/open.ts";

test("is not affected by a line with a damaged number", async () => {
  const home = await tempDir();
  const { id, log } = startConversation({ home, cwd: "/" });
  log.append({ type: "user", text: "first" });
  log.close();
  const path = join(home, "sessions", `${id}.jsonl`);
  const damaged = readFileSync(path, "utf8").replace('{"seq":1,', `{"seq":${Number.MAX_SAFE_INTEGER},`);
  writeFileSync(path, damaged);
  for (const text of ["second", "third"]) {
    const { log: resumed } = resumeConversation({ home, cwd: "/", id }).conversation;
    resumed.append({ type: "user", text });
    resumed.close();
  }
  const { conversation, notices } = resumeConversation({ home, cwd: "/", id });
  conversation.log.close();
  expect(notices).toEqual([]);
  expect(conversation.messages).toMatchObject([{ text: "first" }, { text: "second" }, { text: "third" }]);
});

test("keeps a result of 400 characters when making room, and shortens a longer one once", () => {
  const result = (length: number): Message => {
    const json = JSON.stringify({ tool_success: true, result: { output: "" } });
    return { role: "tool", id: "c1", name: "bash", json: json.replace('""', `"${"a".repeat(length - json.length)}"`) };
  };
  const messages = [result(400), result(401), result(5_000), result(5_000)];
  const { saved } = compactMessages(messages, 3);
  expect(messages.map((message) => message.role === "tool" && message.shortened === true)).toEqual([
    ...[false, true, true],
    // Not among the results to shorten.
    false,
  ]);
  expect(saved).toBeGreaterThan(4_500);
  const once = structuredClone(messages.slice(0, 3));
  expect(compactMessages(messages, 3).saved).toBe(0);
  expect(messages.slice(0, 3)).toEqual(once);
});

test("reads a line that is longer than one chunk", async () => {
  const lines = ["a", "b".repeat(3.5 * 1_048_576), "c"];
  const path = join(await tempDir({ log: `${lines.join("\n")}\n` }), "log");
  expect([...readLines(path)].map(({ length }) => length)).toEqual(lines.map(({ length }) => length));
});

test("ends a copy before the requested line, without files from elsewhere", async () => {
  const dir = await tempDir({ "sessions/": "", "elsewhere/x.outputs/0-c1.txt": "not a session's" });
  const [from, to, elsewhere] = [join(dir, "sessions/a.jsonl"), join(dir, "sessions/b.jsonl"), join(dir, "elsewhere")];
  const header = { type: "session", version: 1, id: "a", cwd: "/" } as const;
  const compact = { type: "compact", before: 1, directory: join(elsewhere, "x.outputs") };
  const events = [header, { type: "user", text: "first" }, compact, { type: "user", text: "second" }];
  writeFileSync(from, events.map((event, seq) => `${JSON.stringify({ seq, time: "", ...event })}\n`).join(""));
  copySession(from, to, { ...header, id: "b" }, 3);
  const copied = [...readLines(to)].map((line) => JSON.parse(line));
  expect(copied.map(({ type }) => type)).toEqual(["session", "user", "compact"]);
  expect(copied[2].directory).toBe(compact.directory);
});
