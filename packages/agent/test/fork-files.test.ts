import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Message } from "@ikigai/models";
import { forkConversation } from "@ikigai/session";
import { expect, test } from "vitest";
import { agent } from "./agent-setup.ts";
import { modelServer, status } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tooLong = status(400, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } });

/** A session with an image, a changed file and a result moved out of the conversation; then the original is deleted. */
async function forked() {
  const one = await agent(
    {
      file_write: `cat > /dev/null; printf new > a.txt; echo '{"output":"ok","bytes":3}'`,
      big: `printf '{"output": "%05000d"}' 0`,
    },
    { "a.txt": "old" },
  );
  const call = (name: string) => ({ calls: [{ id: name, name, arguments: '{"file_path":"a.txt"}' }] });
  const server = await modelServer(call("file_write"), call("big"), tooLong, { text: "ok" });
  const images = [{ mediaType: "image/png", data: pixel }];
  await one.say(await modelOf(providers[0], server.url), { text: "look", images });
  one.conversation.log.close();
  const path = String(one.conversation.log.path);
  const fork = forkConversation({ home: one.home, cwd: one.project, id: one.conversation.id });
  for (const suffix of [".jsonl", ".files", ".outputs"]) {
    rmSync(path.replace(/\.jsonl$/, suffix), { recursive: true });
  }
  return { one, fork: fork.conversation };
}

const outputOf = (messages: readonly Message[]) =>
  /they are in (\S+\.txt)\)/.exec(messages.map((message) => (message.role === "tool" ? message.json : "")).join())?.[1];

test("keeps images, results and rewind points of a fork when the original is deleted", async () => {
  const { one, fork } = await forked();
  const again = forkConversation({ home: one.home, cwd: one.project, id: fork.id }).conversation;
  for (const conversation of [fork, again]) {
    expect(conversation.messages[0]).toMatchObject({ images: [{ data: pixel }] });
    expect(readFileSync(String(outputOf(conversation.messages)), "utf8")).toMatch(/^0{5000}$/);
    conversation.log.close();
  }
  const files = String(fork.log.path).replace(/\.jsonl$/, ".files");
  expect(readdirSync(files).map((name) => readFileSync(join(files, name), "latin1"))).toContain("old");
});

test("does not copy files outside the session's directory", async () => {
  const one = await agent({}, { secret: "TOP SECRET" });
  const sessions = dirname(String(one.conversation.log.path));
  one.conversation.log.close();
  const id = "20260101-000000-0badbad0";
  const line = (seq: number, event: object) => `${JSON.stringify({ seq, time: new Date().toISOString(), ...event })}\n`;
  const secret = join(one.project, "secret");
  mkdirSync(join(sessions, `${id}.files`));
  const others = join(sessions, "20260101-000000-00000000.outputs");
  mkdirSync(others);
  writeFileSync(join(others, "1.txt"), "TOP SECRET");
  symlinkSync(secret, join(sessions, `${id}.files`, "link"));
  const kept = [secret, join(sessions, `${id}.files`, "link"), join(sessions, `${id}.files/../../../x.files/y`)];
  writeFileSync(
    join(sessions, `${id}.jsonl`),
    [
      line(0, { type: "session", version: 1, id, cwd: one.project }),
      line(1, { type: "user", text: "go" }),
      line(1, { type: "compact", before: 1, directory: others }),
      ...kept.map((path, n) => line(n + 2, { type: "checkpoint", id: `${n}.files`, path: "/x", kept: path })),
    ].join(""),
  );
  const { conversation } = forkConversation({ home: one.home, cwd: one.project, id });
  conversation.log.close();
  const own = String(conversation.log.path).replace(/\.jsonl$/, ".files");
  expect(existsSync(own) ? readdirSync(own) : []).toEqual([]);
  expect(existsSync(own.replace(/\.files$/, ".outputs"))).toBe(false);
  expect(readFileSync(String(conversation.log.path), "utf8")).toContain(JSON.stringify(secret));
});
