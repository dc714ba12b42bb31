// Promise 1 of SECURITY.md.
// @module-tag tables
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { alone, cleanEnv, ikigai, some } from "./ikigai.ts";
import { shippedTools } from "./shipped-tools.ts";
import { openTerminal } from "./terminal.ts";

const notice = "1 project tool not trusted: bash — ikigai trust\n";
const noticeInConversation = "1 project tool not trusted: bash — /trust\n";

/** A project whose tool, configuration and git configuration leave a mark when used. */
async function openProject() {
  const mark = join(await tempDir(), "mark");
  const script = `#!/bin/sh\ntouch ${mark}\n`;
  const cwd = await tempDir({
    ".ikigai/tools/bash-tool": script,
    ".ikigai/config.json": `{"model":"openai-compatible/m","providers":{"openai-compatible":{"baseUrl":"http://127.0.0.1:9"}},"permission":{"mode":"allow"}}`,
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${mark}.sh\n`,
    ".git/objects/": "",
    ".git/refs/": "",
  });
  writeFileSync(`${mark}.sh`, script, { mode: 0o755 });
  return { cwd, mark, home: await tempDir() };
}

test.each(
  some(3, [
    [["--help"], undefined],
    [["--version"], undefined],
    [["doctor"], undefined],
    [["tool", "list"], undefined],
    [["tool", "list", "--json"], undefined],
    [["tool", "show", "bash"], undefined],
    [["tool", "call", "bash", '{"command":"true"}'], undefined],
    [["trust", "--show"], undefined],
    [["-p", "run true", "--allow", "bash", "--model", "offline"], undefined],
    [["--model", "offline"], "/tool\n/tool bash\n/refresh\n!true\nrun true\n"],
  ]),
)("nothing in an untrusted project runs: ikigai %j", async (args, typed) => {
  const { cwd, mark, home } = await openProject();
  const env = { HOME: home, TMPDIR: await tempDir() };
  const { exitCode } = await ikigai(args, { cwd, env, launcher: alone, ...(typed && { typed }) });
  expect(exitCode).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test("print mode says so in a line on stderr, and uses the shipped tool", async () => {
  const { cwd } = await openProject();
  const { exitCode, stdout, stderr } = await ikigai(["-p", "run echo hi", "--allow", "bash", "--model", "offline"], {
    cwd,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hi\n" });
  expect(stderr).toContain(notice);
});

test.each(["show", "call"])("tool %s says on stderr which tool of the name is not used", async (command) => {
  const { cwd } = await openProject();
  const { exitCode, stderr } = await ikigai(
    ["tool", command, "bash", ...(command === "call" ? ['{"command":""}'] : [])],
    {
      cwd,
    },
  );
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: "The project tool bash is not trusted — ikigai trust\n",
  });
});

test("a plain tool is listed with its schema before trust, and none of it runs", async () => {
  const mark = join(await tempDir(), "mark");
  const script = `#!/bin/sh\n# @describe Deploy it.\n# @option --to! Where\ntouch ${mark}\n`;
  const commands = `# @cmd Build it\nbuild() { :; }\n# @cmd Test it\ntest() { :; }\ntouch ${mark}\n`;
  const cwd = await tempDir({
    ".ikigai/tools/deploy-tool": { content: script, mode: 0o755 },
    ".ikigai/tools/project-tool": { content: commands, mode: 0o755 },
  });
  const options = { cwd, env: { HOME: await tempDir() } };
  const list = await ikigai(["tool", "list"], options);
  const untrusted = "untrusted: to use it, review it and run: ikigai trust";
  expect(list.stdout).toContain(`  deploy (.ikigai/tools/deploy-tool): ${untrusted}\n    Deploy it\n`);
  expect(list.stdout).toContain(`  project_build (.ikigai/tools/project-tool): ${untrusted}\n    Build it\n`);
  const show = await ikigai(["tool", "show", "deploy"], options);
  expect(show).toMatchObject({ exitCode: 0, stderr: "" });
  expect(show.stdout).toMatch(/^Tool: deploy\nPath: \S+\nNot loaded: untrusted: .*\nSchema:\n\{/);
  expect(show.stdout).toContain('"description": "Where"');
  const typed = await ikigai(["--model", "offline"], { ...options, typed: "/tool deploy\n" });
  expect(typed.stdout).toContain('"description": "Where"');
  expect((await ikigai(["tool", "call", "deploy", "to=x"], options)).stdout).toContain("TOOL_NOT_FOUND");
  expect(existsSync(mark)).toBe(false);
});

test("the REPL says so on a pipe, and does not ask", async () => {
  const { cwd, mark } = await openProject();
  const { exitCode, stdout } = await ikigai(["--model", "offline"], { cwd, typed: "/tool\n" });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(noticeInConversation);
  expect(stdout).toContain("Not loaded:\n  bash (.ikigai/tools/bash-tool): untrusted: ");
  expect(existsSync(mark)).toBe(false);
});

test("on a terminal nothing runs before the answer or after a no", async () => {
  const { cwd, mark } = await openProject();
  const terminal = await openTerminal([], { cwd });
  await terminal.waitFor("Trust this?");
  terminal.type("\r");
  await terminal.waitFor("Expected one of");
  terminal.type("n\r");
  await terminal.waitForPrompt();
  terminal.type("/refresh\r");
  await terminal.waitFor(`Tool registry refreshed: ${shippedTools.length} tools loaded`);
  expect(existsSync(mark)).toBe(false);
});

test("stores the approval in the user's home, for these files only", async () => {
  const { cwd, mark, home } = await openProject();
  const env = { HOME: home };
  expect((await ikigai(["trust", "--yes"], { cwd, env })).stdout).toBe(`${cwd}/.ikigai is not trusted:
  tools/bash-tool  file 755
  config.json  file 644  no effect: only your own configuration counts
  would override the system tool bash (${libexec()}/bash-tool)
Trusted until one of these files changes.
`);
  expect(statSync(join(home, ".ikigai/trust.json")).mode & 0o777).toBe(0o600);
  await ikigai(["tool", "list"], { cwd, env });
  expect(existsSync(mark)).toBe(true);
  writeFileSync(join(cwd, ".ikigai/tools/bash-tool"), "#!/bin/sh\n");
  const changed = await ikigai(["trust", "--show"], { cwd, env });
  expect(changed.stdout).toContain(
    `${cwd}/.ikigai has changed since you trusted it:\n  tools/bash-tool  file 755  CHANGED\n`,
  );
  expect((await ikigai(["tool", "show", "bash"], { cwd, env })).stderr).toBe(
    "The project tool bash is not used: changed since you trusted it: tools/bash-tool (changed); review it and run: ikigai trust\n",
  );
  expect((await ikigai(["--model", "offline"], { cwd, env, typed: "/tool\n" })).stdout).toContain(
    "1 project tool no longer trusted (files changed): bash — /trust\n",
  );
  expect((await ikigai(["trust", "--revoke", cwd], { env })).stdout).toBe("No longer trusted.\n");
  expect((await ikigai(["trust", "--revoke", cwd], { env })).stdout).toBe(
    "Nothing to revoke: this project is not trusted.\n",
  );
  expect(JSON.parse(readFileSync(join(home, ".ikigai/trust.json"), "utf8"))).toBeTypeOf("object");
});

test.each([
  ["y\r", 0, "Trusted until one of these files changes."],
  ["n\r", 1, "Nothing was trusted."],
  ["\u0003", 130, "Nothing was done."],
  ["\u0004", 1, "Nothing was trusted."],
])("asks on a terminal before it trusts: %j", async (keys, exitCode, said) => {
  const { cwd, home } = await openProject();
  const env = { HOME: home };
  const terminal = await openTerminal(["trust"], { cwd, env });
  expect(await terminal.waitFor("Trust these files? Their tools run with your privileges. y/N")).toContain("bash-tool");
  terminal.type(keys);
  expect(await terminal.exitCode).toBe(exitCode);
  expect(terminal.screen()).toContain(said);
  const { stdout } = await ikigai(["trust", "--show"], { cwd, env });
  expect(stdout.includes("is not trusted")).toBe(exitCode !== 0);
});

test.each(["", "y\n", "n\n"])("trusts nothing without a terminal or --yes, with %j on stdin", async (stdin) => {
  const { cwd, mark, home } = await openProject();
  const env = { HOME: home };
  const { exitCode, stdout, stderr } = await ikigai(["trust"], { cwd, env, stdin });
  expect(stdout).toContain("tools/bash-tool  file 755");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("Not a terminal, and nothing was changed: pass --yes to trust these files."),
  });
  expect((await ikigai(["trust", "--show"], { cwd, env })).stdout).toContain("is not trusted");
  expect(existsSync(mark)).toBe(false);
});

test("does not ask on a terminal with --yes", async () => {
  const { cwd, home } = await openProject();
  const terminal = await openTerminal(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).not.toContain("y/N");
});

test("reports a directory that does not exist", async () => {
  const cwd = await tempDir();
  for (const args of [
    ["trust", "nodir"],
    ["trust", "--show", "nodir"],
  ]) {
    const end = await ikigai(args, { cwd });
    expect(end).toEqual({ exitCode: 1, stdout: "", stderr: `ikigai: No such directory: ${cwd}/nodir\n` });
  }
});

test("reports that there is nothing to trust", async () => {
  const cwd = await tempDir();
  const { exitCode, stderr } = await ikigai(["trust"], { cwd });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `ikigai: Nothing to trust: ${cwd} has no .ikigai directory and no skills.\n`,
  });
});

test("says that the home directory's .ikigai is the user's own", async () => {
  const HOME = await tempDir({ ".ikigai/tools/": "" });
  const own = `Nothing to trust: ${HOME}/.ikigai is your own directory, and the project has no skills.\n`;
  const run = (...args: string[]) => ikigai(args, { cwd: HOME, env: { HOME } });
  expect((await run("trust")).stderr).toBe(`ikigai: ${own}`);
  expect((await run("trust", "--show")).stdout).toBe(own);
});

test("fails if the decision cannot be stored", async () => {
  const { cwd } = await openProject();
  const home = join((await cleanEnv()).HOME ?? "", "file");
  writeFileSync(home, "");
  const { exitCode, stderr } = await ikigai(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("ikigai: Cannot store the decision: ");
});

function libexec(): string {
  return new URL("../libexec/ikigai", import.meta.url).pathname;
}
