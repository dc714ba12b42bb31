// Promises 1 and 2 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentsWorld, bashStep } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";

const scripts = {
  RECORD: [bashStep("git add -A && git commit -qm 'Add b' && git log --format=%s"), { text: "Done." }],
  LEAVE: [
    { calls: [{ name: "bash", arguments: { command: "git add -A && git commit -qm 'Add b'", outside: "why" } }] },
    { text: "Done." },
  ],
  PUSH: [bashStep("git push origin main"), { text: "Done." }],
  MIXED: [bashStep("echo x > b.txt && git -C . add -A && git status --short"), { text: "Done." }],
  PIPED: [bashStep("printf 'Add b\\n' | GIT_AUTHOR_NAME=she git commit -qaF - && echo c > c.txt"), { text: "Done." }],
  MADE: [
    bashStep(
      "mkdir -p sub && cd sub && touch d && printf 'all:\\n\\tgit add . && git commit -qm Made\\n' | make -sf -",
    ),
    { text: "Done." },
  ],
  FOREIGN: [
    bashStep("mkdir sub && cd sub && git init -q && touch y && git add y; git status --short"),
    { text: "Done." },
  ],
  LONG: [
    { calls: [{ name: "bash", arguments: { command: "seq 9000000000 | wc -l; git add -A", timeout_ms: 500 } }] },
    { text: "Done." },
  ],
  MAKE: [
    bashStep("mkdir sub && git init -q sub && cd sub && git -c user.name=x -c user.email=x commit -qm x --allow-empty"),
    bashStep("git add -A && git status --short"),
    { text: "Done." },
  ],
};

/** Work in a repository. Returns what the last call answered. */
async function world(config: object = {}) {
  const one = await agentsWorld(scripts, {
    "project/a.txt": "a\n",
    "home/.gitconfig": "[user]\n\tname = me\n\temail = me@localhost\n",
    "home/.ikigai/config.json": JSON.stringify(config),
  });
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: one.cwd,
      env: { PATH: process.env.PATH, HOME: join(one.root, "home") },
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  writeFileSync(join(one.cwd, "b.txt"), "b\n");
  const run = async (task: keyof typeof scripts, ...options: string[]) => {
    const { report } = await one.run(task, ["--permission-mode", "auto", ...options]);
    return JSON.stringify(report.tool_calls.at(-1)?.envelope);
  };
  const addHook = () => {
    const hook = join(one.cwd, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\ntouch hook-ran\n");
    chmodSync(hook, 0o755);
  };
  return { ...one, git, run, addHook };
}

describe.skipIf(!hasBubblewrap)("git in mode auto (needs bwrap)", () => {
  test.each(["RECORD", "LEAVE"] as const)("records work in the sandbox without a question: %s", async (task) => {
    const { run, git } = await world();
    expect(await run(task)).toContain('"exit_code":0');
    expect(git("log", "--format=%s")).toBe("Add b\nBegin\n");
    expect(git("status", "--short")).toBe("");
  });

  test("is asked about before it runs if the repository has a hook, and a rule allows it", async () => {
    const { run, git, addHook, cwd } = await world();
    addHook();
    const refused = await run("RECORD");
    expect(refused).toContain("--allow 'outside(bash(git add -A && git commit -qm");
    expect(existsSync(join(cwd, "hook-ran"))).toBe(false);
    expect(await run("RECORD", "--allow", "outside(bash(git *))")).toContain('"exit_code":0');
    expect(git("log", "--format=%s")).toBe("Add b\nBegin\n");
    expect(existsSync(join(cwd, "hook-ran"))).toBe(true);
  });

  test("is asked about before it runs if it needs more than the repository, or would add another one", async () => {
    const { run, git } = await world();
    expect(await run("PUSH")).toContain("outside(bash(git push origin main))");
    expect(await run("MAKE")).toContain("outside(bash(git add -A");
    expect(git("ls-files")).toBe("a.txt\n");
  });

  test("records work for other programs of a call, from any directory of the project", async () => {
    const { run, git } = await world();
    expect(await run("MIXED")).toContain('"output":"A  b.txt","exit_code":0');
    expect(await run("PIPED")).toContain('"exit_code":0');
    expect(await run("MADE")).toContain('"exit_code":0');
    expect(git("log", "--format=%an %s")).toBe("me Made\nshe Add b\nme Begin\n");
    expect(git("status", "--short")).toBe("?? c.txt\n");
  });

  test("does for them no more than for a call of nothing but git", async () => {
    const other = await world();
    expect(await other.run("FOREIGN")).toContain('"output":"A  y","exit_code":0');
    expect(other.git("status", "--short")).toBe("?? b.txt\n?? sub/\n");
    const hooked = await world();
    hooked.addHook();
    expect(await hooked.run("MADE")).toContain("ikigai: git add: the repository has the hook pre-commit");
    const denying = await world({ permission: { rules: [{ deny: "bash(git commit *)" }] } });
    expect(await denying.run("MADE")).toContain("a rule denies it");
    expect(denying.git("status", "--short")).toBe("A  sub/d\n?? b.txt\n");
  });

  test("ends when its time is up, and leaves no job", { timeout: 60_000 }, async () => {
    const { run, git } = await world();
    const answer = await run("LONG");
    expect(answer).toContain("timed out after 0.5s");
    expect(answer).not.toContain('"job"');
    expect(git("status", "--short")).toBe("?? b.txt\n");
  });

  test("keeps to rules about git, and to sandbox.git", async () => {
    const denying = await world({ permission: { rules: [{ deny: "bash(git commit *)" }] } });
    expect(await denying.run("RECORD")).toContain("a rule denies it");
    const asking = await world({ permission: { rules: [{ ask: "bash(git commit *)" }] } });
    expect(await asking.run("RECORD")).toContain("needs permission");
    const writing = await world({ sandbox: { git: true } });
    expect(await writing.run("MIXED")).toContain('"exit_code":0');
    expect(writing.git("diff", "--cached", "--name-only")).toBe("b.txt\n");
  });
});
