// @module-tag sampled
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { shippedTools } from "./shipped-tools.ts";
import { steady } from "./terminal.ts";

const escapeCode = "\u001b";

test("with piped output, each line is a message, and ikigai ends with the input", async () => {
  const cwd = await tempDir({ "a.txt": "one\n" });
  const { exitCode, stdout, stderr } = await ikigai(["--model", "offline"], {
    cwd,
    typed: "read a.txt\n/refresh\nfind *.txt",
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(
    steady(stdout.replace(/^[\s\S]*?\/help\n/, "")),
  ).toBe(`Offline: only simple commands work, for example: run npm test (help lists them). To use a model:
start ikigai without --model offline, or type /model PROVIDER/MODEL.

● file_read  a.txt
  N ms

one

Tool registry refreshed: ${shippedTools.length} tools loaded

● glob  **/*.txt
  N ms

a.txt
1 file.

`);
});

test("shows the excerpt under a configuration warning as it is in the file", async () => {
  const config = '{ "screen": {"theme":"nope"}, "modle":"foo/bar" }';
  const home = await tempDir({ ".ikigai/config.json": { content: config, mode: 0o600 } });
  const { stdout } = await ikigai(["--model", "offline"], { env: { HOME: home }, typed: "help\n" });
  expect(stdout).toContain(`\n  ${config}\n${" ".repeat(2 + config.indexOf("modle") - 1)}^\n`);
});

test.each([
  ["nothing else", [], ""],
  ["a prompt", ["explain"], "explain\n\n"],
  ["--plain", ["--plain"], ""],
])("what is piped is one prompt, in which nothing runs, with %s", async (_, args, prompt) => {
  const { env, requests } = await startModel([{ text: "Read." }]);
  const cwd = await tempDir();
  const text = "/permissions allow\n!touch PWNED\nrest\n";
  const { exitCode, stdout } = await ikigai(["--model", "openai-compatible/m", ...args], { cwd, env, stdin: text });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Read.\n" });
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([prompt + text]);
  expect(readdirSync(cwd)).toEqual([]);
});

test("a prompt without a terminal is a task", async () => {
  const { env } = await startModel([{ text: "One." }]);
  const end = await ikigai(["--model", "openai-compatible/m", "say one"], { env });
  expect(end).toEqual({ exitCode: 0, stdout: "One.\n", stderr: "" });
});

test("a long line in many pieces causes no warning from Node", async () => {
  const { env, requests } = await startModel([{ text: "Read." }]);
  const line = "x".repeat(1_000_000);
  const { stderr } = await ikigai(["--model", "openai-compatible/m"], { env, stdin: line });
  expect(stderr).toBe("");
  expect(requests[0]?.messages.at(-1)?.content).toBe(line);
});

test("a backslash continues a line, and questions get no answer", async () => {
  const { env, requests } = await startModel([{ calls: [{ name: "bash", arguments: { command: "touch ran" } }] }]);
  const { stdout } = await ikigai(["--model", "openai-compatible/m"], { env, typed: "one\\\ntwo\n" });
  expect(requests[0]?.messages.at(-1)?.content).toBe("one\ntwo");
  expect(stdout).toMatch(/This call needs permission, and this\s+run is\s+not\s+interactive\./);
  expect(stdout).not.toContain("Run it?");
});

test("names the whole log of a command in the background, however narrow the screen is", async () => {
  const call = { name: "bash", arguments: { command: "sleep 1.5", background: true } };
  const { env } = await startModel([{ calls: [call] }]);
  const TMPDIR = await tempDir();
  const { stdout } = await ikigai(["--model", "openai-compatible/m", "--allow", "bash"], {
    env: { ...env, TMPDIR, COLUMNS: "40" },
    typed: "start it\n",
  });
  expect(stdout).toMatch(new RegExp(`^  runs as job 1 . output: ${TMPDIR}/ikigai-[\\w.-]+/outputs/bash-1.txt$`, "m"));
});

test("a command behind ! is part of the conversation and needs no approval", async () => {
  const { env, requests } = await startModel([]);
  const { stdout } = await ikigai(["--model", "openai-compatible/m"], {
    env,
    typed: "!echo it-is-$((40+2))\nwhat was that?\n",
  });
  expect(stdout).toContain("  it-is-42\n  exit 0");
  const texts = requests[0]?.messages.map(({ content }) => String(content)) ?? [];
  expect(texts.some((text) => text.includes("echo it-is-$((40+2))") && text.includes("it-is-42"))).toBe(true);
});

test("a command after !! in line mode stays out of the conversation", async () => {
  const { env, requests } = await startModel([{ text: "Something." }]);
  const home = await tempDir();
  const { stdout, exitCode } = await ikigai(["--model", "openai-compatible/m"], {
    env: { HOME: home, ...env },
    typed: "!!echo it-is-$((40+2))\n!!\nwhat was that?\n",
  });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("it-is-42");
  expect(stdout).toContain("Missing command after !");
  expect(requests.map(({ messages }) => messages.filter(({ role }) => role !== "system"))).toEqual([
    [{ role: "user", content: "what was that?" }],
  ]);
  const logs = readdirSync(join(home, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  const log = logs.map((name) => readFileSync(join(home, ".ikigai/sessions", name), "utf8")).join("");
  expect(log).toContain("what was that?");
  expect(log).not.toContain("it-is");
});

test("reports once why a tool cannot be used", async () => {
  const HOME = await tempDir({
    ".ikigai/tools/slow-tool": "#!/bin/sh\nsleep 9\n",
    ".ikigai/tools/odd-tool": "#!/bin/sh\necho '[]'\n",
  });
  const { stdout } = await ikigai(["--model", "offline"], { env: { HOME }, typed: "find *\nfind *\n" });
  expect(stdout.match(/^Debug: .*$/gm)).toEqual([
    "Debug: tool 'odd' schema failed (invalid schema): expected an object, got an array. To test it: ikigai tool check odd",
    "Debug: tool 'slow' schema failed (timeout): it did not end within 1 s. To test it: ikigai tool check slow",
  ]);
});

test("/tool NAME says why a tool cannot be used", async () => {
  const HOME = await tempDir({ ".ikigai/tools/odd-tool": "#!/bin/sh\necho '[]'\n" });
  const { stdout } = await ikigai(["--model", "offline"], { env: { HOME }, typed: "/tool odd\n" });
  const why = "invalid schema: expected an object, got an array";
  expect(stdout).toContain(
    `Tool not found: odd\nNot loaded:\n  odd (~/.ikigai/tools/odd-tool): ${why}. To test it: ikigai tool check odd\n`,
  );
  const { stderr } = await ikigai(["tool", "show", "odd"], { env: { HOME } });
  expect(stderr).toBe(`ikigai: The tool odd was not loaded: ${why}. To test it: ikigai tool check odd\n`);
});

test("a path is a message, an unknown slash command is not", async () => {
  const { stdout } = await ikigai(["--model", "offline"], {
    typed: "/refr\n/qiut\n/nothing\n/etc/hosts is what?\n/exit\nno more",
  });
  expect(stdout).toContain("There is no command /refr. Did you mean /refresh?\n");
  expect(stdout).toContain("There is no command /qiut. Did you mean /quit?\n");
  expect(stdout).not.toContain("no more");
  expect(stdout).toContain("There is no command /nothing. /help lists the commands.\n");
  expect(stdout).toContain('I do not understand "/etc/hosts is what?"');
});

test("/help and /model list commands and the model", async () => {
  const { stdout } = await ikigai(["--model", "offline"], {
    typed: "/help\n/model nothing/x\n/model openai/gpt-5\n/model offline\n",
  });
  expect(stdout).toContain("  /tool [NAME]                list the tools, or show one\n");
  expect(stdout).toContain(
    "  !COMMAND                    run a command yourself; its output becomes part\n                              of the conversation\n",
  );
  expect(stdout).toContain('No provider is called "nothing"');
  expect(stdout).toContain("OPENAI_API_KEY");
  expect(stdout).toContain("Model: offline/plain-requests\n");
});

test("sends no escape sequence to a pipe", async () => {
  const { stdout } = await ikigai(["--model", "offline"], { typed: "run ls\n/tool\n/help\n" });
  expect(stdout).not.toContain(escapeCode);
});

test.each(["/proc/nothing", "file", "read-only"])("works where the home directory is %s", async (kind) => {
  const directory = await tempDir({ file: "", "read-only/": "" });
  chmodSync(join(directory, "read-only"), 0o500);
  const HOME = kind.startsWith("/") ? kind : join(directory, kind);
  const { exitCode, stdout, stderr } = await ikigai(["--model", "offline"], { env: { HOME }, typed: "find *\n" });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("No file.");
  const list = await ikigai(["tool", "list"], { env: { HOME } });
  expect(list).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Available tools:\n[\s\S]* {2}bash /),
    stderr: "",
  });
  // Root may write to read-only files.
  if (process.getuid?.() !== 0 || kind !== "read-only") expect(stdout).toContain("This session is not being saved");
});

test("works without a home directory", async () => {
  const { exitCode, stdout } = await ikigai(["--model", "offline"], {
    env: { HOME: undefined, IKIGAI_HOME: await tempDir() },
    typed: "/tool\n",
  });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Available tools:\n");
});

test("SIGINT ends it and running calls, with exit code 130", async () => {
  const cwd = await tempDir();
  const { exitCode } = await ikigai(["--model", "offline", "--allow", "bash"], {
    cwd,
    stdin: "run touch began; sleep 60",
    async whileRunning({ kill }) {
      await until(() => readdirSync(cwd).includes("began"), "the call");
      kill("SIGINT");
    },
  });
  expect(exitCode).toBe(130);
});

test("--continue takes the last conversation, and with -p what was done last", async () => {
  const [cwd, home] = [await tempDir(), await tempDir()];
  const { env, requests } = await startModel([]);
  const run = async (text: string, ...args: readonly string[]) => {
    const isPrint = args[0] === "-p";
    const options = { cwd, env: { ...env, HOME: home } };
    const given = ["--model", "openai-compatible/m", ...args, ...(isPrint ? [text] : [])];
    const { exitCode } = await ikigai(given, { ...options, ...(!isPrint && { typed: text }) });
    expect(exitCode).toBe(0);
    const said = requests.at(-1)?.messages.filter(({ role }) => role === "user");
    return said?.map(({ content }) => content);
  };
  expect(await run("task", "-p")).toEqual(["task"]);
  expect(await run("a", "-c")).toEqual(["task", "a"]);
  expect(await run("talk")).toEqual(["talk"]);
  expect(await run("other", "-p")).toEqual(["other"]);
  expect(await run("more", "-p", "-c")).toEqual(["other", "more"]);
  expect(await run("b", "-c")).toEqual(["talk", "b"]);
  const sessions = join(home, ".ikigai/sessions");
  const logs = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  const other = logs.find((name) => readFileSync(join(sessions, name), "utf8").includes('"text":"other"'));
  await run("taken up", "--resume", `${other}`.replace(".jsonl", ""));
  await run("last", "-p");
  expect(await run("c", "-c")).toEqual(["other", "more", "taken up", "c"]);
});
