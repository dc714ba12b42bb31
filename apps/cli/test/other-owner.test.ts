import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRoot, otherUser } from "./other-user.ts";

test.runIf(isRoot)("says that the home belongs to root, and how to change that (needs root)", async () => {
  const { own, run, remedy } = await otherUser(["."]);
  const problem = `cannot be read: permission denied. ${own} belongs to root. ${remedy}`;
  expect(run("-p", "help", "--model", "offline").stderr).toContain(problem);
  expect(run("mcp", "list").stderr).toContain(`the record of added tools: ${own} belongs to root. ${remedy}`);
  const { stdout } = run("doctor");
  expect(stdout.split("belongs to root")).toHaveLength(2);
  expect(stdout).toContain(problem);
  expect(stdout).toContain(
    "\nHooks: 0\n! ~/.ikigai/hooks: it cannot be read: permission denied. Until this is fixed, ",
  );
  expect(stdout).not.toContain("hooks/");
});

test.runIf(isRoot)("says so of directories in the home, once (needs root)", async () => {
  const { own, run, remedy } = await otherUser(["sessions", "cache"]);
  const { status, stderr } = run("-p", "help", "--model", "offline");
  expect([status, stderr.split("belongs to root")]).toEqual([0, [expect.any(String), expect.any(String)]]);
  expect(stderr).toContain(`${join(own, "sessions")} belongs to root. ${remedy}`);
  expect(run("doctor")).toMatchObject({ status: 0, stdout: expect.stringContaining(`belongs to root. ${remedy}`) });
});

test.runIf(isRoot)("says that the home cannot be written, and how to change that (needs root)", async () => {
  const { own, run } = await otherUser([]);
  chmodSync(own, 0o500);
  const tools = join(own, "../../project/.ikigai/tools");
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "x-tool"), "#!/bin/sh\n", { mode: 0o755 });
  const advice = `run chmod u+rwx ${own}, or set HOME or IKIGAI_HOME to a directory that can be written.\n`;
  const problem = `${own} cannot be written: permission denied; ${advice}`;
  expect(run("config", "set", "model", "offline").stderr).toBe(`ikigai: Nothing was changed: ${problem}`);
  expect(run("tool", "new", "x", "--lang", "bash").stderr).toBe(`ikigai: Nothing was changed: ${problem}`);
  expect(run("trust", "--yes").stderr).toBe(`ikigai: Cannot store the decision: ${problem}`);
  const { status, stderr } = run("-p", "help", "--model", "offline");
  expect([status, stderr]).toEqual([0, expect.stringContaining(`This session is not being saved: ${problem}`)]);
});
