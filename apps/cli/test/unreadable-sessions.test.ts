// @module-tag sampled
import { chmodSync, chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { startEditor } from "./acp-editor.ts";
import { isRoot, otherUser } from "./other-user.ts";
import { openFullScreen } from "./terminal.ts";

/** A user with one session in the project, whose file is not theirs, or whose directory has the mode. */
async function withSession(spoil: (paths: { readonly directory: string; readonly file: string }) => void) {
  const user = await otherUser();
  user.run("-p", "run echo one", "--allow", "bash", "--model", "offline");
  const directory = join(user.own, "sessions");
  const [name = ""] = readdirSync(directory).filter((entry) => entry.endsWith(".jsonl"));
  const file = join(directory, name);
  spoil({ directory, file });
  return { ...user, directory, file, id: name.replace(".jsonl", "") };
}

test("the list to choose from and an editor name a session that is no file", async () => {
  const [cwd, HOME] = [await tempDir(), await tempDir({ ".ikigai/sessions/20260101-000000-00000000.jsonl/": "" })];
  const problem = `${HOME}/.ikigai/sessions/20260101-000000-00000000.jsonl cannot be read: it is not a regular file.`;
  const terminal = await openFullScreen(["--resume", "--model", "offline"], { cwd, env: { HOME, COLUMNS: "200" } });
  await terminal.waitFor("00000000.jsonl cannot be read");
  await terminal.waitFor("No saved sessions.");
  const editor = await startEditor({ args: ["--model", "offline"], home: HOME });
  await editor.ask("initialize", { protocolVersion: 1 });
  const { error } = await editor.ask("session/load", { sessionId: "20260101", cwd, mcpServers: [] });
  expect(error?.message).toContain(problem);
});

const offline = ["--model", "offline"];

describe.runIf(isRoot)("a session that cannot be read (needs root)", () => {
  test("is named by what needs it, with the remedy", async () => {
    const { run, runWith, file, id, remedy } = await withSession((paths) => chownSync(paths.file, 0, 0));
    const problem = `The session ${file} cannot be read: permission denied. ${file} belongs to root. ${remedy}`;
    const refusal = { status: 1, stderr: `ikigai: ${problem}` };
    for (const wanted of [id, id.slice(0, 12)]) {
      expect(run("-p", "hi", "--resume", wanted, ...offline)).toMatchObject(refusal);
      expect(run("-p", "hi", "--resume", wanted, "--fork", ...offline)).toMatchObject(refusal);
      expect(runWith("hi\n", "--resume", wanted, ...offline)).toMatchObject(refusal);
    }
    expect(run("tool", "log", id)).toMatchObject(refusal);
    for (const args of [["tool", "log"], ["replay", "1"], ["-p", "hi", "-c", ...offline], ["--resume"]])
      expect(run(...args)).toMatchObject(refusal);
    expect(run("doctor").stdout).toContain(`\n~ ${problem}`);
  });

  test("is reported where another one is chosen", async () => {
    const { run, file } = await withSession((paths) => chmodSync(paths.file, 0));
    const problem = `The session ${file} cannot be read: permission denied. To fix it: chmod u+rw ${file}\n`;
    run("-p", "run echo two", "--allow", "bash", ...offline);
    expect(run("-p", "hi", "-c", ...offline)).toMatchObject({ status: 0, stderr: expect.stringContaining(problem) });
    expect(run("--resume")).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) });
    expect(run("doctor").stdout).toContain(`\n~ ${problem}`);
  });

  test("is not denied for its directory", async () => {
    const { run, directory, id } = await withSession((paths) => chmodSync(paths.directory, 0));
    const problem = `${directory} cannot be read: permission denied. To fix it: chmod u+rwx ${directory}\n`;
    const refusal = { status: 1, stderr: `ikigai: ${problem}` };
    for (const args of [["tool", "log"], ["replay", "1"], ["-p", "hi", "-c", ...offline], ["--resume"]])
      expect(run(...args)).toMatchObject(refusal);
    expect(run("-p", "hi", "--resume", id, ...offline)).toMatchObject(refusal);
    expect(run("doctor").stdout).toContain(`\n~ ${problem}`);
    const unsaved = `not being saved: ${directory} cannot be written: permission denied; run chmod u+rwx ${directory}`;
    expect(run("-p", "hi", ...offline).stderr).toContain(unsaved);
  });

  test("a directory without write permission stops a copy", async () => {
    const { run, directory, id } = await withSession((paths) => chmodSync(paths.directory, 0o500));
    const { status, stderr } = run("-p", "hi", "--resume", id, "--fork", ...offline);
    const why = `ikigai: The session cannot be copied: ${directory} cannot be written: permission denied; `;
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  });
});
