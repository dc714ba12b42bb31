// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";
import { greeter, readRecord, world } from "./tool-world.ts";

test("adds a file, describes it, and records its source", async () => {
  const { root, home, run, call } = await world({
    "hello-tool": { content: greeter("hello", "hello", ',"ikigai":{"needs":{"env":["OPENAI_API_KEY"]}}'), mode: 0o644 },
  });
  const { exitCode, stdout } = await run("add", "../hello-tool", "--yes");
  expect(exitCode).toBe(0);
  const sha256 = execFileSync("sha256sum", [join(root, "hello-tool")], { encoding: "utf8" }).split(" ")[0];
  expect(stdout).toBe(`hello-tool
  sha256  ${sha256}
  1 file
  tool    hello  ~/.ikigai/tools/hello-tool, user: in every project
Nothing in it has run yet.

hello
  Say hello
  who (string)  Whom to greet
  Needs in the sandbox: it gets OPENAI_API_KEY (a key, token or password)

Added hello-tool: hello
`);
  expect(await call("hello")).toBe("hello");
  const source = join(root, "hello-tool");
  expect(readRecord(home)).toEqual({
    "hello-tool": { source, version: "", sha256, tools: { "hello-tool": { path: "hello-tool", sha256 } } },
  });
  expect((await run("list")).stdout).toContain(`  hello (~/.ikigai/tools/hello-tool)  hello-tool from ${source}\n`);
  expect(existsSync(join(home, "packages"))).toBe(false);
});

test.each([
  [{ serves: true }, "Served: one process may answer several calls."],
  [{ service: "shop" }, "Service shop: one process answers the calls of a conversation and keeps its state."],
  [
    { serves: true, service: "shop" },
    "Service shop: one process answers the calls of a conversation and keeps its state.",
  ],
  [{}, undefined],
])("says whether a process of the tool answers several calls: %j", async (ikigai, said) => {
  const { run } = await world({ "hello-tool": greeter("hello", "hello", `,"ikigai":${JSON.stringify(ikigai)}`) });
  const { exitCode, stdout } = await run("add", "../hello-tool", "--yes");
  expect([exitCode, /^ {2}(Serve[dr]?.*|Service .*)$/m.exec(stdout)?.[1]]).toEqual([0, said]);
});

test("asks before anything in it runs, and accepts only a clear yes", async () => {
  const { root, cwd, env, home } = await world({ "hello-tool": greeter("hello", "hello") });
  const MARK = join(root, "mark");
  for (const [answer, exitCode] of [
    ["", 1],
    ["maybe", 1],
    ["y", 0],
  ] as const) {
    const terminal = await openTerminal(["tool", "add", "../hello-tool"], { cwd, env: { ...env, MARK } });
    const screen = await terminal.waitFor("Add it? It runs with your privileges. y/N");
    expect(screen).toContain("Nothing in it has run yet.");
    expect([existsSync(join(home, "tools/hello-tool")), existsSync(MARK)]).toEqual([false, false]);
    terminal.type(`${answer}\r`);
    if (answer === "maybe") {
      await terminal.waitFor(/Type y or n\.\nAdd it\? .* y\/N$/);
      terminal.type("n\r");
    }
    expect(await terminal.exitCode).toBe(exitCode);
    expect(existsSync(MARK)).toBe(exitCode === 0);
  }
  expect(existsSync(join(home, "tools/hello-tool"))).toBe(true);
});

test("asks again about a tool that needs something", async () => {
  const { cwd, env, home } = await world({
    "hello-tool": greeter("hello", "hello", ',"ikigai":{"needs":{"env":["OPENAI_API_KEY"]}}'),
  });
  for (const [answer, isAdded] of [
    ["n", false],
    ["y", true],
  ] as const) {
    const terminal = await openTerminal(["tool", "add", "../hello-tool"], { cwd, env });
    await terminal.waitFor("Add it? It runs with your privileges. y/N");
    terminal.type("y\r");
    const shown = await terminal.waitFor(
      /Agree to what it needs: it gets OPENAI_API_KEY \(a key,\s+token or password\)\? y\/N/,
    );
    expect(shown).toContain("Needs in the sandbox: it gets OPENAI_API_KEY");
    expect(existsSync(join(home, "tools/hello-tool"))).toBe(false);
    terminal.type(`${answer}\r`);
    expect(await terminal.exitCode).toBe(isAdded ? 0 : 1);
    expect(existsSync(join(home, "tools/hello-tool"))).toBe(isAdded);
    const allowed = await ikigai(["tool", "show", "hello"], { cwd, env });
    if (isAdded) expect(allowed.stdout).toContain("(in the sandbox; allowed)");
  }
});

test("without a terminal it shows the package, runs nothing in it, and needs --yes", async () => {
  const { root, cwd, env, home } = await world({ "hello-tool": greeter("hello", "hello") });
  const MARK = join(root, "mark");
  const end = await ikigai(["tool", "add", "../hello-tool"], { cwd, env: { ...env, MARK } });
  expect(end).toEqual({
    exitCode: 2,
    stdout: expect.stringMatching(/^hello-tool\n {2}sha256 .*\nNothing in it has run yet\.\n\n$/s),
    stderr:
      "Fetching ../hello-tool …\nikigai: Not a terminal, and nothing was changed: pass --yes to confirm.\nTry: ikigai tool add --help\n",
  });
  const dry = await ikigai(["tool", "add", "../hello-tool", "--dry-run", "--yes"], { cwd, env: { ...env, MARK } });
  expect(dry).toEqual({ exitCode: 0, stdout: end.stdout, stderr: "Fetching ../hello-tool …\n" });
  expect([MARK, join(home, "tools"), join(home, "packages")].map((path) => existsSync(path))).toEqual([
    false,
    false,
    false,
  ]);
});

test("update and remove change nothing without confirmation or with --dry-run", async () => {
  const { root, cwd, env, home, call } = await world({ "hello-tool": greeter("hello", "one") });
  const run = (...args: string[]) => ikigai(["tool", ...args], { cwd, env });
  await run("add", "../hello-tool", "--yes");
  const record = readRecord(home);
  const canary = join(root, "canary");
  writeFileSync(join(root, "hello-tool"), greeter("hello", "two").replace("\n", `\ntouch ${canary}\n`));
  for (const [args, exitCode] of [
    [["update"], 2],
    [["update", "hello", "--dry-run"], 0],
  ] as const) {
    const end = await run(...args);
    expect(end.exitCode).toBe(exitCode);
    expect(end.stdout).toContain('    - echo \'{"output":"one"}\'\n    + echo \'{"output":"two"}\'\n');
    expect(readRecord(home)).toEqual(record);
    expect(existsSync(canary)).toBe(false);
  }
  expect(await run("remove", "hello", "--dry-run")).toMatchObject({
    exitCode: 0,
    stdout: "Files to remove:\n  ~/.ikigai/tools/hello-tool\n",
  });
  writeFileSync(join(home, "tools/hello-tool"), greeter("hello", "changed"));
  expect(await run("remove", "hello")).toMatchObject({
    exitCode: 2,
    stdout: "Files to remove:\n  ~/.ikigai/tools/hello-tool\n",
  });
  expect(await call("hello")).toBe("changed");
});

test("warns clearly if a core tool would be replaced", async () => {
  const { cwd, env, run, call } = await world({ "folder/bin/bash-tool": greeter("bash", "not bash") });
  const terminal = await openTerminal(["tool", "add", "../folder"], { cwd, env });
  await terminal.waitFor("Add it in place of the core tool bash? It runs with your privileges. y/N");
  terminal.type("n\r");
  expect(await terminal.exitCode).toBe(1);
  const { stdout } = await run("add", "../folder", "--yes");
  expect(stdout).toContain("IT REPLACES THE CORE TOOL bash: every call of bash goes to it, with its arguments.");
  expect(stdout).toMatch(/It overrides \S+libexec\/ikigai\/bash-tool \(system\)\./);
  expect(await call("bash")).toBe("not bash");
  await run("remove", "bash");
  expect(await call("bash")).toBeUndefined();
});

test("a package may have several tools, which find their neighboring files", async () => {
  const { home, run, call } = await world({
    "pack/package.json": '{"name":"@acme/pack","version":"1.2.0","ikigai":{"tools":["./bin/a-tool","./bin/b-tool"]}}',
    "pack/bin/a-tool": greeter("a", "a"),
    "pack/bin/b-tool": { content: `#!/usr/bin/env node\n${nodeGreeter}`, mode: 0o644 },
    "pack/lib/word.cjs": "module.exports = 'beside';\n",
    "pack/.git/config": "",
  });
  const { exitCode, stdout } = await run("add", "../pack", "--yes");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("\n  4 files\n    bin/a-tool\n    bin/b-tool\n    lib/word.cjs\n    package.json\n  tool ");
  expect([await call("a"), await call("b")]).toEqual(["a", "beside"]);
  const [entry] = Object.values<{ directory: string }>(readRecord(home));
  expect(readdirSync(join(home, "packages", entry?.directory ?? ""))).toEqual(["bin", "lib", "package.json"]);
  expect(await run("remove", "b")).toMatchObject({ exitCode: 0, stdout: "Removed @acme/pack 1.2.0: a, b\n" });
  expect([readdirSync(join(home, "tools")), existsSync(join(home, "packages"))]).toEqual([[], false]);
});

const nodeGreeter = `
const schema = { name: "b", description: "Say it", parameters: { type: "object", properties: {} } };
console.log(JSON.stringify(process.argv[2] === "--schema" ? schema : { output: require("../lib/word.cjs") }));
`;

test("adds a commit of a repository, and shows the changes of an update", async () => {
  const { root, home, run, call } = await world({ "repo/tools/hi-tool": greeter("hi", "one") });
  const git = repository(join(root, "repo"));
  const first = git.commit("one");
  const url = `file://${join(root, "repo")}`;
  expect(await run("add", `git+${url}#main`, "--yes")).toMatchObject({ exitCode: 0 });
  expect(await call("hi")).toBe("one");
  expect(readRecord(home).repo).toMatchObject({
    source: `git+${url}#main`,
    commit: first,
    version: first.slice(0, 12),
  });
  expect((await run("update", "--yes")).stdout).toBe(
    `repo ${first.slice(0, 12)} is up to date with main, which it was added with. For another tag, branch or commit: ikigai tool add git+${url}#REF\n`,
  );
  writeFileSync(join(root, "repo/tools/hi-tool"), greeter("hi", "two"));
  const second = git.commit("two");
  const before = readRecord(home).repo;
  const { stdout } = await run("update", "hi", "--yes");
  expect(stdout).toContain(`  version ${first.slice(0, 12)} → ${second.slice(0, 12)}
  sha256  ${before.sha256} → ${readRecord(home).repo.sha256}
  changed tools/hi-tool
    - `);
  expect(stdout).toContain(`\nReplaced repo ${first.slice(0, 12)} → ${second.slice(0, 12)}: hi\n`);
  expect(stdout).toContain(`The schema of hi changed:
  -   "description": "Say one",
  +   "description": "Say two",
`);
  expect(await call("hi")).toBe("two");
  expect(readdirSync(join(home, "packages/repo"))).toEqual([readRecord(home).repo.sha256.slice(0, 12)]);
  // A commit that is no longer the tip of a branch is fetched with its history.
  await run("remove", "repo");
  await run("add", `${url}#${first.slice(0, 10)}`, "--yes");
  expect(await call("hi")).toBe("one");
});

function repository(path: string) {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: path, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  return {
    commit(message: string) {
      git("add", "-A");
      git("commit", "--quiet", "-m", message);
      return git("rev-parse", "HEAD");
    },
  };
}

test("adding a tool to a project trusts that tool, and nothing else", async () => {
  const { root, cwd, run, call } = await world({
    "hello-tool": greeter("hello", "hello"),
    "more/hi-tool": greeter("hi", "hi"),
  });
  expect(await run("add", "../hello-tool", "--project", "--yes")).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringContaining("trust"),
  });
  expect(await call("hello")).toBe("hello");
  expect(readRecord(join(cwd, ".ikigai"))["hello-tool"].source).toBe(join(root, "hello-tool"));
  writeFileSync(join(cwd, ".ikigai/tools/other-tool"), greeter("other", "other"), { mode: 0o755 });
  const { stderr } = await run("add", "../more", "--project", "--yes");
  expect(stderr).toContain("Not in use yet: the project has other files that you have not trusted.");
  expect([await call("hi"), await call("other")]).toEqual([undefined, undefined]);
  await run("remove", "other", "--project", "--yes");
  expect([await call("hi"), await call("hello")]).toEqual(["hi", "hello"]);
  expect(realpathSync(join(cwd, ".ikigai/tools/hi-tool"))).toContain(join(cwd, ".ikigai/packages/more/"));
  await run("remove", "hi", "--project");
  expect(await call("hello")).toBe("hello");
});

test("reports changes since installation, and restores the files", async () => {
  const { home, cwd, env, run, call } = await world({ "hello-tool": greeter("hello", "hello") });
  expect((await run("update", "--yes")).stderr).toBe("No tools have been added to ~/.ikigai.\n");
  await run("add", "../hello-tool", "--yes");
  expect((await run("add", "../hello-tool", "--yes")).stdout).toContain("Changes:\n  sha256  unchanged\n");
  writeFileSync(join(home, "tools/hello-tool"), greeter("hello", "changed"));
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const [now, then] = [hash(greeter("hello", "changed")), hash(greeter("hello", "hello"))];
  expect((await run("list")).stdout).toContain(
    `  ~/.ikigai/tools/hello-tool has changed (sha256 ${now}, added with ${then}). To restore it: ikigai tool update`,
  );
  const doctor = await ikigai(["doctor"], { cwd, env });
  expect(doctor.stdout).toContain(`~ ~/.ikigai/tools/hello-tool has changed (sha256 ${now}, added with ${then}). To`);
  const [row] = JSON.parse((await run("list", "--json")).stdout).filter(
    ({ name }: { name: string }) => name === "hello",
  );
  expect(row).toMatchObject({ package: "hello-tool", changed: true });
  expect(await run("remove", "hello")).toMatchObject({ exitCode: 2 });
  expect(await call("hello")).toBe("changed");
  expect((await run("update", "--yes")).stdout).toMatch(
    /\nThe source is unchanged\.\nYour local changes will be lost:\n {2}changed hello-tool\n {4}[-+] /,
  );
  expect(await call("hello")).toBe("hello");
});
