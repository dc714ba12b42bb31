// Promise 6 of SECURITY.md.
// @module-tag tables
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookWorld, projectHook, userHook } from "./hook-world.ts";

const notes = { "notes.txt": "alpha beta\n" };

test("a guard denies a call that a rule allows", async () => {
  const here = await hookWorld(notes);
  userHook(
    here,
    "before-call/bash/10-no-force",
    'grep -q "push --force" && { echo "no force" >&2; exit 2; }',
    "exit 0",
  );
  const refused = await here.run("-p", "run git push --force", "--allow", "bash", "--model", "offline");
  expect(refused.stderr).toContain("no force");
  const other = await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect(other.stdout).toContain("hi");
});

test("a broken guard denies in mode allow, and names its file", async () => {
  const here = await hookWorld(notes);
  const path = userHook(here, "before-call/bash/10-no-force", "exit 1");
  expect(await here.ask("run echo hi")).toMatchObject({
    error_code: "TOOL_DENIED",
    error: `This call needs permission, and this run is not interactive: the hook ${path} is broken: exit 1.`,
  });
});

test.each(["exit 2", "exit 1"])("a prompt hook with %s ends -p with exit code 1 and the code hook", async (line) => {
  const here = await hookWorld(notes);
  userHook(here, "prompt/guard", line);
  const end = await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline", "--output-format", "json");
  expect(end.exitCode).toBe(1);
  expect(JSON.parse(end.stdout)).toMatchObject({ result: "", turns: 0, tool_calls: [], error: { code: "hook" } });
});

test("a hook of a clone that is not trusted never runs, in no command", async () => {
  const here = await hookWorld(notes);
  for (const event of ["session-start", "session-end", "prompt", "before-call", "after-call", "question", "stop"]) {
    projectHook(here, `${event}/evil`, `: > "${here.home}/pwned"`);
  }
  const end = await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect(end.stdout).toContain("hi");
  expect(end.stderr).toContain("1 project hook not trusted: before-call/evil — ikigai trust");
  const list = await here.run("hook", "list", "--json");
  expect(JSON.parse(list.stdout).map(({ status }: { status: string }) => status)).toEqual(Array(7).fill("untrusted"));
  for (const event of ["session-start", "prompt", "stop"]) await here.run("hook", "test", event);
  await here.run("hook", "test", "before-call", "--tool", "bash", "{}");
  await here.run("doctor");
  await here.run("trust", "--show");
  expect(existsSync(join(here.home, "pwned"))).toBe(false);
});

test("the trust question lists hooks with their events, and a changed one asks again", async () => {
  const here = await hookWorld(notes);
  const path = projectHook(here, "before-call/bash/guard", "echo no >&2; exit 2");
  const shown = await here.run("trust", "--show");
  expect(shown.stdout).toContain("hooks/before-call/bash/guard  file 755  hook: before-call of bash");
  expect((await here.run("trust", "--yes")).exitCode).toBe(0);
  const ask = () => here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect((await ask()).stderr).toContain("denies it: no");
  writeFileSync(path, "#!/bin/sh\nexit 0\n");
  const changed = await ask();
  expect(changed.stderr).toContain(
    "1 project hook no longer trusted (files changed): before-call/bash/guard — ikigai trust",
  );
  expect((await here.run("trust", "--show")).stdout).toMatch(/guard .*CHANGED/);
});

test("names of hooks cannot control a terminal", async () => {
  const here = await hookWorld(notes);
  const name = "before-call/evil\u001b[2J\nname\u202e";
  userHook(here, name, "exit 1");
  projectHook(here, name, "exit 1");
  const ends = [
    await here.run("hook", "list"),
    await here.run("trust", "--show"),
    await here.run("hook", "test", "before-call", "--tool", "bash", '{"command":"ls"}'),
    await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline"),
  ];
  for (const { stdout, stderr } of ends) {
    expect(`${stdout}${stderr}`).toContain("evil");
    for (const character of ["\u001b", "\u202e"]) expect(`${stdout}${stderr}`).not.toContain(character);
  }
});

test("hook list shows what is broken or misplaced", async () => {
  const here = await hookWorld(notes);
  const path = userHook(here, "before-call/plain", "exit 0");
  chmodSync(path, 0o644);
  userHook(here, "after-call/Bash/x", "exit 0");
  userHook(here, "after-call/no_such_tool/x", "exit 0");
  userHook(here, "PreToolUse/x", "exit 0");
  symlinkSync("gone", join(here.home, ".ikigai/hooks/before-call/dangling"));
  const { stdout, stderr } = await here.run("hook", "list", "--json");
  expect(JSON.parse(stdout)).toMatchObject([
    { event: "before-call", scope: "user", status: "broken", reason: "link target missing: gone" },
    {
      event: "before-call",
      path,
      status: "broken",
      reason: `it is not executable. To fix it: chmod +x ${path}, or move it away`,
    },
    { event: "after-call", tool: "Bash", status: "ready" },
    { event: "after-call", tool: "no_such_tool", status: "ready", reason: "no such tool" },
  ]);
  expect(stderr).toContain("PreToolUse is never run");
  expect((await (await hookWorld(notes)).run("hook", "list")).stdout).toContain("No hooks.");
});

test("what is misplaced or broken in a project is reported as the user's is, and is not run", async () => {
  const here = await hookWorld(notes);
  projectHook(here, "PreToolUse/x", `: > "${here.home}/pwned"`);
  const plain = projectHook(here, "before-call/plain", "exit 0");
  chmodSync(plain, 0o644);
  const session = () => here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect((await here.run("hook", "list")).stderr).toContain("PreToolUse is never run");
  expect((await session()).stderr).not.toContain("PreToolUse");
  expect((await here.run("trust", "--yes")).exitCode).toBe(0);
  for (const command of [["hook", "list"], ["doctor"]]) {
    const { stdout, stderr } = await here.run(...command);
    expect(`${stdout}${stderr}`).toContain(
      "PreToolUse is never run: no event has this name. Did you mean before-call?",
    );
    expect(stdout).toContain(`it is not executable. To fix it: chmod +x ${plain}, or move it away`);
  }
  expect((await session()).stderr).toContain("PreToolUse is never run");
  expect(existsSync(join(here.home, "pwned"))).toBe(false);
});

test("hook test shows each answer and the decision, and fails for a broken hook", async () => {
  const here = await hookWorld(notes);
  userHook(here, "before-call/bash/change", `echo '{"arguments": {"command": "ls"}, "decision": "allow"}'`);
  const end = await here.run("hook", "test", "before-call", "--tool", "bash", '{"command":"rm x"}');
  expect(end.exitCode).toBe(0);
  expect(end.stdout).toMatch(/change {2}.* {2}allow\n {2}arguments: \{"command":"ls"\}\nThe call is allowed: the hook/);
  userHook(here, "before-call/broken", "exit 9");
  expect(await here.run("hook", "test", "before-call", "--tool", "bash", "{}")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("broken: exit 9"),
  });
  userHook(here, "prompt/add", "echo context");
  expect((await here.run("hook", "test", "prompt", '{"prompt":"x"}')).stdout).toContain(
    "The message is sent.\nFor the model:\n[hook prompt/add]\ncontext\n",
  );
});

test.each([
  [["hook", "test", "before-call"], "Missing --tool NAME"],
  [["hook", "test", "stop", "--tool", "bash"], "--tool is for before-call and after-call"],
  [["hook", "test", "PreToolUse"], 'No event "PreToolUse". Did you mean before-call? Events: session-start, '],
  [["hook", "test", "pre_tool_use"], "Did you mean before-call?"],
  [["hook", "test", "something"], 'No event "something". Events: '],
  [["hook", "test", "prompt", "["], "Expected the arguments to be a JSON object"],
])("%j is wrong usage", async (args, text) => {
  expect(await (await hookWorld(notes)).run(...args)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(text),
  });
});

test("hook test suggests the name of a tool", async () => {
  const end = await (await hookWorld(notes)).run("hook", "test", "before-call", "--tool", "Bash");
  expect(end).toEqual({ exitCode: 1, stdout: "", stderr: 'ikigai: No tool "Bash". Did you mean bash?\n' });
});

test("changed arguments are those that tool log shows", async () => {
  const here = await hookWorld(notes);
  userHook(here, "before-call/bash/change", `echo '{"arguments": {"command": "echo changed"}}'`);
  const end = await here.run(
    "-p",
    "run echo hi",
    "--allow",
    "bash",
    "--model",
    "offline",
    "--output-format",
    "stream-json",
  );
  const lines = end.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find(({ type }) => type === "tool_call").arguments).toEqual({ command: "echo hi" });
  expect(lines.find(({ type }) => type === "tool_start").arguments).toEqual({ command: "echo changed" });
  const log = await here.run("tool", "log", "--json");
  expect(JSON.parse(log.stdout).calls[0]).toMatchObject({
    arguments: { command: "echo changed" },
    envelope: { result: { output: "changed" } },
  });
});

test("hooks see the start and the end of a session", async () => {
  const here = await hookWorld(notes);
  for (const event of ["session-start", "session-end"]) userHook(here, `${event}/see`, `cat > "${here.home}/${event}"`);
  await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  const inputOf = (event: string) => JSON.parse(readFileSync(join(here.home, event), "utf8"));
  expect(inputOf("session-start")).toMatchObject({ source: "startup" });
  expect(inputOf("session-end")).toMatchObject({ reason: "other", session_id: inputOf("session-start").session_id });
});

test("hooks do not apply to tool call and replay", async () => {
  const here = await hookWorld(notes);
  await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  userHook(here, "before-call/guard", "exit 2");
  expect((await here.run("tool", "call", "bash", '{"command":"echo hi"}')).exitCode).toBe(0);
  expect((await here.run("replay", "1", "--yes")).exitCode).toBe(0);
});
