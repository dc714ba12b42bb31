// Promise 4 of SECURITY.md.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SandboxSettings } from "@ikigai/core";
import { changedFiles, forkConversation, keepCheckpoint, restoreFile } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import type { ToolSettings } from "../src/config/tool-settings.ts";
import { changedPath } from "../src/turn/call-files.ts";
import { type Agent, agent } from "./agent-setup.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";

const isRoot = process.getuid?.() === 0;

let calls = 0;

/** A session in which file_write calls have changed files. */
async function session(files: Parameters<typeof agent>[1] = {}) {
  const one = await agent({}, files);
  const { project, conversation } = one;
  const write = (file_path: string, content: string, settings: ToolSettings & { cwd?: string } = {}) => {
    const id = `c${calls++}`;
    const circumstances = { cwd: project, projectDir: project, ...settings };
    const call = { tool: registeredTool("file_write"), args: { file_path, content }, circumstances };
    const changed = changedPath(call);
    const checkpoint = changed === undefined ? undefined : keepCheckpoint(conversation, { id, path: changed });
    if (checkpoint) conversation.log.append(checkpoint);
    if (!settings.sandbox) writeFileSync(join(project, file_path), content);
    return checkpoint;
  };
  return { ...one, write, path: (name: string) => join(project, name) };
}

const restoreAll = async ({ conversation }: Agent) => {
  const said: string[] = [];
  for (const file of changedFiles(conversation, 0)) {
    said.push(...(await restoreFile(file).catch((error: Error) => [error.message])));
  }
  return said;
};

test("does not follow a symlink that replaced a directory, to write or to remove", async () => {
  const outside = await tempDir({ ".bashrc": "mine", "new.txt": "mine" });
  const one = await session({ "d/.bashrc": "evil" });
  one.write("d/.bashrc", "harmless");
  one.write("d/new.txt", "harmless");
  renameSync(one.path("d"), one.path("e"));
  symlinkSync(outside, one.path("d"));
  expect(await restoreAll(one)).toEqual([
    expect.stringMatching(
      /^The path .*d\/\.bashrc now contains a symlink, so the file was not restored\. Its old content is in /,
    ),
    expect.stringMatching(/^The path .*d\/new\.txt now contains a symlink, so the file was not restored\.$/),
  ]);
  expect(readdirSync(outside).map((name) => readFileSync(join(outside, name), "utf8"))).toEqual(["mine", "mine"]);
});

test("leaves another directory of the same name alone", async () => {
  const one = await session({ "d/a": "evil", "git/a": "mine" });
  one.write("d/a", "harmless");
  renameSync(one.path("d"), one.path("e"));
  renameSync(one.path("git"), one.path("d"));
  expect(await restoreAll(one)).toEqual([expect.stringContaining("is a different directory now")]);
  expect(readFileSync(one.path("d/a"), "utf8")).toBe("mine");
});

test("reports a missing directory, and something else in place of the file", async () => {
  const one = await session({ "d/a": "old", b: "old" });
  one.write("d/a", "new");
  one.write("b", "new");
  rmSync(one.path("d"), { recursive: true });
  rmSync(one.path("b"));
  mkdirSync(one.path("b"));
  expect(await restoreAll(one)).toEqual([
    expect.stringMatching(/^The directory .*d no longer exists\. Its old content is in /),
    expect.stringMatching(/b is no longer a regular file\./),
  ]);
});

test("reports a symlink in place of the file, and leaves its target", async () => {
  const one = await session({ a: "old", b: "mine" });
  one.write("a", "new");
  rmSync(one.path("a"));
  symlinkSync("b", one.path("a"));
  expect(await restoreAll(one)).toEqual([expect.stringContaining("now contains a symlink")]);
  expect(readFileSync(one.path("b"), "utf8")).toBe("mine");
});

test("writes neither outside the project nor to protected places for another user's session", async () => {
  const outside = await tempDir({ ".bashrc": "mine" });
  const one = await session({ ".git/config": "mine", "sub/.git/hooks/": "" });
  const { conversation } = one;
  const kept = `${String(conversation.log.path).replace(/\.jsonl$/, ".files")}/0123`;
  mkdirSync(join(kept, ".."));
  writeFileSync(kept, "evil");
  const elsewhere = join(outside, "evil");
  writeFileSync(elsewhere, "evil");
  for (const path of [join(outside, ".bashrc"), one.path(".git/config"), one.path("sub/.git/hooks/pre-commit")]) {
    conversation.log.append({ type: "checkpoint", id: path, path, kept });
  }
  symlinkSync(elsewhere, `${kept}.link`);
  for (const [name, from] of Object.entries({ a: elsewhere, b: `${kept}.link` }))
    conversation.log.append({ type: "checkpoint", id: name, path: one.path(name), kept: from });
  expect(await restoreAll(one)).toEqual([
    ...Array.from({ length: 3 }, () => expect.stringContaining("is outside the project, so it was not restored")),
    ...Array.from({ length: 2 }, () => expect.stringContaining("is not a copy of this session")),
  ]);
  expect(readFileSync(join(outside, ".bashrc"), "utf8")).toBe("mine");
  expect(readFileSync(one.path(".git/config"), "utf8")).toBe("mine");
  expect(existsSync(one.path("a"))).toBe(false);
});

test("rewinds an old session without recorded directories inside the project", async () => {
  const one = await session({ a: "new" });
  const kept = `${String(one.conversation.log.path).replace(/\.jsonl$/, ".files")}/0123`;
  mkdirSync(join(kept, ".."));
  writeFileSync(kept, "old");
  one.conversation.log.append({ type: "checkpoint", id: "x", path: one.path("a"), kept });
  expect(await restoreAll(one)).toEqual([]);
  expect(readFileSync(one.path("a"), "utf8")).toBe("old");
});

test("restores names of any length, and leaves nothing next to them", async () => {
  const names = [230, 240, 255].map((length) => "n".repeat(length));
  const one = await session(Object.fromEntries(names.map((name) => [name, "old"])));
  for (const name of names) one.write(name, "new");
  one.write("m".repeat(255), "new");
  expect(await restoreAll(one)).toEqual([]);
  expect(readdirSync(one.project).sort()).toEqual(names);
  for (const name of names) expect(readFileSync(one.path(name), "utf8")).toBe("old");
});

test("restores the mode, also of a deleted file", async () => {
  const one = await session({ secret: "old", tool: "old" });
  chmodSync(one.path("secret"), 0o600);
  chmodSync(one.path("tool"), 0o755);
  one.write("secret", "new");
  one.write("tool", "new");
  rmSync(one.path("secret"));
  expect(await restoreAll(one)).toEqual([]);
  expect(["secret", "tool"].map((name) => statSync(one.path(name)).mode & 0o777)).toEqual([0o600, 0o755]);
});

test.runIf(isRoot)("restores owner and group (needs root)", async () => {
  const one = await session({ a: "old", gone: "old" });
  for (const name of ["a", "gone"]) spawnSync("chown", ["1234:1235", one.path(name)]);
  one.write("a", "new");
  one.write("gone", "new");
  rmSync(one.path("gone"));
  expect(await restoreAll(one)).toEqual([]);
  for (const name of ["a", "gone"]) expect(lstatSync(one.path(name))).toMatchObject({ uid: 1234, gid: 1235 });
});

const canSetAcl = spawnSync("setfacl", ["--version"]).status === 0;

test.runIf(canSetAcl)("keeps an access control list (needs setfacl)", async () => {
  const one = await session({ a: "old" });
  chmodSync(one.path("a"), 0o600);
  spawnSync("setfacl", ["-m", "u:1234:rw", one.path("a")]);
  const list = () => String(spawnSync("getfacl", ["-n", "--omit-header", one.path("a")]).stdout);
  const before = list();
  one.write("a", "new");
  await restoreAll(one);
  expect({ content: readFileSync(one.path("a"), "utf8"), list: list() }).toEqual({ content: "old", list: before });
});

describe.skipIf(!hasBubblewrap)("in a sandboxed call (needs bwrap)", () => {
  test("saves and rewinds nothing that the call could not change", async () => {
    const outside = await tempDir({ file: "mine", "granted/file": "mine" });
    const one = await session({ ".git/config": "mine", "secret/a": "mine", "src/a": "mine" });
    mkdirSync(one.path(".git/objects"));
    const userHome = await tempDir();
    const sandbox: SandboxSettings = {
      ...{ home: one.home, userHome, network: false },
      ...{ writable: [join(outside, "granted")], readable: [], hidden: [one.path("secret")] },
    };
    const tried = [
      "src/a",
      "new",
      join(outside, "granted/file"),
      join(outside, "file"),
      "/tmp/of-the-host",
      ".git/config",
      ".ikigai/config.json",
      "secret/a",
    ];
    const kept = tried.filter((path) => one.write(path, "new", { sandbox }) !== undefined);
    expect(kept).toEqual(tried.slice(0, 3));
  });
});

test("restores what the session saved from a fork", async () => {
  const one = await session({ a: "old" });
  one.write("a", "new");
  one.conversation.log.append({ type: "user", text: "next" });
  const { id, cwd } = one.conversation;
  const { conversation } = forkConversation({ home: one.home, cwd, id });
  expect(await restoreAll({ ...one, conversation })).toEqual([]);
  expect(readFileSync(one.path("a"), "utf8")).toBe("old");
  conversation.log.close();
});
