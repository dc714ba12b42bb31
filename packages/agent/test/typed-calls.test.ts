import { readFileSync, writeFileSync } from "node:fs";
import { asTyped, listSessions, resumeConversation, startConversation, userTurns } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { exportMarkdown } from "../src/export.ts";
import { recordTypedCall } from "../src/internal.ts";

const json = JSON.stringify({ tool_success: true, result: { output: "clean", exit_code: 0 } });

/** A session whose user has run a command, and then sent a message. */
async function session(args = '{"command":"git status"}', name = "bash") {
  const home = await tempDir();
  const place = { home, cwd: home };
  const conversation = startConversation(place);
  recordTypedCall(conversation, { name, arguments: args }, "typed-1", { json, durationMs: 1 });
  conversation.log.close();
  const resume = () => {
    const resumed = resumeConversation({ ...place, id: conversation.id });
    resumed.conversation.log.close();
    return resumed.conversation;
  };
  return { home, conversation, path: String(conversation.log.path), resume };
}

test("names the user's command in its message, at once and after a resume", async () => {
  const { conversation, resume } = await session();
  expect(conversation.messages).toEqual([
    {
      role: "user",
      text: expect.any(String),
      typed: { name: "bash", arguments: '{"command":"git status"}' },
      ended: { json, durationMs: 1 },
    },
  ]);
  expect(resume().messages).toEqual(conversation.messages);
  expect(userTurns(conversation).map(asTyped)).toEqual(["!git status"]);
});

test.each([
  ["bash", { command: "git status" }, "!git status"],
  ["bash", { command: "npm run watch", background: true }, "!npm run watch &"],
  ["load", { name: "db" }, "/load db"],
  ["load", { name: "db", arguments: "users  in 2025" }, "/load db users  in 2025"],
])("gives a call of %s back as it was typed", async (name, args, typed) => {
  const { home, conversation, resume } = await session(JSON.stringify(args), name);
  expect(userTurns(conversation).map(asTyped)).toEqual([typed]);
  expect(resume().messages).toEqual(conversation.messages);
  expect(listSessions(home)).toMatchObject([{ title: typed.replace(/ +/g, " ") }]);
  expect(exportMarkdown(resume())).toContain(`## You\n\n> ${typed}\n`);
});

test("shows the command as typed in a list of sessions and an export", async () => {
  const { home, resume } = await session();
  expect(listSessions(home)).toMatchObject([{ title: "!git status" }]);
  const exported = exportMarkdown(resume());
  expect(exported).toContain("## You\n\n> !git status\n");
  expect(exported).toContain('### bash\n\n```json\n{"command":"git status"}\n```\n\n```text\nclean\n```\n');
  expect(exported).not.toContain("tool_success");
});

test("treats the same text from the user as text", async () => {
  const { conversation, path, resume } = await session();
  const [message] = conversation.messages;
  const text = message?.role === "user" ? message.text : "";
  writeFileSync(path, readFileSync(path, "utf8").replace(',"typed":true', ""));
  expect(resume().messages).toEqual([{ role: "user", text }]);
  expect(userTurns(conversation).map(asTyped)).toEqual([text]);
});

test("shows the message for a lost call, or one that the user cannot type", async () => {
  const { path, resume } = await session();
  writeFileSync(path, readFileSync(path, "utf8").replace('"type":"typed_call"', '"type":"typed_'));
  expect(resume().messages).toEqual([{ role: "user", text: expect.stringContaining("git status") }]);
  const other = await session('{"command":7}');
  expect(other.conversation.messages).toEqual([{ role: "user", text: expect.any(String) }]);
  expect(other.resume().messages).toEqual(other.conversation.messages);
});
