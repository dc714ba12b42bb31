import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";

/** A user who is not the one that runs the tests; a process can become it only as root. */
const stranger = 65_534;

/** The command, run by another user in whose home root owns these directories. */
async function stage(directories: readonly string[]) {
  const root = await tempDir({ "home/.ikigai/": "", "project/": "" });
  for (const part of ["dist", "libexec", "package.json"])
    cpSync(join(dirname(dirname(bin)), part), join(root, "ikigai", part), { recursive: true });
  const own = join(root, "home/.ikigai");
  for (const path of [root, join(root, "home")]) chmodSync(path, 0o755);
  for (const path of [join(root, "home"), own, join(root, "project")]) chownSync(path, stranger, stranger);
  for (const name of directories) {
    const path = join(own, name);
    mkdirSync(path, { recursive: true });
    chownSync(path, 0, 0);
    chmodSync(path, 0o700);
  }
  const env = await cleanEnv(join(root, "home"));
  const run = (...args: readonly string[]) => {
    const options = { cwd: join(root, "project"), env, uid: stranger, gid: stranger, encoding: "utf8" } as const;
    return spawnSync(process.execPath, [join(root, "ikigai/dist/ikigai.js"), ...args], options);
  };
  const user = spawnSync("id", ["-un", String(stranger)], { encoding: "utf8" }).stdout.trim() || String(stranger);
  return { own, run, remedy: `To make it yours: sudo chown -R ${user} ${own}\n` };
}

test.runIf(userInfo().uid === 0)(
  "says that the home belongs to root, and how to change that (needs root)",
  async () => {
    const { own, run, remedy } = await stage(["."]);
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
  },
);

test.runIf(userInfo().uid === 0)("says so of directories in the home, once (needs root)", async () => {
  const { own, run, remedy } = await stage(["sessions", "cache"]);
  const { status, stderr } = run("-p", "help", "--model", "offline");
  expect([status, stderr.split("belongs to root")]).toEqual([0, [expect.any(String), expect.any(String)]]);
  expect(stderr).toContain(`${join(own, "sessions")} belongs to root. ${remedy}`);
  expect(run("doctor")).toMatchObject({ status: 0, stdout: expect.stringContaining(`belongs to root. ${remedy}`) });
});

test.runIf(userInfo().uid === 0)(
  "says that the home cannot be written, and how to change that (needs root)",
  async () => {
    const { own, run } = await stage([]);
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
  },
);
