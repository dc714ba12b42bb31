// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";
import { greeter, readRecord, world } from "./tool-world.ts";

test.each([
  [
    "a link out of the package",
    (pack: string) => symlinkSync("../../hello-tool", join(pack, "lib")),
    /The link lib points to "\.\.\/\.\.\/hello-tool", which is not in the package/,
  ],
  [
    "an absolute link",
    (pack: string) => symlinkSync("/etc/passwd", join(pack, "lib")),
    /The link lib points to "\/etc\/passwd", which is not in the package/,
  ],
  ["a FIFO", (pack: string) => execFileSync("mkfifo", [join(pack, "pipe")]), /pipe is neither a file nor a folder/],
  [
    "a tool outside the package",
    (pack: string) => writeFileSync(join(pack, "package.json"), '{"ikigai":{"tools":["../hello-tool"]}}'),
    /The tool \.\.\/hello-tool is outside the package/,
  ],
  [
    "a tool that is not built",
    (pack: string) => writeFileSync(join(pack, "package.json"), '{"bin":{"x-tool":"dist/x"}}'),
    /The package does not contain its tool dist\/x\. Build it, then add it again\.\n/,
  ],
  [
    "no tool",
    (pack: string) => writeFileSync(join(pack, "package.json"), '{"ikigai":{"tools":[]}}'),
    /No tool found\. A package has one if /,
  ],
  [
    "an invalid schema",
    (pack: string) => writeFileSync(join(pack, "x-tool"), "#!/bin/sh\necho no", { mode: 0o755 }),
    /The --schema of x fails: invalid JSON.* Nothing was added\. To find out more: ikigai tool check \/.*\/packs\/pack\/x-tool\n/,
  ],
  [
    "an invalid tool name",
    (pack: string) => writeFileSync(join(pack, "9bad-tool"), "#!/bin/sh\n", { mode: 0o755 }),
    /Expected 1 to 64 letters, .* before -tool, beginning with a letter, got "9bad": .* Nothing was added\. Rename 9bad-tool, for example to bad-tool\n/,
  ],
  [
    "a tool name without a letter",
    (pack: string) => writeFileSync(join(pack, "1-tool"), "#!/bin/sh\n", { mode: 0o755 }),
    /got "1": .* Rename 1-tool, for example to my-tool\n/,
  ],
  [
    "a tool without -tool beside another",
    (pack: string) => {
      writeFileSync(join(pack, "plain"), "#!/bin/sh\n", { mode: 0o755 });
      writeFileSync(join(pack, "package.json"), '{"ikigai":{"tools":["./a-tool","./plain"]}}');
    },
    /ends in -tool, got "plain"\. Nothing was added\. Rename \.\/plain, for example to plain-tool\n/,
  ],
])("refuses %s, and leaves nothing behind", async (_, spoil, reason) => {
  const { root, home, run } = await world({
    "hello-tool": greeter("hello", "hello"),
    "packs/pack/a-tool": greeter("a", "a"),
  });
  spoil(join(root, "packs/pack"));
  const { exitCode, stderr } = await run("add", "../packs/pack", "--yes");
  expect(stderr).toMatch(reason);
  expect(exitCode).toBe(1);
  expect(existsSync(join(home, "packages"))).toBe(false);
  expect([existsSync(join(home, "tools")), existsSync(join(home, "tools.json"))]).toEqual([false, false]);
});

test("the only tool of a package can be named if its file has no name for a tool", async () => {
  const { home, run } = await world({
    "packs/pack/plain": greeter("plain", "hello"),
    "packs/pack/package.json": '{"ikigai":{"tools":["./plain"]}}',
  });
  const { stderr } = await run("add", "../packs/pack", "--yes");
  expect(stderr).toContain(
    'Expected a file name that ends in -tool, got "plain". Nothing was added. To name the tool: --name NAME\n',
  );
  expect((await run("add", "../packs/pack", "--yes", "--name", "9")).stderr).toContain("Choose another --name.\n");
  expect((await run("add", "../packs/pack", "--yes", "--name", "plain")).exitCode).toBe(0);
  expect(readdirSync(join(home, "tools"))).toEqual(["plain-tool"]);
});

function commitAll(repo: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", "-C", repo, ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
}

test.each([
  ["that names a tool", '{"bin":{"x-tool":"dist/x"}}', "The package does not contain its tool dist/x. "],
  ["without a tool", "{}", "ikigai builds nothing. "],
])("advises to clone a repository %s that is not built", async (_, manifest, problem) => {
  const { root, run } = await world({ "repo/package.json": manifest });
  commitAll(join(root, "repo"));
  const { stderr } = await run("add", `file://${root}/repo`, "--yes");
  expect(stderr).toContain(`${problem}Clone the repository, build the tool, and add the folder.\n`);
});

test("names the file to check if a schema fails, or says that the package was not kept", async () => {
  const { root, run } = await world({
    "broken-tool": "#!/bin/sh\nexit 3\n",
    "a repo/bin/broken-tool": "#!/bin/sh\nexit 3\n",
  });
  const repo = join(root, "a repo");
  commitAll(repo);
  const endOf = async (source: string) => (await run("add", source, "--yes")).stderr.replace(/^.* was added\. /s, "");
  expect(await endOf("../broken-tool")).toBe(`To find out more: ikigai tool check ${root}/broken-tool\n`);
  expect(await endOf("../a repo")).toBe(`To find out more: ikigai tool check '${root}/a repo/bin/broken-tool'\n`);
  expect(await endOf(`file://${encodeURI(repo)}`)).toBe(
    "The package was not kept. Its author can find out more in its folder: ikigai tool check ./bin/broken-tool\n",
  );
});

test("a failure half-way leaves the installed version", async () => {
  const { root, home, run, call } = await world({
    "pack/package.json": '{"name":"pack","version":"1.0.0"}',
    "pack/a-tool": greeter("a", "one"),
    "pack/b-tool": greeter("b", "one"),
  });
  await run("add", "../pack", "--yes");
  const before = readRecord(home);
  for (const name of ["a", "b"]) writeFileSync(join(root, `pack/${name}-tool`), greeter(name, "two"));
  // Blocks the second tool after the first one is installed.
  const state = () => [readRecord(home), readdirSync(join(home, "tools")), readdirSync(join(home, "packages/pack"))];
  const old = state();
  mkdirSync(join(home, "tools/b-tool.old"));
  const { exitCode, stderr } = await run("update", "--yes");
  expect(stderr).toContain("Nothing was changed: ");
  expect(exitCode).toBe(1);
  rmdirSync(join(home, "tools/b-tool.old"));
  expect(state()).toEqual(old);
  expect(readRecord(home)).toEqual(before);
  expect([await call("a"), await call("b")]).toEqual(["one", "one"]);
});

test("a failure half-way restores manual edits of the same version", async () => {
  const { root, home, run, call } = await world({
    "pack/package.json": '{"name":"pack","version":"1.0.0"}',
    "pack/a-tool": greeter("a", "one"),
    "pack/b-tool": greeter("b", "one"),
  });
  await run("add", "../pack", "--yes");
  const folder = join(home, "packages", readRecord(home).pack.directory);
  writeFileSync(join(folder, "a-tool"), greeter("a", "edited"));
  // The folder of the same version is moved aside before the second tool fails to install.
  mkdirSync(join(home, "tools/b-tool.old"));
  for (const args of [["add", "../pack"], ["update"]]) {
    const { exitCode, stderr } = await run(...args, "--yes");
    expect(stderr).toContain("Nothing was changed: ");
    expect(exitCode).toBe(1);
    expect(readdirSync(join(home, "packages/pack"))).toEqual([folder.split("/").at(-1)]);
    expect([await call("a"), await call("b")]).toEqual(["edited", "one"]);
  }
  rmdirSync(join(home, "tools/b-tool.old"));
  expect(await run("update", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await call("a")).toBe("one");
  expect(existsSync(join(root, "pack/a-tool"))).toBe(true);
});

test("a project's tool from outside the project can be updated only where its source exists", async () => {
  const { root, run } = await world({ "hello-tool": greeter("hello", "added") });
  expect(await run("add", "../hello-tool", "--project", "--yes")).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(`Only this machine can update it: its source ${root}/hello-tool is outside`),
  });
  rmSync(join(root, "hello-tool"));
  const { exitCode, stderr } = await run("update", "--project", "--yes");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    / was added from \S+\/hello-tool, which does not exist here\. To update it, remove it and add it /,
  );
  expect(stderr).toContain("--project && ikigai tool add PATH --project");
});

test("does not overwrite files that it did not install, and removes them only after confirmation", async () => {
  const { root, home, cwd, env, run } = await world({
    "hello-tool": greeter("hello", "added"),
    "home/.ikigai/tools/hello-tool": greeter("hello", "mine"),
    "home/.ikigai/tools/hello/test.sh": "",
  });
  expect((await run("add", "../hello-tool", "--yes")).stderr).toContain("which ikigai did not add. Remove it first");
  expect(await run("add", "../hello-tool", "--name", "other", "--yes")).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(home, "tools/other-tool"))).toBe(true);
  expect(await run("remove", "hello")).toMatchObject({ exitCode: 2 });
  const terminal = await openTerminal(["tool", "remove", "hello"], { cwd, env });
  await terminal.waitFor("Remove it? y/N");
  terminal.type("n\r");
  expect(await terminal.exitCode).toBe(1);
  expect(await run("remove", "hello", "--yes")).toMatchObject({
    exitCode: 0,
    stdout: "Removed ~/.ikigai/tools/hello-tool\n",
    stderr: expect.stringContaining(`Its folder remains. To remove it: rm -r ${home}/tools/hello\n`),
  });
  expect((await run("remove", "bash")).stderr).toContain("it ships with ikigai and cannot be removed");
  expect((await run("remove", "nothing")).stderr).toContain('No tool "nothing" in');
  expect(existsSync(join(root, "hello-tool"))).toBe(true);
});

test("says where a tool is that tool remove does not remove", async () => {
  const { root, cwd, env, home } = await world({
    "dev/zed-tool": greeter("zed", "dev"),
    "home/.ikigai/tools/mine-tool": greeter("mine", "mine"),
    "project/.ikigai/tools/bash-tool": greeter("bash", "project"),
  });
  const remove = async (...args: string[]) => {
    const more = { ...env, IKIGAI_TOOL_PATH: `${join(root, "dev")}:${join(cwd, ".ikigai/tools")}` };
    return (await ikigai(["tool", "remove", ...args], { cwd, env: more })).stderr;
  };
  expect(await remove("zed")).toContain(
    `but ${root}/dev/zed-tool exists: it comes from IKIGAI_TOOL_PATH. Delete the file, or remove its directory from the variable.`,
  );
  expect(await remove("mine", "--project")).toContain(
    `but ${home}/tools/mine-tool exists. Try: ikigai tool remove mine\n`,
  );
  // IKIGAI_TOOL_PATH names the project's directory, too.
  expect(await remove("bash")).toContain("bash-tool exists. Try: ikigai tool remove bash --project\n");
});

test.each([
  ["Ctrl-C", "\u0003", 130, "Nothing was done."],
  ["Ctrl-D", "\u0004", 1, "Nothing was removed."],
])("%s at a yes/no question ends the line and says that nothing happened", async (_, key, exitCode, end) => {
  const { home, cwd, env } = await world({ "home/.ikigai/tools/hello-tool": greeter("hello", "mine") });
  const terminal = await openTerminal(["tool", "remove", "hello"], { cwd, env });
  await terminal.waitFor("Remove it? y/N");
  terminal.type("perhaps\r");
  // An unclear answer is not a no.
  await terminal.waitFor(/Type y or n\.\nRemove it\? y\/N$/);
  terminal.type(key);
  expect(await terminal.exitCode).toBe(exitCode);
  const [last, question] = terminal.screen().split("\n").reverse();
  expect([last, question?.replace(/\^[CD]$/, "").trimEnd()]).toEqual([end, "Remove it? y/N"]);
  expect(existsSync(join(home, "tools/hello-tool"))).toBe(true);
});

test.each([
  [["../nothing"], /No file or folder \/.*\/nothing\./],
  [["hello-tool"], /may be a path or an npm package\. Write \.\/hello-tool or npm:hello-tool/],
  [["Not a package"], /Expected an npm package .* got "Not a package"/],
  [["file:///nowhere/repo.git"], /git could not fetch file:\/\/\/nowhere\/repo\.git: /],
  [["./notes.txt"], /that ends in -tool, got "notes\.txt"\. Nothing was added\. To name the tool: --name NAME/],
])("add %j says what was expected", async (args, reason) => {
  const { cwd, run } = await world({ "project/hello-tool": greeter("hello", "x"), "project/notes.txt": "" });
  const { exitCode, stderr } = await run("add", ...args, "--yes");
  expect(stderr).toMatch(reason);
  expect(exitCode).toBe(1);
  expect(existsSync(join(cwd, ".ikigai"))).toBe(false);
});

test("shows the error of ssh if a repository cannot be reached", async () => {
  const { cwd, env } = await world({
    ssh: { content: "#!/bin/sh\necho 'ssh: no such host.' >&2\nexit 255\n", mode: 0o755 },
  });
  const { exitCode, stderr } = await ikigai(["tool", "add", "git@host.example:x", "--yes"], {
    cwd,
    env: { ...env, GIT_SSH_COMMAND: join(cwd, "../ssh") },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    "git could not fetch git@host.example:x: ssh: no such host. Try it by hand: git ls-remote git@host.example:x\n",
  );
});
