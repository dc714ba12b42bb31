// @module-tag tables
import { readdirSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, run } from "./run.ts";

test.each<[command: string, output: string, exitCode?: number]>([
  ["echo hello", "hello"],
  ["false", "", 1],
  ["exit 3", "", 3],
  ["echo a; exit 255", "a", 255],
  ["printf 'one\\ntwo\\n\\n'", "one\ntwo\n"],
  ["printf 'one\\r\\n'", "one\r"],
  ["printf partial", "partial"],
  ["printf ''", ""],
  ["", "", 127],
  [" ", ""],
  ["# nothing", ""],
  ["no-such-command", "bash: line 1: no-such-command: command not found", 127],
  ["echo a\nno-such-command", "a\nbash: line 2: no-such-command: command not found", 127],
  ["-x", "bash: line 1: -x: command not found", 127],
  ["/", "bash: line 1: /: Is a directory", 126],
  ["kill -9 $$", "", 137],
  ["kill -TERM $$", "", 143],
  ["kill -SEGV $$", "", 139],
  ["echo a; kill 0; sleep 5", "a", 143],
  ["exec sh -c 'exit 4'", "", 4],
  ["sh -c 'kill -9 $$'", "", 137],
  ["set -e; false; echo no", "", 1],
  ["yes | head -n 1", "y"],
  ["for i in 1 2; do echo $i; done | tail -n 1", "2"],
  ["a=1 && (cd / && pwd); echo $a", "/\n1"],
  ['echo "$0 $# $-"', "bash 0 hBc"],
  ["echo é 🎉", "é 🎉"],
])("runs %j", async (command, output, exitCode) => {
  expect(await run(command)).toEqual(answer(output, exitCode));
});

test("reports a syntax error as the shell does", async () => {
  const { result } = await run("echo a\nif true; then\n");
  expect(result).toEqual({
    exit_code: 2,
    output: expect.stringMatching(/^a\nbash: -c: line 3: syntax error: unexpected end of file/),
  });
});

test("keeps stdout and stderr in order", async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index}`);
  const command = lines.map((line, index) => `echo ${line} >&${(index % 2) + 1}`).join("; ");
  expect(await run(command)).toEqual(answer(lines.join("\n")));
});

test.each(["cat", "read x; echo $?; cat", "head -c 1"])("has nothing on stdin for %j", async (command) => {
  expect((await run(command)).result?.output).toBe(command.startsWith("read") ? "1" : "");
});

test("has no terminal", async () => {
  const { result } = await run("(echo tty < /dev/tty) 2>/dev/null || echo none");
  expect(result?.output).toBe("none");
});

test("runs in its own working directory", async () => {
  const cwd = await tempDir({ "a.txt": "" });
  expect(await run("pwd; ls", { cwd })).toEqual(answer(`${cwd}\na.txt`));
});

test("runs in a deleted directory", async () => {
  const cwd = await tempDir();
  const { result } = await run('rmdir "$PWD"; echo \'{"command": "echo still here"}\' | "$BIN"', {
    cwd,
    env: { BIN: bin },
  });
  expect(result?.output).toContain("still here");
});

test("passes on the environment, without the limits of the call", async () => {
  const env = {
    A: "1",
    IKIGAI_CALL_ID: "c",
    IKIGAI_MAX_OUTPUT_BYTES: "9999",
    IKIGAI_TIMEOUT_MS: "1",
    IKIGAI_PROGRESS_FD: "3",
  };
  const { result } = await run('env | grep -E "^(A|IKIGAI_.*)=" | sort', { env });
  expect(result?.output).toBe("A=1\nIKIGAI_CALL_ID=c");
});

test.each<[octal: string, output: string]>([
  ["\\377", "\ufffd"],
  ["a\\0b", "a\0b"],
  ["\\303", "\ufffd"],
  ["\\355\\240\\200", "\ufffd\ufffd\ufffd"],
  ["\\357\\273\\277x", "\ufeffx"],
  ['\\033[31m\\t"\\\\', '\u001b[31m\t"\\'],
])("decodes the bytes %s", async (octal, output) => {
  expect(await run(`printf '${octal}'`)).toEqual(answer(output));
});

test("escapes NUL", async () => {
  expect((await run("printf 'a\\0b'")).stdout).toContain('"a\\u0000b"');
});

test("joins a character split over two chunks", async () => {
  expect(await run("printf '\\303'; sleep 0.05; printf '\\251'")).toEqual(answer("é"));
});

test("accepts a command that is too long for an argument", async () => {
  const long = "x".repeat(300_000);
  expect(await run(`: ${long}\necho $0 $#; ls /proc/self/fd | grep -c '^3$'; no-such-command`)).toMatchObject({
    result: {
      exit_code: 127,
      output: expect.stringMatching(/^bash 0\n1\n.*line 2: no-such-command: command not found$/),
    },
  });
});

test.each([131_070, 131_071, 131_072])("accepts a command of %i bytes", async (length) => {
  const command = "echo ".padEnd(length, "é").slice(0, length);
  expect((await run(`: ${"x".repeat(length - 9)}\necho a`)).result).toEqual({ output: "a", exit_code: 0 });
  expect((await run(command.slice(0, length / 2 + 2))).result?.exit_code).toBe(0);
});

test("rejects a NUL character as a shell error", async () => {
  expect(await run("echo a\0b")).toEqual(answer("bash: a command cannot contain a NUL character", 127));
});

test.skipIf(process.platform !== "linux")("reports a shell that cannot be started as a shell error", async () => {
  // Together with the command this exceeds the 2 MiB limit of a process.
  const env = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`LONG_${index}`, "x".repeat(120_000)]));
  expect(await run(`: ${"x".repeat(131_000)}`, { env })).toEqual(answer("bash: cannot be started: spawn E2BIG", 127));
});

test.each([
  [{ command: ["ls"] }, /Expected "command" to be a string, got \["ls"\]/],
  [{ command: "echo", timeout_ms: "2s" }, /Expected "timeout_ms" to be an integer, got "2s" \(string\)/],
  [{ command: "echo", timeout_ms: 0 }, /Expected "timeout_ms" to be >= 1, got 0/],
  [{ command: "echo", background: "yes" }, /Expected "background" to be a boolean/],
])("rejects %j", async (input, reason) => {
  const result = { error: expect.stringMatching(reason), error_code: "INVALID_PARAMS" };
  expect(await call(bin, input)).toEqual({ exitCode: 0, result });
});

test("refuses a call without a command", async () => {
  const stderr = expect.stringMatching(/^Expected "command" \(string\), which is missing/);
  expect(await call(bin, {})).toEqual({ exitCode: 1, stdout: "", stderr });
});

test("ignores null and unknown fields, and names these", async () => {
  expect(await call(bin, { command: "echo a", timeout_ms: null, background: null })).toEqual(answer("a"));
  const { result } = await call(bin, { command: "echo a", run_in_background: false, description: "x" });
  expect(result).toEqual({ output: "a", exit_code: 0, ignored: ["description"] });
});

test("accepts run_in_background for background", async () => {
  const { result } = await call(bin, { command: "exec sleep 60", run_in_background: true });
  expect(result).toEqual({
    output: expect.any(String),
    exit_code: 0,
    pid: expect.any(Number),
    log: expect.any(String),
  });
  process.kill(-Number(result?.pid), "SIGKILL");
});

test("reads numbers and booleans that are written as strings", async () => {
  expect(await call(bin, { command: "echo a; sleep 60", timeout_ms: "500", background: "false" })).toEqual(
    answer("a", 124),
  );
});

test.each([1, 1_000])("accepts timeout for timeout_ms, in seconds or milliseconds: %i", async (timeout) => {
  const before = performance.now();
  expect(await call(bin, { command: "echo a; sleep 60", timeout })).toEqual(answer("a", 124));
  expect(performance.now() - before).toBeGreaterThan(1_000);
});

test.each(["cwd", "workdir", "working_directory", "working_dir", "dir"])(
  "runs in the directory of %s",
  async (name) => {
    const cwd = await tempDir({ "sub dir/": "", out: { link: "/" } });
    const inside = (directory: string, command = "pwd") => call(bin, { command, [name]: directory }, { cwd });
    for (const path of ["sub dir", `${cwd}/sub dir`]) expect(await inside(path)).toEqual(answer(`${cwd}/sub dir`));
    expect(await inside(cwd)).toEqual(answer(cwd));
    for (const path of ["..", "out", "/", "none"]) {
      const { result, exitCode } = await inside(path, "touch ran");
      expect([exitCode, result?.error_code, result?.hint]).toEqual([
        0,
        "INVALID_ARG",
        `To go there, put it into the command: cd ${path} && …`,
      ]);
    }
    expect(readdirSync(cwd)).toEqual(["out", "sub dir"]);
  },
);
