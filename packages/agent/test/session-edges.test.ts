import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { type Message, resumeConversation, startConversation } from "../src/internal.ts";
import { compactMessages } from "../src/session/compact-messages.ts";

test("a line with a damaged number does not spoil those that are written after it", async () => {
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

test("a result of 400 characters stays when room is made, and a longer one is shortened once", () => {
  const result = (length: number): Message => {
    const json = JSON.stringify({ tool_success: true, result: { output: "" } });
    return { role: "tool", id: "c1", name: "bash", json: json.replace('""', `"${"a".repeat(length - json.length)}"`) };
  };
  const messages = [result(400), result(401), result(5_000), result(5_000)];
  const { saved } = compactMessages(messages, 3);
  expect(messages.map((message) => message.role === "tool" && message.shortened === true)).toEqual([
    ...[false, true, true],
    // Not among those that were to be shortened.
    false,
  ]);
  expect(saved).toBeGreaterThan(4_500);
  const once = structuredClone(messages.slice(0, 3));
  expect(compactMessages(messages, 3).saved).toBe(0);
  expect(messages.slice(0, 3)).toEqual(once);
});
