// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { cleanEnv, ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openFullScreen } from "./terminal.ts";

/** A project, another directory beside it, and a model that reads and changes both. */
async function world() {
  const root = await tempDir({
    "proj/a.txt": "a1\n",
    "other/src/b.txt": "b1\n",
    "other/AGENTS.md": "Use tabs.",
    "home/.ikigai/tools/": "",
  });
  const other = join(root, "other");
  const model = await startModel([
    { calls: [{ name: "file_read", arguments: { file_path: join(other, "src/b.txt") } }] },
    {
      calls: [
        { name: "file_edit", arguments: { file_path: join(other, "src/b.txt"), old_string: "b1", new_string: "b2" } },
        { name: "bash", arguments: { command: `echo c > ${other}/c.txt; echo a2 > a.txt` } },
      ],
    },
  ]);
  const env = { ...(await cleanEnv(join(root, "home"))), ...model.env };
  const run = (...args: string[]) => ikigai(args, { cwd: join(root, "proj"), env });
  const content = (path: string) => readFileSync(join(root, path), "utf8");
  return { root, other, env, model, run, content };
}

const task = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "allow"];

test("works in a directory that --add-dir names, with its instructions, and undoes what changed there", async () => {
  const { root, other, model, run, content } = await world();
  await run(...task, "--add-dir", "../other");
  expect([content("proj/a.txt"), content("other/src/b.txt"), content("other/c.txt")]).toEqual(["a2\n", "b2\n", "c\n"]);
  const system = String(model.requests[0]?.messages[0]?.content);
  expect(system).toContain(`by absolute paths, also to search: ${other}`);
  expect(system).toContain("Use tabs.");
  const { stdout } = await run("undo", "--yes");
  expect(stdout.split("\n").slice(1, 5)).toEqual([
    "  a.txt is restored (3 B)",
    `  ${other}/c.txt is removed`,
    `  ${other}/src/b.txt is restored (3 B)`,
    "Undone: 3 files. To take it back: ikigai undo",
  ]);
  expect([content("proj/a.txt"), content("other/src/b.txt")]).toEqual(["a1\n", "b1\n"]);
  expect(existsSync(join(root, "other/c.txt"))).toBe(false);
  await run("undo", "--yes");
  expect([content("proj/a.txt"), content("other/src/b.txt"), content("other/c.txt")]).toEqual(["a2\n", "b2\n", "c\n"]);
});

test("-C starts in another directory, as git does", async () => {
  const { model, run, content, other } = await world();
  await run(...task, "-C", "../other");
  expect(content("other/a.txt")).toBe("a2\n");
  expect(String(model.requests[0]?.messages[0]?.content)).toContain(other);
  const { stderr, exitCode } = await run(...task, "--cd", "nowhere");
  expect([stderr, exitCode]).toEqual([expect.stringContaining('Cannot start in "nowhere": '), 2]);
});

test.each([
  ["nowhere", "No such directory: "],
  ["a.txt", "a.txt is not a directory."],
  ["..", "contains your home directory: tools could change all of it."],
  ["~", "is your home directory: tools could change all of it."],
  ["~/.ikigai/tools", "has ikigai's own files in it."],
])("refuses --add-dir %s", async (given, why) => {
  const { run } = await world();
  const { exitCode, stderr } = await run(...task, "--add-dir", given);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
});

test("adds a directory in a conversation, and the configured ones; shows paths with the directory's name", async () => {
  const { root, other, env, model, run } = await world();
  await run("config", "set", "directories", JSON.stringify([join(root, "other/src")]));
  const args = ["--model", "openai-compatible/m", "--permission-mode", "allow"];
  const terminal = await openFullScreen(args, { cwd: join(root, "proj"), env });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("/add-dir\r");
  await terminal.waitFor(`${root}/other/src`);
  terminal.type("/add-dir ../other\r");
  await terminal.waitFor("Added for this session; the model learns of it with your next message");
  terminal.type("go\r");
  await terminal.waitFor("file_read  other/src/b.txt");
  await terminal.waitFor("Done.");
  expect(JSON.stringify(model.requests[0])).toContain(`also to search: ${other}`);
  terminal.type("/add-dir ../other\r");
  await terminal.waitFor("It is added already");
  terminal.type("/changes\r");
  await terminal.waitFor("../other/src/b.txt  +1 -1");
});

test("/cd moves calls, relative paths, completion and the footer to a directory of the project, and back", async () => {
  const root = await tempDir({
    "proj/sub/b.txt": "b1\n",
    "proj/sub/AGENTS.md": "Use tabs.",
    "proj/.git/HEAD": "ref: refs/heads/main\n",
    "home/.ikigai/": "",
  });
  const model = await startModel([
    {
      calls: [
        { name: "file_edit", arguments: { file_path: "b.txt", old_string: "b1", new_string: "b2" } },
        { name: "bash", arguments: { command: "touch made" } },
      ],
    },
  ]);
  const env = { ...(await cleanEnv(join(root, "home"))), ...model.env };
  const args = ["--model", "openai-compatible/m", "--permission-mode", "allow"];
  const terminal = await openFullScreen(args, { cwd: join(root, "proj"), env });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("/cd ..\r");
  await terminal.waitFor(`is not in the project. To add it: /add-dir ${root}`);
  terminal.type("/cd su");
  await terminal.waitFor("→ sub/");
  terminal.type("\t\r");
  await terminal.waitFor(`Calls now run in ${root}/proj/sub`);
  await terminal.waitFor(/allow all · \S+\/sub /);
  terminal.type("!pwd\r");
  await terminal.waitFor(/pwd\n {2}\S+\/proj\/sub\n/);
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect([readFileSync(join(root, "proj/sub/b.txt"), "utf8"), existsSync(join(root, "proj/sub/made"))]).toEqual([
    "b2\n",
    true,
  ]);
  const system = String(model.requests[0]?.messages[0]?.content);
  expect(system).toContain(`Calls run in ${root}/proj/sub, and relative paths begin there`);
  expect(system).toContain("Use tabs.");
  terminal.type("/cd ..\r");
  await terminal.waitFor(`Calls now run in ${root}/proj\n`);
  terminal.type("again\r");
  await terminal.waitFor(/again[\s\S]*Done\./);
  expect(JSON.stringify(model.requests.at(-1))).toContain("The change of the working directory: no longer applies.");
});

/** A repository, and a model that changes a file with its first call. */
async function repository() {
  const root = await tempDir({ "proj/a.txt": "a1\n", "home/": "" });
  const cwd = join(root, "proj");
  const env = { ...(await cleanEnv(join(root, "home"))), XDG_STATE_HOME: join(root, "state") };
  const git = (...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "--global", "user.name", "a");
  git("config", "--global", "user.email", "a@b");
  git("add", "-A");
  git("commit", "-qm", "one");
  const changes = { name: "bash", arguments: { command: "echo a2 > a.txt; touch new" } };
  const model = await startModel([{ calls: [changes] }]);
  const options = { cwd, env: { ...env, ...model.env } };
  return { ...options, git, run: (...args: string[]) => ikigai(args, options) };
}

test.each([
  ["m", "Merged ikigai/fix and removed the worktree.", "a2\n", ["main"]],
  ["k", "The worktree is kept: ", "a1\n", ["ikigai/fix", "main"]],
  ["r", "Removed the worktree and the branch ikigai/fix.", "a1\n", ["main"]],
])("asks at the end of a session in a worktree what becomes of it: %s", async (letter, said, content, branches) => {
  const { cwd, env, git } = await repository();
  const args = ["--worktree", "fix", "--model", "openai-compatible/m", "--permission-mode", "allow"];
  const terminal = await openFullScreen(args, { cwd, env });
  await terminal.waitFor(/ikigai\/fix +openai-compatible\/m$/);
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("a1\n");
  terminal.type("/quit\r");
  await terminal.waitFor(/ikigai\/fix has 2 changed files\.\n {2}m [\s\S]*What now\? \[k\]$/);
  terminal.type(`${letter}\r`);
  await terminal.waitFor(said);
  expect(await terminal.exitCode).toBe(0);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe(content);
  expect(existsSync(join(cwd, "new"))).toBe(letter === "m");
  expect(git("branch", "--format=%(refname:short)").trim().split("\n")).toEqual(branches);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(branches.length);
});

test("keeps the worktree of -p, names it, and continues in it", async () => {
  const { run, cwd, env, git } = await repository();
  const flags = ["--model", "openai-compatible/m", "--permission-mode", "allow", "--worktree", "fix"];
  const first = await run("-p", "go", ...flags);
  const [, path = ""] = /The worktree is kept: (\S+), on the branch ikigai\/fix\.\n/.exec(first.stderr) ?? [];
  expect(first.stderr).toContain(`cd ${cwd} && ikigai --worktree fix --continue`);
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("a2\n");
  expect(await run("-p", "go", "--continue", ...flags)).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(2);
  expect((await ikigai(["-p", "go", "-w", "--add-dir", "nowhere"], { cwd, env })).stderr).toContain(
    "Removed the worktree",
  );
  expect((await ikigai(["-p", "go", "-w"], { cwd: await tempDir(), env })).stderr).toContain(
    "No worktree can be made here",
  );
  expect((await run("--worktree", "do it")).stderr).toContain("Put the prompt first, in quotes.");
});

test("keeps the worktree if it cannot be merged, and leaves the project as it was", async () => {
  const { run, cwd, env, git } = await repository();
  await run("-p", "go", "--worktree", "fix", "--model", "openai-compatible/m", "--permission-mode", "allow");
  execFileSync("sh", ["-c", "echo other > a.txt; git commit -qam two"], { cwd, env });
  const terminal = await openFullScreen(["--worktree", "fix", "--model", "openai-compatible/m"], { cwd, env });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("/quit\r");
  await terminal.waitFor("What now?");
  terminal.type("m\r");
  await terminal.waitFor("To continue in it: ");
  expect(git("status", "--short")).toBe("");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("other\n");
});
