// Promises 1, 2 and 6 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv, ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** Runs ikigai in a directory that a shell has entered and then changed. */
async function runAfter(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cwd = await tempDir({ "gone/": "", "other/n.txt": "theirs\n" });
  const { status, stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", `cd gone && ${script}; exec "$@"`, "sh", process.execPath, bin, ...args],
    { cwd, env: { ...(await cleanEnv()), ...env }, input: "", encoding: "utf8" },
  );
  return { cwd, exitCode: status, stdout, stderr };
}

test.each([
  ["-p", "read /etc/passwd", "--model", "offline"],
  ["-p", "write hello to n.txt", "--model", "offline", "--permission-mode", "allow"],
  ["--model", "offline"],
  ["tool", "call", "file_read", '{"file_path":"/etc/passwd"}'],
  ["tool", "list"],
  ["doctor"],
])("refuses a deleted working directory, whatever PWD says: ikigai %s %s", async (...args) => {
  for (const pwd of ["unset PWD", "export PWD=/", 'export PWD="$PWD/../other"']) {
    const { cwd, exitCode, stdout, stderr } = await runAfter(`rmdir ../gone && ${pwd}`, args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe(
      "ikigai: The working directory no longer exists or cannot be reached (ENOENT). Start ikigai in another directory.\n",
    );
    expect(readFileSync(join(cwd, "other/n.txt"), "utf8")).toBe("theirs\n");
  }
});

test.each([["--help"], ["--version"], ["help", "config"], ["completion", "bash"]])(
  "prints text in a deleted working directory: ikigai %s",
  async (...args) => {
    expect((await runAfter("rmdir ../gone", args)).exitCode).toBe(0);
  },
);

// macOS has no such names.
test.skipIf(process.platform !== "linux")("refuses a working directory whose name is not UTF-8", async () => {
  const { exitCode, stderr } = await runAfter(`odd="$(printf 'a\\377')" && mkdir "$odd" && cd "$odd"`, [
    ...["-p", "run pwd", "--model", "offline", "--permission-mode", "allow"],
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("has a name that is not UTF-8. Start ikigai in another directory.\n");
});

test("works in a directory with U+FFFD in its name", async () => {
  const cwd = join(await tempDir(), "a\ufffd");
  mkdirSync(cwd);
  expect(await ikigai(["tool", "list"], { cwd })).toMatchObject({ exitCode: 0, stderr: "" });
});

test.skipIf(process.geteuid?.() === 0)("refuses a working directory that cannot be read", async () => {
  const { exitCode, stderr } = await runAfter("chmod 300 .", ["tool", "list"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("cannot be read (EACCES)");
});

test.each([
  ["HOME", "rel"],
  ["HOME", ""],
  ["HOME", "."],
  ["IKIGAI_HOME", "rel"],
  ["IKIGAI_LIBEXEC", "rel"],
  ["TMPDIR", "rel"],
  ["IKIGAI_TOOL_PATH", ".ikigai/tools"],
  ["IKIGAI_BWRAP", ".ikigai/tools/grep-tool"],
])("refuses %s=%j, and takes nothing from the project", async (name, value) => {
  const tool = `#!/bin/sh\n: > "${await tempDir()}/ran"\n`;
  const cwd = await tempDir({
    ".ikigai/tools/grep-tool": tool,
    ".ikigai/config.json": '{"permission":{"mode":"allow"}}',
  });
  chmodSync(join(cwd, ".ikigai/tools/grep-tool"), 0o755);
  for (const args of [
    ["tool", "list"],
    ["tool", "call", "grep", "{}"],
    ["-p", "run touch made", "--model", "offline"],
  ]) {
    const { exitCode, stdout, stderr } = await ikigai(args, { cwd, env: { [name]: value } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(
      `${name} is ${JSON.stringify(value)}, which is not an absolute path. Set it to one that begins with /.`,
    );
  }
  expect(readdirSync(cwd)).toEqual([".ikigai"]);
});

test("refuses an IKIGAI_HOME that is a file, and says what a file at ~/.ikigai prevents", async () => {
  const home = await tempDir({ ".ikigai": "" });
  const file = join(home, ".ikigai");
  const args = ["-p", "run echo hi", "--allow", "bash", "--model", "offline"];
  expect(await ikigai(args, { env: { IKIGAI_HOME: file } })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `ikigai: IKIGAI_HOME is ${JSON.stringify(file)}, which is not a directory. Set it to a directory.\n`,
  });
  const { exitCode, stdout, stderr } = await ikigai(args, { env: { HOME: home } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hi\n" });
  const problem = `${file} is not a directory; move it away, so that ikigai can create it`;
  expect(stderr).toContain(`This session is not being saved: ${problem}.\n`);
  expect(stderr).toContain(`Cannot look for hooks in ${file}/hooks: ${file} is not a directory.\n`);
  expect(await ikigai(["config", "set", "maxSteps", "5"], { env: { HOME: home } })).toMatchObject({
    exitCode: 1,
    stderr: `ikigai: Nothing was changed: ${problem}\n`,
  });
});

test("says that the home is not a directory", async () => {
  const env = { HOME: "/dev/null" };
  const { exitCode, stderr } = await ikigai(["-p", "run echo hi", "--allow", "bash", "--model", "offline"], { env });
  expect(exitCode).toBe(0);
  const advice = "set HOME or IKIGAI_HOME to a directory that can be written";
  expect(stderr).toContain(`This session is not being saved: /dev/null is not a directory; ${advice}.\n`);
  expect(await ikigai(["doctor"], { env })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("~ ~/.ikigai: /dev/null is not a directory, so nothing is saved. Set HOME"),
  });
});

test("creates no missing home directory, and reports that nothing is saved", async () => {
  const root = await tempDir();
  const HOME = join(root, "no/such/home");
  const { exitCode, stdout, stderr } = await ikigai(["-p", "run echo hi", "--allow", "bash", "--model", "offline"], {
    env: { HOME },
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hi\n" });
  const advice = "set HOME or IKIGAI_HOME to a directory that can be written";
  expect(stderr).toContain(`This session is not being saved: the directory ${HOME} does not exist; ${advice}.\n`);
  const config = (...args: readonly string[]) => ikigai(["config", ...args], { env: { HOME } });
  expect(await config("set", "maxSteps", "5")).toMatchObject({
    exitCode: 1,
    stderr: `ikigai: Nothing was changed: the directory ${HOME} does not exist; ${advice}\n`,
  });
  // A mistake of the user goes first.
  expect((await config("set", "maxSteps", "abc")).stderr).toMatch(/maxSteps[\s\S]*Nothing was changed\./);
  expect((await config("unset", "nope")).stderr).toContain('Unknown setting "nope".');
  expect((await config("unset", "maxSteps")).stdout).toContain("maxSteps was not set, nothing was changed");
  const doctor = await ikigai(["doctor"], { env: { HOME } });
  expect(doctor.exitCode).toBe(0);
  expect(doctor.stdout).toContain(`~ ~/.ikigai: the directory ${HOME} does not exist, so nothing is saved.`);
  for (const args of [
    ["add", process.execPath, "--yes"],
    ["new", "x", "--lang", "bash"],
  ]) {
    const { stderr: refusal } = await ikigai(["tool", ...args], { env: { HOME } });
    expect(refusal).toContain(`the directory ${HOME} does not exist; ${advice}`);
  }
  expect(existsSync(join(root, "no"))).toBe(false);
});

test("says that a home cannot be written", async () => {
  const root = await tempDir({ file: "" });
  const HOME = join(root, "file");
  const { stderr } = await ikigai(["config", "set", "maxSteps", "5"], { env: { HOME } });
  expect(stderr).toContain(`${HOME} is not a directory; set HOME or IKIGAI_HOME to a directory that can be written`);
});

test("runs its tools if PATH has no node", async () => {
  const PATH = await tempDir();
  for (const program of ["sh", "env"]) symlinkSync(`/usr/bin/${program}`, join(PATH, program));
  const { exitCode, stdout } = await ikigai(["tool", "list"], { env: { PATH } });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Available tools:\n[\s\S]* {2}bash /);
  expect(stdout).not.toContain("Not loaded");
  const call = await ikigai(["tool", "call", "bash", '{"command":"echo hi"}'], { env: { PATH } });
  expect(JSON.parse(call.stdout)).toMatchObject({ tool_success: true, result: { output: "hi" } });
});

test("says which jobs end with a task", async () => {
  const { env } = await startModel([
    { calls: [{ name: "bash", arguments: { command: "sleep 300", background: true } }] },
  ]);
  const { exitCode, stderr } = await ikigai(["-p", "go", "--model", "openai-compatible/m", "--allow", "bash"], { env });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Ends with ikigai: sleep 300 \(job 1\)$/m);
});

test("lists the instruction files in use, and those that are not read", async () => {
  const cwd = await tempDir({ "AGENTS.md": "Say hi.", "CLAUDE.md": "No." });
  const { env } = await startModel([{ text: "hi" }]);
  const args = ["-p", "go", "--model", "openai-compatible/m", "--output-format", "stream-json"];
  const [first = ""] = (await ikigai(args, { cwd, env })).stdout.split("\n");
  expect(JSON.parse(first)).toMatchObject({ type: "session", instructions: [join(cwd, "AGENTS.md")] });
  const lines = await ikigai(["--model", "offline"], { cwd, typed: "help\n" });
  expect(lines.stdout).toContain("Instructions: AGENTS.md\n");
  spawnSync("chmod", ["666", "AGENTS.md"], { cwd });
  const text = await ikigai(["-p", "help", "--model", "offline"], { cwd });
  expect(text.stderr).toContain(
    "AGENTS.md: it can be written by others (mode 666). If you trust its content: chmod go-w ",
  );
});

test("says how to raise the limit of open files, and does not report a bug", async () => {
  const args = [
    "-c",
    'ulimit -n 32; exec "$@"',
    "sh",
    process.execPath,
    bin,
    "-p",
    "run echo hi",
    "--model",
    "offline",
  ];
  const { status, stderr } = spawnSync("/bin/sh", args, { env: await cleanEnv(), input: "", encoding: "utf8" });
  expect(stderr).not.toContain("This is a bug");
  if (status !== 0) expect(stderr).toContain("ulimit -n 1024");
});

test("asks before a tool reads or changes secret places, also in the home directory", async () => {
  const HOME = await tempDir({ ".ssh/id_ed25519": "PRIVATE\n", ".netrc": "PRIVATE\n", "notes/a.txt": "open\n" });
  symlinkSync("../.netrc", join(HOME, "notes/b.txt"));
  const say = async (prompt: string, mode = "ask") =>
    ikigai(["-p", prompt, "--model", "offline", "--permission-mode", mode], { cwd: HOME, env: { HOME } });
  expect((await say("read notes/a.txt")).stdout).toContain("open\n");
  for (const prompt of [
    "read .netrc",
    "read .ssh/id_ed25519",
    "read notes/b.txt",
    "run cat .netrc",
    "run cat notes/b*",
  ]) {
    const { stdout, stderr } = await say(prompt);
    expect({ prompt, text: stdout + stderr }).toEqual({ prompt, text: expect.not.stringContaining("PRIVATE") });
  }
  await say("write x to .ssh/authorized_keys", "edits");
  await say("write x to notes/c.txt", "edits");
  expect([existsSync(join(HOME, ".ssh/authorized_keys")), existsSync(join(HOME, "notes/c.txt"))]).toEqual([
    false,
    true,
  ]);
});

test("takes ~/x and file:///x for the same file in a question, a rule and a tool", async () => {
  const HOME = await tempDir({ "a b.txt": "from home\n" });
  const cwd = await tempDir({ "~/a b.txt": "from project\n", "c.txt": "c\n" });
  const say = (prompt: string, ...more: string[]) =>
    ikigai(["-p", prompt, "--model", "offline", ...more], { cwd, env: { HOME } });
  expect((await say('read "~/a b.txt"')).stderr).toContain(`${HOME}/a b.txt`);
  expect((await say('read "~/a b.txt"', "--allow", `file_read(${HOME}/*)`)).stdout).toContain("from home\n");
  expect((await say(`read file://${HOME}/a%20b.txt`, "--allow", `file_read(${HOME}/*)`)).stdout).toContain(
    "from home\n",
  );
  expect((await say('read "./~/a b.txt"')).stdout).toContain("from project\n");
  expect((await say(`read file://${cwd}/c.txt`)).stdout).toContain("c\n");
  await say("write x to ~/d.txt", "--allow", `file_write(${HOME}/*)`);
  expect(readdirSync(HOME)).toContain("d.txt");
  expect(readdirSync(join(cwd, "~"))).toEqual(["a b.txt"]);
});
