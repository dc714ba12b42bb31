// Promise 8 of SECURITY.md.
import { mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@ikigai/models";
import { forkConversation, resumeConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { exportHtml } from "../src/export.ts";
import { type Agent, agent, readSessionMessages } from "./agent-setup.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const secret = "TOP-SECRET";
const leftOut = '{"tool_success":true,"result":{"output":"ok"},"images_left_out":1}';

/** Adds lines to a session as another person could have written them: an image of a message, one of a result, and an old content. */
function nameFile({ conversation: { log } }: Agent, path: string) {
  const images = [{ mediaType: "image/png", path }];
  log.append({ type: "user", text: "look", images });
  log.append({ type: "tool_call", id: "c1", name: "file_write", arguments: "{}" });
  log.append({ type: "checkpoint", id: "c1", path: "/x", kept: path });
  const json = '{"tool_success":true,"result":{"output":"ok"}}';
  log.append({ type: "tool_result", id: "c1", name: "file_write", json, durationMs: 1, images });
}

/** A session with a file of its own, `a.png`, and others around it. */
async function session() {
  const one = await agent({});
  const { log } = one.conversation;
  log.append({ type: "user", text: "hello" });
  const files = String(log.path).replace(/\.jsonl$/, ".files");
  const others = files.replace(/[^/]+$/, "20260101-000000-0badbad0.files");
  const elsewhere = await tempDir({ "a.png": png, secret });
  for (const directory of [files, others]) mkdirSync(directory);
  for (const directory of [files, others]) writeFileSync(join(directory, "a.png"), png);
  return { one, files, others, elsewhere };
}

type Session = Awaited<ReturnType<typeof session>>;

/** What resuming, forking and exporting a session give. */
async function readBack({ one, files }: Session) {
  const { home, project, conversation } = one;
  const place = { home, cwd: project, id: conversation.id };
  const before: unknown[] = [];
  const html = await exportHtml(conversation, {
    describe: (call) => {
      before.push(call.before);
      return { title: "t", details: "d" };
    },
  });
  conversation.log.close();
  const fork = forkConversation(place).conversation;
  const forkedAgain = forkConversation({ ...place, id: fork.id }).conversation;
  const resumed = resumeConversation(place).conversation;
  for (const { log } of [fork, forkedAgain, resumed]) log.close();
  return { files, html, before, read: [fork, forkedAgain, resumed].map(({ messages }) => messages) };
}

const imagesOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "assistant" ? [] : (message.images ?? [])));

test("a session's own image is read, with the type of its content, also in a fork of a fork", async () => {
  const one = await session();
  writeFileSync(join(one.files, "b.png"), Buffer.from("GIF89a"));
  nameFile(one.one, join(one.files, "b.png"));
  const { before, html, read } = await readBack(one);
  const gif = { mediaType: "image/gif", data: Buffer.from("GIF89a").toString("base64") };
  for (const messages of read) expect(imagesOf(messages)).toEqual([gif, gif]);
  expect(before).toEqual([join(one.files, "b.png")]);
  expect(html.match(/src="data:image\/gif/g)).toHaveLength(2);
});

/** Files that a log may name and that are not the session's, and what makes them. */
const foreign: Record<string, (at: Session) => string> = {
  "a file elsewhere": ({ elsewhere }) => join(elsewhere, "secret"),
  "an image elsewhere": ({ elsewhere }) => join(elsewhere, "a.png"),
  "an image of another session": ({ others }) => join(others, "a.png"),
  "a way out of the directory": ({ files, elsewhere }) => `${files}/../../../../../..${join(elsewhere, "a.png")}`,
  "a way back into the directory": ({ files }) => `${files}/../${files.split("/").at(-1)}/a.png`,
  "a link to an image": ({ files, elsewhere }) => {
    symlinkSync(join(elsewhere, "a.png"), join(files, "b.png"));
    return join(files, "b.png");
  },
  "a file in a linked directory": ({ files, others }) => {
    renameSync(files, `${files}.old`);
    symlinkSync(others, files);
    return join(files, "a.png");
  },
  "a file below": ({ files }) => {
    mkdirSync(join(files, "d"));
    writeFileSync(join(files, "d/a.png"), png);
    return join(files, "d/a.png");
  },
  "a directory": ({ files }) => {
    mkdirSync(join(files, "b.png"));
    return join(files, "b.png");
  },
  "the directory itself": ({ files }) => `${files}/.`,
  "a missing file": ({ files }) => join(files, "b.png"),
  "a name that no file has": ({ files }) => join(files, "a\0.png"),
};

test.each(Object.keys(foreign))("%s is neither sent to a model nor exported", async (name) => {
  const one = await session();
  nameFile(one.one, String(foreign[name]?.(one)));
  const { before, html, read } = await readBack(one);
  for (const messages of read) {
    expect(imagesOf(messages)).toEqual([]);
    expect(messages).toContainEqual({ role: "user", text: "look\n[An image was left out.]" });
    expect(messages).toContainEqual(expect.objectContaining({ role: "tool", id: "c1", json: leftOut }));
  }
  expect(before).toEqual([undefined]);
  expect(html).not.toContain("data:image");
});

test("an image of 5 MiB is sent and exported, a larger one is neither", async () => {
  for (const [bytes, count] of [
    [5 * 1_048_576, 2],
    [5 * 1_048_576 + 1, 0],
  ] as const) {
    const one = await session();
    truncateSync(join(one.files, "a.png"), bytes);
    nameFile(one.one, join(one.files, "a.png"));
    const { html, read } = await readBack(one);
    for (const messages of read) expect(imagesOf(messages)).toHaveLength(count);
    expect(html.match(/src="data:image\/png/g) ?? []).toHaveLength(count);
  }
});

test.each<[string, (path: string) => void]>([
  ["no image", (path) => writeFileSync(path, secret)],
  ["empty", (path) => truncateSync(path, 0)],
])("a file of the session that is %s is not sent", async (_, spoil) => {
  const one = await session();
  spoil(join(one.files, "a.png"));
  nameFile(one.one, join(one.files, "a.png"));
  const { read } = await readBack(one);
  for (const messages of read) expect(imagesOf(messages)).toEqual([]);
});

test("an envelope counts the images that are missing together with those that a model rejects", async () => {
  const { one, files } = await session();
  const { log } = one.conversation;
  log.append({ type: "tool_call", id: "c1", name: "show", arguments: "{}" });
  const json = '{"tool_success":true,"result":{"images_left_out":7}}';
  const images = ["a.png", "missing.png"].map((name) => ({ mediaType: "image/png", path: join(files, name) }));
  log.append({ type: "tool_result", id: "c1", name: "show", json, durationMs: 1, images });
  log.append({ type: "drop_images" });
  expect(readSessionMessages(one).at(-1)).toMatchObject({ json: json.replace(/\}$/, ',"images_left_out":2}') });
});
