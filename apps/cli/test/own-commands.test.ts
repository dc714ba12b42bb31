// Promise 1 of SECURITY.md.
// @module-tag sampled
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { expandCommand } from "../src/session/commands/own-commands.ts";
import { ikigai } from "./ikigai.ts";

const files = {
  ".ikigai/commands/say.md": "---\ndescription: Say it\nargument-hint: WORDS\n---\nrun echo $ARGUMENTS\n",
  ".ikigai/commands/git/log.md": "run echo the log\n",
  ".ikigai/commands/help.md": "run echo not this one\n",
  ".ikigai/commands/empty.md": "",
};

async function place() {
  const options = { cwd: await tempDir(), env: { HOME: await tempDir(files) } };
  const lines = (typed: string) => ikigai(["--model", "offline", "--allow", "bash"], { ...options, typed });
  const print = (prompt: string) => ikigai(["-p", prompt, "--model", "offline", "--allow", "bash"], options);
  return { options, lines, print };
}

test("line mode runs and lists the user's own commands, and prefers its own", async () => {
  const { lines } = await place();
  const { stdout } = await lines("/say a  b\n/git:log\n/help\n/empty\n/nosuch\n");
  expect(stdout).toContain("\na b\n");
  expect(stdout).toContain("\nthe log\n");
  expect(stdout).toMatch(/^ *\/say WORDS +Say it \(user\)$/m);
  expect(stdout).not.toContain("\nnot this one\n");
  expect(stdout).toContain("The file of /empty is empty or too long.\n");
  expect(stdout).toContain("There is no command /nosuch.");
});

test("-p runs them too, refuses unknown ones, and sends a text that begins with a path", async () => {
  const { print } = await place();
  expect((await print("/say hello")).stdout).toBe("hello\n");
  expect(await print("/sya hello")).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("There is no command /sya. Did you mean /say?\n"),
  });
  expect((await print("/nosuch x")).stderr).toContain("There is no command /nosuch. ikigai help commands lists the");
  expect((await print("/empty")).stderr).toContain("The file of /empty is empty or too long.\n");
  expect((await print("/etc/hosts is what?")).stdout).not.toContain("There is no command");
});

test("a project's commands run only after trust", async () => {
  const { options, print } = await place();
  const cwd = await tempDir({ ".ikigai/commands/say.md": "run echo of the project\n" });
  const there = (prompt: string) =>
    ikigai(["-p", prompt, "--model", "offline", "--allow", "bash"], { ...options, cwd });
  expect((await there("/say x")).stdout).toBe("x\n");
  const untrusted = await tempDir({ ".ikigai/commands/rev.md": "run echo of the project\n" });
  expect(await ikigai(["-p", "/rev a", "--model", "offline"], { ...options, cwd: untrusted })).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("/rev is a command of the project, which is not trusted. See: ikigai trust\n"),
  });
  expect((await ikigai(["trust", "--yes"], { ...options, cwd })).exitCode).toBe(0);
  expect((await there("/say x")).stdout).toContain("of the project");
  expect((await print("/say x")).stdout).toBe("x\n");
});

test("/help explains one of them, unless ikigai has a topic or command of this name", async () => {
  const { lines } = await place();
  const { stdout } = await lines("/help say\n/help git:log\n/help help\n/help config\n/help\n");
  expect(stdout).toContain("/say WORDS   Say it\nA command of the user: ~/.ikigai/commands/say.md\n");
  expect(stdout).toContain("/git:log   run echo the log\n");
  expect(stdout).not.toContain("not this one");
});

test("doctor names files that are no commands", async () => {
  const HOME = await tempDir({ ...files, ".ikigai/commands/Bad Name.md": "x", ".ikigai/commands/README.txt": "x" });
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(stdout).toMatch(/^~ .*Bad Name\.md is no command: a name has letters, digits, - and _\.$/m);
  expect(stdout).toMatch(/^~ .*empty\.md is no command: it is empty or too long\.$/m);
  expect(stdout).not.toMatch(/say\.md|README/);
});

test.each([
  ["say.md", 0o666, "/say x", "/say"],
  ["git/log.md", 0o622, "/git:log", "/git:log"],
  ["git", 0o777, "/git:log", "/git:log"],
  ["", 0o757, "/say x", "/say"],
])("a command that others could have written is not sent: %s with mode %o", async (file, mode, typed, command) => {
  const { options, lines, print } = await place();
  const path = join(options.env.HOME, ".ikigai/commands", file);
  chmodSync(path, mode);
  const octal = mode.toString(8);
  const said = `The command ${command} is not used: ${path.replace(/\/$/, "")} can be written by others (mode ${octal}). To fix it: chmod go-w ${path.replace(/\/$/, "")}`;
  expect(await print(typed)).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(said) });
  const { stdout } = await lines(`${typed}\n/help\n`);
  expect(stdout).toContain(said);
  expect(stdout).not.toMatch(new RegExp(`^ *${command} .*\\(user\\)$`, "m"));
  expect((await ikigai(["doctor"], options)).stdout).toContain(`~ ${said}`);
  chmodSync(path, file.endsWith(".md") ? 0o644 : 0o755);
  expect((await print(typed)).exitCode).toBe(0);
});

test("a command typed with & at its end runs in the background", async () => {
  const { lines } = await place();
  const { stdout } = await lines("!sleep 1 &\n!echo a; sleep 1 &\n");
  expect(stdout).toMatch(/ {2}runs as job 1 . output: \S+\n/);
  expect(stdout.match(/runs as job/g)).toHaveLength(2);
});

test("line mode says what a session leaves running", async () => {
  const { lines } = await place();
  const { stdout, stderr } = await lines("!sleep 4 &\n/new\n!sleep 5 &\n");
  expect(stdout).toContain("Ends with ikigai: sleep 4 (job 1)\n");
  expect(stderr).toContain("Ends with ikigai: sleep 5 (job 2)\n");
});

test.each([
  ["Look at $ARGUMENTS.", " a  b ", "Look at a  b."],
  ["Of $1 since $2.", "x", "Of x since ."],
  ["No place.", "a b", "No place.\n\na b"],
  ["No place.", "", "No place."],
  ["Costs $10 or $ARGUMENTSX, $0.", "", "Costs 0 or $ARGUMENTSX, $0."],
  ["$ARGUMENTS", "$1 $& `rm`", "$1 $& `rm`"],
])("%j with %j", (text, args, said) => {
  const command = { name: "x", scope: "user", path: "/x.md", description: "", text } as const;
  expect(expandCommand(command, args)).toBe(said);
});
