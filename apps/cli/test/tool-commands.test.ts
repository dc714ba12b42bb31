// @module-tag sampled
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";

const libexec = new URL("../libexec/ikigai", import.meta.url).pathname;

const hello = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"hello","description":"Say hello","parameters":{"type":"object","properties":{}}}'; exit; fi
cat > /dev/null
echo '{"output":"hello"}'
`;

async function home(tools: Record<string, string>) {
  const files = Object.entries(tools).map(([name, content]) => [`.ikigai/tools/${name}`, content]);
  return { HOME: await tempDir(Object.fromEntries(files)) };
}

test("list --json lists every tool, also those that failed to load", async () => {
  const env = await home({
    "hello-tool": hello,
    "bash-tool": hello,
    "slow-tool": "#!/bin/sh\nsleep 9\n",
    "no-tool": "#!/bin/sh\nexit 1\n",
  });
  const { exitCode, stdout, stderr } = await ikigai(["tool", "list", "--json"], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const rows: { name: string }[] = JSON.parse(stdout);
  const tools = join(env.HOME, ".ikigai/tools");
  expect(rows.find(({ name }) => name === "hello")).toEqual({
    kind: "tool",
    name: "hello",
    description: "Say hello",
    path: join(tools, "hello-tool"),
    scope: "user",
    status: "loaded",
    shadows: [],
  });
  expect(rows.find(({ name }) => name === "bash")).toMatchObject({
    scope: "user",
    shadows: [{ path: `${libexec}/bash-tool`, scope: "system" }],
  });
  const failed = rows.filter((row) => "reason" in row);
  expect(failed).toEqual([
    {
      kind: "tool",
      name: "no",
      description: "",
      path: join(tools, "no-tool"),
      scope: "user",
      status: "failed",
      reason: "crash",
      detail: expect.any(String),
      shadows: [],
    },
    {
      kind: "tool",
      name: "slow",
      description: "",
      path: join(tools, "slow-tool"),
      scope: "user",
      status: "failed",
      reason: "timeout",
      detail: expect.any(String),
      shadows: [],
    },
  ]);
});

test("list names executables that are no tools because of their names, and how to test a broken tool", async () => {
  const env = await home({ "hi-tool": "#!/bin/sh\necho hi\n", "no-tool": "#!/bin/sh\nexit 3\n" });
  const tools = join(env.HOME, ".ikigai/tools");
  for (const name of ["foo-tool.sh", "my_tool", ".hidden"]) writeFileSync(join(tools, name), hello, { mode: 0o755 });
  writeFileSync(join(tools, "notes.txt"), "text");
  const { stdout } = await ikigai(["tool", "list"], { env });
  expect(stdout).toContain(`Not loaded:
  hi (~/.ikigai/tools/hi-tool): invalid JSON: --schema printed "hi", which is not JSON: unexpected h at byte 0; a plain tool needs the comment "# @describe what it does". To test it: ikigai tool check hi
  no (~/.ikigai/tools/no-tool): crash: --schema ended with exit code 3. To test it: ikigai tool check no
Ignored:
  foo-tool.sh (~/.ikigai/tools/foo-tool.sh): not a tool: its name does not end in -tool
  my_tool (~/.ikigai/tools/my_tool): not a tool: its name does not end in -tool
`);
  expect(stdout).not.toMatch(/notes|hidden/);
  const ignored = "foo-tool.sh (~/.ikigai/tools/foo-tool.sh): not a tool: its name does not end in -tool";
  expect((await ikigai(["doctor"], { env })).stdout).toContain(`~ ${ignored}`);
  expect((await ikigai(["tool", "call", "foo", "{}"], { env })).stderr).toContain(ignored);
  expect((await ikigai(["tool", "check", "foo"], { env })).stderr).toContain(ignored);
  expect((await ikigai(["tool", "call", "my", "{}"], { env })).stderr).toContain("my_tool (");
});

test("show says why a tool was not loaded, which is not the same as not found", async () => {
  const env = await home({ "odd-tool": "#!/bin/sh\necho no JSON\n" });
  const { exitCode, stderr } = await ikigai(["tool", "show", "odd"], { env });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ikigai: The tool odd was not loaded: invalid JSON: --schema printed "no JSON".*\n$/),
  ]);
});

test("show prints a tool as /tool does", async () => {
  const { stdout } = await ikigai(["tool", "show", "hello"], { env: await home({ "hello-tool": hello }) });
  expect(stdout).toBe(`Tool: hello
Path: ~/.ikigai/tools/hello-tool
Schema:
{
  "name": "hello",
  "description": "Say hello",
  "parameters": {
    "type": "object",
    "properties": {}
  }
}
`);
  const { exitCode, stderr } = await ikigai(["tool", "show", "gerp"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "ikigai: Tool not found: gerp. Did you mean grep?\n" });
});

test.each([
  [
    ["bash", '{"command":"echo hello"}'],
    undefined,
    0,
    { tool_success: true, result: { output: "hello", exit_code: 0 } },
  ],
  [["bash", "-"], '{"command":"echo hello"}', 0, { tool_success: true, result: { output: "hello", exit_code: 0 } }],
  [["bash", '{"command":"exit 7"}'], undefined, 0, { tool_success: true, result: { output: "", exit_code: 7 } }],
  [["bash", "[]"], undefined, 1, { tool_success: false, error_code: "INVALID_PARAMS" }],
  [
    ["bahs", "{}"],
    undefined,
    1,
    { tool_success: false, error_code: "TOOL_NOT_FOUND", error: "Tool 'bahs' not found; the nearest name is 'bash'" },
  ],
  [
    ["file_read", '{"file_path":"nowhere"}'],
    undefined,
    0,
    { tool_success: true, result: { error: "File not found: nowhere" } },
  ],
] as const)("call %j prints the envelope on one line", async (args, stdin, code, envelope) => {
  const { exitCode, stdout } = await ikigai(["tool", "call", ...args], stdin === undefined ? {} : { stdin });
  expect(exitCode).toBe(code);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  expect(JSON.parse(stdout)).toMatchObject(envelope);
});

test("refuses arguments that are not UTF-8, and ignores a byte order mark", async () => {
  const call = async (stdin: Buffer) => (await ikigai(["tool", "call", "bash", "-"], { stdin })).stdout;
  const [latin1, marked] = await Promise.all([
    call(Buffer.from('{"command":"echo \xe9"}', "latin1")),
    call(Buffer.from('\ufeff{"command":"echo é"}')),
  ]);
  expect(JSON.parse(latin1)).toMatchObject({
    error: "Arguments of tool 'bash': expected a JSON object in UTF-8, got bytes that are not UTF-8",
    error_code: "INVALID_PARAMS",
  });
  expect(JSON.parse(marked)).toMatchObject({ result: { output: "é" } });
});

test("a call ends with ikigai", async () => {
  const cwd = await tempDir();
  const file = join(cwd, "pid");
  const { exitCode, stdout } = await ikigai(["tool", "call", "bash", '{"command":"echo $$ > pid; sleep 60"}'], {
    cwd,
    async whileRunning({ kill }) {
      await until(() => existsSync(file) && readFileSync(file, "utf8") !== "", "the command");
      kill("SIGINT");
    },
  });
  expect(exitCode).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect(isRunning(Number(readFileSync(file, "utf8")))).toBe(false);
});

test("check finds a tool by its name, also where a folder has the same one", async () => {
  const cwd = await tempDir({ "glob/main.ts": "", "other/main.ts": "" });
  const { exitCode, stdout, stderr } = await ikigai(["tool", "check", "glob", "--only", "executable"], { cwd });
  expect([exitCode, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^1 of \d+ checks passed/m),
    expect.stringContaining("glob-tool"),
  ]);
  const other = await ikigai(["tool", "check", "other"], { cwd });
  expect(other.stderr).toContain('No file or tool "other".');
  const folder = await ikigai(["tool", "check", "./glob"], { cwd });
  expect(folder.stdout).toMatch(/is a directory\.\s+Pass the path of the executable in it\./);
});

test("check says whether an executable follows the protocol", async () => {
  const uncalled = await ikigai(["tool", "check", `${libexec}/bash-tool`]);
  expect([uncalled.exitCode, uncalled.stdout]).toEqual([0, expect.stringContaining("no real call was made")]);
  const good = await ikigai(["tool", "check", `${libexec}/glob-tool`, "--call", '{"pattern":"*"}']);
  expect(good.exitCode).toBe(0);
  expect(good.stdout).toMatch(/Conforms to the protocol: \d+ checks passed, \d+ skipped\.\n$/);
  const cwd = await tempDir({ "bad-tool": "#!/bin/sh\necho nonsense\n" });
  const bad = await ikigai(["tool", "check", "bad-tool"], { cwd });
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toMatch(/^FAILED {2}must /m);
  const none = await ikigai(["tool", "check", "./none", "--json"], { cwd });
  expect(none.exitCode).toBe(1);
  expect(JSON.parse(none.stdout).results[0]).toMatchObject({
    id: "executable",
    problem: `No file ${join(cwd, "none")}.`,
  });
  expect(none.stderr).toBe("");
  const named = await ikigai(["tool", "check", "bash", "--only", "name"]);
  expect(named).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Checking .*\/bash-tool\n$/) });
  expect((await ikigai(["tool", "check", "bad-tool", "--tap"], { cwd })).stdout).toMatch(/^not ok \d+ - schema:/m);
  expect(await ikigai(["tool", "check", "--only", "nmae", "bad-tool"], { cwd })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: 'ikigai tool check: Unknown check "nmae"; --list prints the ids. Try: ikigai tool check --help\n',
  });
});

test.each([
  ["reached", ["/usr/bin/env", `${libexec}/bash-tool`]],
  ["not reached", ["/nowhere/launcher"]],
])("check says where to check a tool whose launcher is %s", async (_, launcher) => {
  const config = JSON.stringify({ tools: { bash: { launcher } } });
  const env = { HOME: await tempDir({ ".ikigai/config.json": config }) };
  const { exitCode, stderr } = await ikigai(["tool", "check", "bash"], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("bash runs elsewhere, by its launcher. Check its file there: npx @ikigai/testing PATH.");
});
