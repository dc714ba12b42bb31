import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changedFiles, forkConversation, restoreFile, rewindConversation, userTurns } from "@ikigai/session";
import { expect, test } from "vitest";
import { type Agent, agent, noticesIn, readSessionMessages } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;

/** Writes like the real tool, as far as a shell can. */
const writer = `read -r line
path=$(printf %s "$line" | sed 's/.*"file_path":"\\([^"]*\\)".*/\\1/')
printf %s "$line" | sed 's/.*"content":"\\([^"]*\\)".*/\\1/' > "$path"
echo '{"output":"written","bytes":1}'`;

let calls = 0;
const write = (file_path: string, content: string) => ({
  calls: [{ id: `c${calls++}`, name: "file_write", arguments: JSON.stringify({ file_path, content }) }],
});

/** Three messages: a new file, a change of an old one, a second change of it. */
async function edited(): Promise<Agent & { read(name: string): string | undefined }> {
  const one = await agent({ file_write: writer }, { "old.txt": "old\n", link: { link: "old.txt" } });
  const server = await modelServer(
    ...[write("new.txt", "n1"), { text: "Made it." }],
    ...[write("link", "o1"), { text: "Changed it." }],
    ...[write("old.txt", "o2"), { text: "Again." }],
  );
  const model = await modelOf(anthropic, server.url);
  for (const text of ["first", "second", "third"]) await one.say(model, text);
  const read = (name: string) => {
    const path = join(one.project, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  return { ...one, read };
}

const seqOf = ({ conversation }: Agent, text: string) =>
  userTurns(conversation).find((turn) => turn.text === text)?.seq ?? -1;
const textsOf = (messages: readonly { role: string }[]) => messages.flatMap((one) => ("text" in one ? [one.text] : []));

test("restores the old content of files, and removes new ones", async () => {
  const one = await edited();
  expect([one.read("new.txt"), one.read("old.txt")]).toEqual(["n1", "o2"]);
  const mode = statSync(join(one.project, "old.txt")).mode;
  const files = changedFiles(one.conversation, seqOf(one, "second"));
  expect(files).toMatchObject([
    { path: join(one.project, "old.txt"), kept: expect.any(String), isChangedSince: false },
  ]);
  // Its content may be secret, whatever the mode of the original file.
  expect(statSync(String(files[0]?.kept)).mode & 0o777).toBe(0o600);
  for (const file of files) expect(await restoreFile(file)).toEqual([]);
  expect([one.read("new.txt"), one.read("old.txt")]).toEqual(["n1", "old\n"]);
  expect(statSync(join(one.project, "old.txt")).mode).toBe(mode);
  for (const file of changedFiles(one.conversation, seqOf(one, "first"))) await restoreFile(file);
  expect([one.read("new.txt"), one.read("old.txt")]).toEqual([undefined, "old\n"]);
  expect(changedFiles(one.conversation, 0)).toEqual([]);
});

test("reports what something else has changed since", async () => {
  const one = await edited();
  writeFileSync(join(one.project, "old.txt"), "mine");
  rmSync(join(one.project, "new.txt"));
  expect(changedFiles(one.conversation, 0)).toMatchObject([
    { path: join(one.project, "old.txt"), kept: expect.any(String), isChangedSince: true },
  ]);
});

test("restores the conversation, also after a resume, and continues", async () => {
  const one = await edited();
  rewindConversation(one.conversation, seqOf(one, "second"));
  expect(textsOf(one.conversation.messages)).toEqual(["first"]);
  const server = await modelServer({ text: "Otherwise." });
  await one.say(await modelOf(anthropic, server.url), "second, otherwise");
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("third");
  expect(userTurns(one.conversation).map(({ text }) => text)).toEqual(["first", "second, otherwise"]);
  rewindConversation(one.conversation, seqOf(one, "second, otherwise"));
  expect(textsOf(readSessionMessages(one))).toEqual(["first"]);
});

test("ends a fork before the message and leaves the session alone", async () => {
  const one = await edited();
  const { id, cwd } = one.conversation;
  const { conversation: fork } = forkConversation({ home: one.home, cwd, id, before: seqOf(one, "third") });
  expect(textsOf(fork.messages)).toEqual(["first", "second"]);
  expect(fork.id).not.toBe(id);
  fork.log.append({ type: "user", text: "elsewhere" });
  rewindConversation(fork, userTurns(fork).at(-1)?.seq ?? 0);
  expect(textsOf(fork.messages)).toEqual(["first", "second"]);
  fork.log.close();
  expect(textsOf(readSessionMessages(one))).toEqual(["first", "second", "third"]);
});

test("changes a file that cannot be saved, and notifies the user", async () => {
  const one = await agent({ file_write: writer }, { "old.txt": "old\n" });
  writeFileSync(`${one.conversation.log.path}`.replace(/\.jsonl$/, ".files"), "in the way");
  const server = await modelServer(write("old.txt", "o1"), { text: "Done." });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(noticesIn(events)).toEqual([expect.stringMatching(/^What this call changes cannot be undone: /)]);
  expect(readFileSync(join(one.project, "old.txt"), "utf8")).toBe("o1");
});
