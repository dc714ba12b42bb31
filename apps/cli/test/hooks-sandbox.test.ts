// Promise 2 of SECURITY.md.
// @module-tag tables
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { hookWorld, projectHook, userHook } from "./hook-world.ts";

describe.skipIf(!hasBubblewrap)("with a sandbox (needs bwrap)", () => {
  test.each([true, false])("a project's hook runs in the sandbox if it is on (%s), yours never does", async (isOn) => {
    const here = await hookWorld({ "notes.txt": "alpha\n" });
    const outside = (name: string) => join(here.home, name);
    projectHook(here, "before-call/bash/own", "touch inside", `touch '${outside("project")}' 2>/dev/null`, "exit 0");
    userHook(here, "before-call/bash/own", `touch '${outside("user")}'`);
    expect((await here.run("trust", "--yes")).exitCode).toBe(0);
    const options = isOn ? ["--sandbox"] : [];
    const { stdout } = await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline", ...options);
    expect(stdout).toContain("hi");
    expect(existsSync(join(here.project, "inside"))).toBe(true);
    expect(existsSync(outside("user"))).toBe(true);
    expect(existsSync(outside("project"))).toBe(!isOn);
  });

  test("a project's guard in the sandbox still denies", async () => {
    const here = await hookWorld({});
    projectHook(here, "before-call/bash/guard", "echo 'not here' >&2", "exit 2");
    expect((await here.run("trust", "--yes")).exitCode).toBe(0);
    const { stderr } = await here.run("-p", "run touch made", "--allow", "bash", "--model", "offline", "--sandbox");
    expect(stderr).toContain("denies it: not here");
    expect(existsSync(join(here.project, "made"))).toBe(false);
  });
});
