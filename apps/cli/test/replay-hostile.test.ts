// Promise 8 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { evil } from "./evil-texts.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { bin, ikigai } from "./ikigai.ts";

/** Number of random hostile files, for each of which about eight processes run. */
const numRuns = inject("isThorough") ? 30 : 2;

const shipped = (tool: string) => join(dirname(bin), "../libexec/ikigai", tool);

/** A forged session file: calls with arbitrary other fields. */
function session(cwd: string, calls: readonly object[], more: readonly object[] = []): string {
  const lines: object[] = [{ type: "session", version: 1, id: "20260101-000000-abcdef12", cwd }];
  for (const [index, call] of calls.entries()) {
    const { name, args, result = { tool_success: true, result: { output: "" } }, ...start } = call as Call;
    const id = `call_${index}`;
    lines.push({ type: "tool_call", id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) });
    lines.push({ type: "tool_start", id, ...start });
    lines.push({ type: "tool_result", id, name, json: JSON.stringify(result), durationMs: 1 });
  }
  return [...lines, ...more]
    .map((line, index) => `${JSON.stringify({ time: "2026-01-01T00:00:00.000Z", ...line, seq: index })}\n`)
    .join("");
}

interface Call {
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
}

/** A user with a project, this configuration, and a forged session: among the project's files, or among the user's own sessions. */
async function victim(config: object = {}, files: Readonly<Record<string, string>> = {}) {
  const root = await tempDir({
    "home/.ikigai/config.json": { content: JSON.stringify(config), mode: 0o600 },
    "home/.ikigai/sessions/": "",
    "project/note.txt": "inside\n",
    ...files,
  });
  const cwd = join(root, "project");
  const env = { HOME: join(root, "home") };
  const canary = join(root, "canary");
  const write = (text: string, isOwn: boolean) => {
    const path = join(root, isOwn ? "home/.ikigai/sessions/20260101-000000-abcdef12.jsonl" : "project/bug.jsonl");
    writeFileSync(path, text, { mode: 0o600 });
    return isOwn ? "20260101-000000-abcdef12" : "./bug.jsonl";
  };
  return { root, cwd, env, canary, write, run: (...args: string[]) => ikigai(args, { cwd, env }) };
}

test.each([false, true])("no variable of a session file reaches a tool (among the user's own: %s)", async (isOwn) => {
  const { root, cwd, canary, write, run } = await victim({}, { "evil/grep-tool": `#!/bin/sh\ntouch CANARY\n` });
  const evilScript = join(root, "evil.cjs");
  writeFileSync(evilScript, `require("fs").writeFileSync(${JSON.stringify(canary)}, "");\n`);
  writeFileSync(join(root, "evil/node"), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  const names = ["LD_PRELOAD", "BASH_ENV", "ENV", "FOO", "GIT_SSH_COMMAND", "IKIGAI_SHADOWED_TOOL", "IKIGAI_HOME"];
  const others = ["IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH", "IKIGAI_UNKNOWN", "IKIGAI_HOST_ID", "IKIGAI_TOOL_DIR"];
  const hostile = Object.fromEntries([...names, ...others].map((name) => [name, `${root}/evil`]));
  const env = { ...hostile, NODE_OPTIONS: `--require ${evilScript}`, PATH: join(root, "evil") };
  const calls = [
    { name: "file_read", args: { file_path: "note.txt" }, path: shipped("file-read-tool"), scope: "system", env },
    { name: "bash", args: { command: "env" }, path: shipped("bash-tool"), scope: "system", env },
  ];
  const file = write(session(cwd, calls), isOwn);
  // Reading inside the project needs no approval, as for a model.
  const read = await run("replay", "1", "--session", file, "--json");
  expect(read.stderr).toBe("The tool may have changed: the session did not record its SHA-256.\n");
  expect(JSON.parse(read.stdout).envelope.result.output).toBe("inside\n");
  const { stdout } = await run("replay", "2", "--session", file, "--yes", "--json");
  const { envelope, command } = JSON.parse(stdout);
  expect(envelope.result.output).toContain(`HOME=${root}/home`);
  expect(envelope.result.output + command).not.toContain(`${root}/evil`);
  expect((await run("tool", "log", file)).stdout).not.toMatch(/NODE_OPTIONS|LD_PRELOAD|PATH=/);
  expect(existsSync(canary)).toBe(false);
});

test("asks before it reads outside the current directory", async () => {
  const { root, cwd, write, run } = await victim({ permission: { mode: "allow" } });
  writeFileSync(join(root, "secret.txt"), "TOPSECRET\n");
  mkdirSync(join(root, "other"));
  writeFileSync(join(root, "other/file.txt"), "TOPSECRET\n");
  const reads = (cwds: object, file: string) => {
    return { name: "file_read", args: { file_path: file }, path: shipped("file-read-tool"), scope: "system", ...cwds };
  };
  const calls = [
    reads({ cwd }, "../secret.txt"),
    reads({ cwd: root }, "secret.txt"),
    reads({ cwd: "/" }, join(root, "secret.txt")),
    reads({ cwd: join(root, "other"), env: { IKIGAI_PROJECT_DIR: join(root, "other") } }, "file.txt"),
    reads({ cwd: "/proc/self/cwd/.." }, "secret.txt"),
    { name: "bash", args: { command: "touch made" }, path: shipped("bash-tool"), scope: "system" },
  ];
  const file = write(session(cwd, calls), false);
  for (const number of calls.keys()) {
    const { exitCode, stdout, stderr } = await run("replay", String(number + 1), "--session", file);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`pass --yes to confirm. This would run ${shipped("")}`);
  }
  const two = reads({ cwd, env: { IKIGAI_PROJECT_DIR: root } }, "note.txt");
  const end = await run("replay", "1", "--session", write(session(cwd, [two]), false), "--yes");
  expect(end).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("not in the project's directory") });
});

test.each([
  "git log -1 --format=tformat:x -U --output=pwned -s",
  "git blame --abbrev --contents=/etc/hostname note.txt",
  "git log -1 --format=tformat:x -U -s -- --output=pwned",
  "xxd -pc /etc/hostname",
])("asks before it runs a command that reads one word in two ways: %s", async (command) => {
  const { cwd, write, run } = await victim();
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    expect(git(...args).status).toBe(0);
  const call = { name: "bash", args: { command }, path: shipped("bash-tool"), scope: "system", cwd };
  const { exitCode, stdout, stderr } = await run("replay", "1", "--session", write(session(cwd, [call]), false));
  expect([exitCode, stdout, existsSync(join(cwd, "pwned"))]).toEqual([2, "", false]);
  expect(stderr).toContain("pass --yes to confirm");
  const plain = { ...call, args: { command: "git log -1 --format=tformat:x" } };
  const ran = await run("replay", "1", "--session", write(session(cwd, [plain]), false));
  expect([ran.exitCode, ran.stderr]).toEqual([1, expect.not.stringContaining("--yes")]);
});

test("runs no untrusted tool, however its path is written, whatever the file says, even with --yes", async () => {
  const { root, cwd, canary, write, run } = await victim();
  mkdirSync(join(cwd, ".ikigai/tools"), { recursive: true });
  const tool = join(cwd, ".ikigai/tools/x-tool");
  writeFileSync(tool, `#!/bin/sh\ntouch ${canary}\necho '{}'\n`, { mode: 0o755 });
  symlinkSync(tool, join(root, "x-tool"));
  symlinkSync(cwd, join(root, "link"));
  const paths = [
    tool,
    `${cwd}//.ikigai/tools/x-tool`,
    `${cwd}/./.ikigai/tools/x-tool`,
    `${cwd}/.ikigai/../.ikigai/tools/x-tool`,
    "/proc/self/cwd/.ikigai/tools/x-tool",
    join(root, "x-tool"),
    join(root, "link/.ikigai/tools/x-tool"),
    ".ikigai/tools/x-tool",
    `/proc/self/root${tool}`,
  ];
  const calls = paths.flatMap((path) =>
    ["system", "user", "project", 7].map((scope) => ({
      name: "x",
      args: {},
      path,
      scope,
      env: { IKIGAI_PROJECT_DIR: scope === "system" ? root : cwd },
    })),
  );
  const file = write(session(cwd, calls), true);
  for (const number of fc.sample(fc.constantFrom(...calls.keys()), numRuns)) {
    const end = await run("replay", String(number + 1), "--session", file, "--yes");
    expect({ ...end, stderr: "" }).toEqual({ exitCode: 1, stdout: "", stderr: "" });
    expect(end.stderr).toMatch(/ikigai does not use \S+ as x there|not in the project's directory/);
  }
  expect(existsSync(canary)).toBe(false);
});

test("the current rules decide, and --yes only answers a question", async () => {
  const rules = [{ deny: "bash(touch *)" }, { allow: "bash(echo *)" }];
  const { cwd, write, run } = await victim({ permission: { rules } });
  const bash = (command: string, more: object = {}) => {
    return { name: "bash", args: { command }, path: shipped("bash-tool"), scope: "system", ...more };
  };
  const other = { cwd: await tempDir() };
  const calls = [bash("touch made"), bash("echo hello"), bash("echo hello", other), { ...bash(""), args: "[1]" }];
  const file = write(session(cwd, calls), false);
  const ends = [];
  for (const args of [["1", "--yes"], ["2"], ["3"], ["4", "--yes"]]) {
    const { exitCode, stderr } = await run("replay", ...args, "--session", file);
    ends.push([exitCode, stderr.split("\n").find((line) => line.startsWith("ikigai: ")) ?? ""]);
  }
  expect(ends).toEqual([
    [1, "ikigai: The call is denied: a rule denies it."],
    // The recorded result is empty.
    [1, ""],
    [2, expect.stringContaining("because the session belongs to another directory:")],
    [1, expect.stringContaining("The call is denied: Expected the arguments to be a JSON object")],
  ]);
  expect(readdirSync(cwd).sort()).toEqual(["bug.jsonl", "note.txt"]);
});

test.skipIf(!hasBubblewrap)("a session file opens no host in the sandbox (needs bwrap)", async () => {
  const { cwd, write, run } = await victim();
  const call = { name: "bash", args: { command: "curl -sS http://one.invalid/" }, path: shipped("bash-tool") };
  const file = write(session(cwd, [{ ...call, sandbox: { network: true } }]), false);
  const output = async (...args: string[]) =>
    JSON.parse((await run("replay", "1", "--session", file, "--yes", "--json", ...args)).stdout).envelope.result.output;
  expect(await output()).toContain("not allowed; the rule host(one.invalid)");
  expect(await output("--sandbox-network")).not.toContain("not allowed");
});

/** Control characters other than line ends and tabs. */
const drives = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u200b\ufeff\u{e0000}-\u{e007f}]/u;

test("no command prints a control character of a session file", {
  timeout: 300_000,
}, async () => {
  const { cwd, write, run } = await victim();
  const text = fc.oneof(
    fc.constant(evil),
    fc.string({ unit: fc.constantFrom(...evil, "\r", "\u007f", "'", "\\", "%") }),
  );
  const value = fc.oneof(text, text, fc.constant(null), fc.jsonValue());
  const call = fc.record({
    name: fc.oneof(fc.constant("bash"), text),
    args: fc.oneof(fc.constant({ command: evil }), text, fc.jsonValue()),
    result: value,
    path: fc.oneof(fc.constant(shipped("bash-tool")), text),
    scope: value,
    cwd: fc.oneof(fc.constant(cwd), value),
    sha256: value,
    env: fc.oneof(fc.record({ IKIGAI_CALL_ID: text, IKIGAI_TIMEOUT_MS: text, IKIGAI_PROJECT_DIR: text }), value),
  });
  // Words that a table of finish reasons must not find in Object.prototype.
  const outside = fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype));
  const file = fc.record({
    id: text,
    model: text,
    said: text,
    finish: fc.oneof(text, outside),
    calls: fc.array(call, { minLength: 1 }),
  });
  const property = fc.asyncProperty(file, async ({ id, model, said, finish, calls }) => {
    const more = [
      { type: "user", text: said },
      { type: "text", text: said },
      { type: "step_end", model, finish, usage: {} },
    ];
    const path = write(`${session(cwd, calls, more).replace('"20260101-000000-abcdef12"', JSON.stringify(id))}`, false);
    const commands = [
      ["tool", "log", path],
      ["tool", "log", path, "--json"],
      ["replay", "1", "--session", path],
      ["replay", "1", "--session", path, "--json"],
      ["-p", "go", "--replay", path],
      ["-p", "go", "--replay", path, "--output-format", "json"],
      ["-p", "go", "--replay", path, "--output-format", "stream-json"],
    ];
    for (const { exitCode, stdout, stderr } of await Promise.all(commands.map((command) => run(...command)))) {
      expect(drives.exec(stdout)).toBeNull();
      expect(drives.exec(stderr)).toBeNull();
      expect(stderr).not.toContain("This is a bug");
      expect([0, 1, 2]).toContain(exitCode);
    }
    const listed = await run("tool", "log", path, "--json");
    expect(JSON.parse(listed.stdout).session_id).toBe(id);
  });
  await fc.assert(property, { numRuns });
});

test("says that a call ran through a launcher that is gone", async () => {
  const { cwd, write, run } = await victim();
  const call = {
    name: "bash",
    args: { command: "true" },
    path: "ssh box /opt/bash-tool",
    scope: "user",
    cwd,
    launched: true,
  };
  const { exitCode, stderr } = await run("replay", "1", "--session", write(session(cwd, [call]), false), "--yes");
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("ran through a launcher that the configuration no longer has: ssh box /opt/bash-tool.");
});
