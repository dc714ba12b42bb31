// Promise 7 of SECURITY.md.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { noUsage } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { Conversation } from "../src/conversation.ts";
import { listSessions } from "../src/finding/list-sessions.ts";
import type { SessionEvent } from "../src/log/events.ts";
import { resumeConversation, startConversation } from "../src/open.ts";

const call: SessionEvent = { type: "tool_call", id: "c1", name: "bash", arguments: '{"command":"ls"}' };
const step: SessionEvent = {
  type: "step_end",
  model: "x/m",
  finish: "tool_calls",
  usage: { ...noUsage, inputTokens: 3 },
};
const result: SessionEvent = {
  type: "tool_result",
  id: "c1",
  name: "bash",
  json: '{"tool_success":true,"result":{}}',
  durationMs: 1,
};

async function started(...events: SessionEvent[]): Promise<{ home: string; path: string; conversation: Conversation }> {
  const home = await tempDir();
  const conversation = startConversation({ home, cwd: "/proj", secrets: ["sk-very-secret"] });
  for (const event of [{ type: "user", text: "look" } as const, ...events]) conversation.log.append(event);
  return { home, path: join(home, "sessions", `${conversation.id}.jsonl`), conversation };
}

const resume = (home: string, id: string) => resumeConversation({ home, cwd: "/proj", id });

test.each([
  ["interrupted", true],
  ["failed", true],
  ["stop", false],
] as const)("knows whether the answer of a step that ended as %s is whole", async (finish, isCut) => {
  const { home, conversation } = await started({ type: "text", text: "I lo" }, { ...step, finish });
  conversation.log.close();
  const { messages } = resume(home, conversation.id).conversation;
  expect(messages.at(-1)).toMatchObject({ role: "assistant" });
  expect("interrupted" in (messages.at(-1) ?? {})).toBe(isCut);
});

test("continues where it ended", async () => {
  const text: SessionEvent = { type: "text", text: "I look.", metadata: { x: { a: 1 } } };
  const { home, conversation } = await started(
    text,
    call,
    step,
    { type: "tool_start", id: "c1", path: "/bash-tool" },
    result,
  );
  conversation.log.close();
  const { conversation: resumed, notices } = resume(home, conversation.id.slice(0, 18));
  expect({ messages: resumed.messages, usage: resumed.usage.inputTokens, notices, id: resumed.id }).toEqual({
    messages: [
      { role: "user", text: "look" },
      {
        role: "assistant",
        model: "x/m",
        parts: [
          { type: "text", text: "I look.", metadata: { x: { a: 1 } } },
          { type: "tool_call", id: "c1", name: "bash", arguments: '{"command":"ls"}' },
        ],
      },
      { role: "tool", id: "c1", name: "bash", json: '{"tool_success":true,"result":{}}', durationMs: 1 },
    ],
    usage: 3,
    notices: [],
    id: conversation.id,
  });
  resumed.log.append({ type: "user", text: "more" });
  const last = JSON.parse(readFileSync(String(resumed.log.path), "utf8").trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ seq: 7, type: "user", text: "more" });
});

test("gives a call without a result a cancelled one, once", async () => {
  const { home, path, conversation } = await started(call, step, { type: "tool_start", id: "c1", path: "/bash-tool" });
  // What a process that is killed now leaves.
  const left = readFileSync(path);
  conversation.log.close();
  writeFileSync(path, left);
  for (const expectedNotices of [1, 0]) {
    const { conversation: resumed, notices } = resume(home, conversation.id);
    expect(notices).toHaveLength(expectedNotices);
    expect(resumed.messages.filter(({ role }) => role === "tool")).toEqual([
      { role: "tool", id: "c1", name: "bash", json: expect.stringContaining("TOOL_CANCELLED") },
    ]);
    resumed.log.close();
  }
});

test("drops a torn last line, wherever it was cut, and continues after the last whole one", async () => {
  const { home, path, conversation } = await started(call, step, result);
  conversation.log.close();
  const whole = readFileSync(path);
  const lastLine = whole.subarray(0, -1).lastIndexOf(10) + 1;
  for (let cut = whole.length - 1; cut > lastLine; cut -= 7) {
    writeFileSync(path, whole.subarray(0, cut));
    const { conversation: resumed, notices } = resume(home, conversation.id);
    expect(notices).toContainEqual(expect.stringContaining("was incomplete"));
    resumed.log.close();
    for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) JSON.parse(line);
  }
});

test("skips damaged lines and unknown events", async () => {
  const { home, path, conversation } = await started(call, step, result);
  conversation.log.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const orphan = JSON.stringify({ ...result, seq: 9, id: "nobody" });
  lines.splice(2, 0, "{broken", '{"type":"hologram","seq":9}', "\u0000\u0000", orphan, "[]", "null");
  writeFileSync(path, `${lines.join("\n")}\n`);
  const { conversation: resumed, notices } = resume(home, conversation.id);
  expect(notices).toEqual(["Skipped 4 unreadable lines of the session."]);
  expect(resumed.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(readFileSync(path, "utf8")).toContain("hologram");
});

test("gives a second process a copy, and the session after kill -9 of the first", async () => {
  const { home, path, conversation } = await started(call, step, result);
  const second = resume(home, conversation.id);
  expect(second.notices).toEqual([expect.stringContaining("copy")]);
  expect(second.conversation.id).not.toBe(conversation.id);
  second.conversation.log.append({ type: "user", text: "other" });
  expect(readFileSync(path, "utf8")).not.toContain("other");
  const reread = resume(home, second.conversation.id);
  expect(reread.conversation.messages).toHaveLength(3 + 1);
  const text = readlinkSync(`${path}.lock`);
  conversation.log.close();

  const holder = spawn("sleep", ["60"]);
  symlinkSync(lockOf(text, holder.pid, startOf(holder.pid)), `${path}.lock`);
  expect(resume(home, conversation.id).notices).toEqual([expect.stringContaining("copy")]);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(resume(home, conversation.id).notices).toEqual([]);
});

test("ignores a lock of an earlier process with the same ID", async () => {
  const { home, path, conversation } = await started(result);
  const text = readlinkSync(`${path}.lock`);
  conversation.log.close();
  symlinkSync(lockOf(text, process.pid, "1"), `${path}.lock`);
  expect(resume(home, conversation.id).conversation.id).toBe(conversation.id);
});

/** A lock's text as another process would have written it. */
function lockOf(text: string, pid: number | undefined, start: string): string {
  return [pid, start, ...text.split(".").slice(2)].join(".");
}

function startOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? "";
}

test("is private whatever the umask, and contains no key", async () => {
  const umask = process.umask(0);
  const { home, path } = await started({ type: "user", text: "my key is sk-very-secret" });
  process.umask(umask);
  expect((statSync(join(home, "sessions")).mode & 0o777).toString(8)).toBe("700");
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect(readFileSync(path, "utf8")).not.toContain("sk-very-secret");
});

test.each([
  ["is nowhere", "/proc/nope"],
  ["is a file", "FILE"],
])("works without saving when the home %s, and says so", async (_, home) => {
  const place = home === "FILE" ? join(await tempDir({ file: "" }), "file") : home;
  const conversation = startConversation({ home: place, cwd: "/proj" });
  conversation.log.append({ type: "user", text: "hello" });
  conversation.log.close();
  expect(conversation.log.problem).toContain("not being saved");
});

test("writes nothing before the first event", async () => {
  const home = await tempDir();
  startConversation({ home, cwd: "/proj" });
  expect(readdirSync(join(home, "sessions"))).toEqual([]);
});

test("lists the sessions of a directory, the latest first", async () => {
  const { home, conversation } = await started();
  const other = startConversation({ home, cwd: "/other" });
  other.log.append({ type: "user", text: "elsewhere" });
  writeFileSync(join(home, "sessions", "junk.jsonl"), "junk");
  const own = startConversation({ home, cwd: "/proj", isOwn: true });
  own.log.append({ type: "user", text: "asked by ikigai" });
  expect(readdirSync(join(home, "sessions"))).toContain(`${own.id}.jsonl`);
  expect(listSessions(home, "/proj")).toMatchObject([{ id: conversation.id, cwd: "/proj", title: "look" }]);
  expect(listSessions(home)).toHaveLength(2);
  expect(listSessions("/nope")).toEqual([]);
});

test("lists a session whose loaded skill has no call, because the log is damaged, by its text", async () => {
  const home = await tempDir();
  const { log } = startConversation({ home, cwd: "/proj" });
  log.append({ type: "user", text: "Review the code.", typed: true });
  log.close();
  expect(listSessions(home)).toMatchObject([{ title: "Review the code." }]);
});

test("requires exactly one matching session", async () => {
  const { home, conversation } = await started();
  startConversation({ home, cwd: "/" }).log.append({ type: "user", text: "x" });
  expect(() => resume(home, "nope")).toThrow("No session nope found.");
  expect(() => resume(home, conversation.id.slice(0, 4))).toThrow("2 sessions begin with");
  expect(existsSync(join(home, "sessions", "nope.jsonl"))).toBe(false);
});

test("reads an empty log as a session without messages", async () => {
  const { home, path, conversation } = await started();
  conversation.log.close();
  truncateSync(path, 0);
  expect(resume(home, conversation.id).conversation.messages).toEqual([]);
});

test("refuses a FIFO instead of a log immediately", async () => {
  const { home, path, conversation } = await started();
  conversation.log.close();
  rmSync(path);
  execFileSync("mkfifo", [path]);
  expect(() => resume(home, conversation.id)).toThrow(`${path} is not a regular file`);
  expect(listSessions(home)).toEqual([]);
});

test.each([
  [
    { model: "x/b", thinking: "high" },
    { model: "x/b", thinking: "high" },
  ],
  [{ model: "x/b" }, { model: "x/b" }],
  [{ model: "x/b", thinking: "of a later version" }, { model: "x/b" }],
])("knows that %j was used last", async (used, lastUse) => {
  const first: SessionEvent = { ...step, thinking: "low" };
  const { home, conversation } = await started(first, { ...step, ...used } as SessionEvent);
  conversation.log.close();
  expect(resume(home, conversation.id).conversation.lastUse).toEqual(lastUse);
});

const chosen = { type: "use", model: "x/c", thinking: "low" } as const;
const turnEnd = { type: "turn_end", reason: "done" } as const;
const said = { type: "user", text: "b" } as const;

test.each<[string, SessionEvent[], object]>([
  ["after the last answer", [step, turnEnd, chosen], { model: "x/c", thinking: "low" }],
  ["during a turn", [chosen, step, turnEnd], { model: "x/c", thinking: "low" }],
  ["before another answer", [step, turnEnd, chosen, said, { ...step, model: "x/d" }, turnEnd], { model: "x/d" }],
  ["in a later version", [step, { ...chosen, thinking: "vast" as "low" }], { model: "x/c" }],
])("knows the model and thinking level that the user chose %s", async (_, events, lastUse) => {
  const { home, conversation } = await started(...events);
  conversation.log.close();
  expect(resume(home, conversation.id).conversation.lastUse).toEqual(lastUse);
});

test("lists a session by its first message that was not rewound", async () => {
  const { home, conversation } = await started(step, turnEnd, { type: "rewind", to: 1 });
  expect(listSessions(home)).toMatchObject([{ title: "look" }]);
  conversation.log.append({ type: "user", text: "paint" });
  conversation.log.close();
  expect(listSessions(home)).toMatchObject([{ title: "paint" }]);
});

test("knows the model that was used before a rewind", async () => {
  const { home, conversation } = await started(step);
  for (const event of [
    { type: "user", text: "b" },
    { ...step, model: "x/b" },
    { type: "rewind", to: 3 },
  ] as const)
    conversation.log.append(event as SessionEvent);
  conversation.log.close();
  expect(resume(home, conversation.id).conversation.lastUse).toEqual({ model: "x/m" });
});
