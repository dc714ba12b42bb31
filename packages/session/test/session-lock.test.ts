import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { lockSession } from "../src/log/log.ts";
import { resumeConversation, startConversation } from "../src/open.ts";

async function closedSession(): Promise<{ home: string; id: string; path: string; lock: string }> {
  const home = await tempDir();
  const { id, log } = startConversation({ home, cwd: "/" });
  log.append({ type: "user", text: "first" });
  const lock = readlinkSync(`${log.path}.lock`);
  log.close();
  return { home, id, path: log.path ?? "", lock };
}

test.runIf(process.platform === "linux")("continues a session whose last process is a zombie", async () => {
  const { home, id, path, lock } = await closedSession();
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const stat = () =>
    readFileSync(`/proc/${String(line).trim()}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  symlinkSync([String(line).trim(), stat()[19], ...lock.split(".").slice(2)].join("."), `${path}.lock`);
  expect(resumeConversation({ home, id, cwd: "/" }).conversation.id).not.toBe(id);
  // The shell may still collect its child; the program that takes its place does not.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
  process.kill(Number(line), "SIGKILL");
  await expect.poll(() => stat()[0]).toBe("Z");
  expect(resumeConversation({ home, id, cwd: "/" }).conversation.id).toBe(id);
});

test("names a directory at the lock's path", async () => {
  const { home, id, path } = await closedSession();
  mkdirSync(`${path}.lock`);
  const { log } = resumeConversation({ home, id, cwd: "/" }).conversation;
  expect(log.problem).toBe(
    `This session is not being saved: ${path}.lock is a directory, but ikigai needs this path for a lock file. Move it away.`,
  );
});

test("stops writing a log whose lock another process took, and says so", async () => {
  const { home, id, path } = await closedSession();
  const { log } = resumeConversation({ home, id, cwd: "/" }).conversation;
  unlinkSync(`${path}.lock`);
  const other = lockSession(`${path}.lock`);
  log.append({ type: "user", text: "second" });
  expect(log.problem).toContain("another one opened the session");
  expect(readFileSync(path, "utf8")).not.toContain("second");
  log.close();
  expect(other?.isOwn()).toBe(true);
  other?.release();
});

test("continues a log whose lock was removed by hand", async () => {
  const { home, id, path } = await closedSession();
  const { log } = resumeConversation({ home, id, cwd: "/" }).conversation;
  unlinkSync(`${path}.lock`);
  log.append({ type: "user", text: "second" });
  expect(log.problem).toBeUndefined();
  expect(lockSession(`${path}.lock`)).toBeUndefined();
  log.close();
});

test("adds a result to a log that is closed during a call", async () => {
  const { home, id } = await closedSession();
  const { log } = resumeConversation({ home, id, cwd: "/" }).conversation;
  for (const call of ["a", "b"]) log.append({ type: "tool_call", id: call, name: "bash", arguments: "{}" });
  log.append({ type: "tool_result", id: "a", name: "bash", json: '{"tool_success":true,"result":{}}', durationMs: 1 });
  log.close();
  const { conversation, notices } = resumeConversation({ home, id, cwd: "/" });
  expect(notices).toEqual([]);
  expect(conversation.messages.at(-1)).toMatchObject({
    role: "tool",
    id: "b",
    json: expect.stringContaining("TOOL_CANCELLED"),
  });
  conversation.log.close();
});
