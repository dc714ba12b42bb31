// Promises 1, 2 and 6 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";

const echo = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"echo_it","description":"x","parameters":{"type":"object","properties":{}}}'; exit; fi
printf '{"got":%s}' "$(cat)"
`;

const leaving = { name: "bash", arguments: { command: "touch ~/made", outside: "it writes to the home" } };

const scripts = {
  WORK: [
    bashStep("touch made ~/made; sed -i s/a/b/ file.txt; git commit --allow-empty -qm x; git log --oneline"),
    { text: "Done." },
  ],
  LEAVE: [{ calls: [leaving] }, { text: "Done." }],
  PARENT: [agentStep("CHILD"), { text: "Done." }],
  CHILD: [bashStep("touch made; touch ~/made"), { text: "Done." }],
  FAIL: [bashStep("touch ~/made"), { text: "Done." }],
  ELSE: [bashStep("exit 3"), { text: "Done." }],
  MISSING: [bashStep("cat none.txt; nosuch-program"), { text: "Done." }],
  READ: [bashStep("cat file.txt && tail -n +3 /proc/net/dev | grep -vc lo:"), { text: "Done." }],
  ECHO: [{ calls: [{ name: "echo_it", arguments: { a: 1, outside: " " } }] }, { text: "Done." }],
  WRITE: [{ calls: [{ name: "file_write", arguments: { file_path: "new.txt", content: "x" } }] }, { text: "Done." }],
  LEAD: [{ calls: [{ name: "file_write", arguments: { file_path: "../new.txt", content: "x" } }] }, { text: "Done." }],
};

async function world(config: object = {}) {
  const one = await agentsWorld(scripts, {
    "project/file.txt": "a",
    "home/.ikigai/tools/echo-it-tool": echo,
    "home/.ikigai/config.json": JSON.stringify(config),
  });
  const isMade = (path: string) => existsSync(join(one.root, path));
  /** Runs a task; returns what its call answered. */
  const run = async (task: keyof typeof scripts, ...options: string[]) => {
    const { report } = await one.run(task, options);
    return JSON.stringify(report.tool_calls[0]?.envelope);
  };
  return { ...one, isMade, run };
}

const auto = ["--permission-mode", "auto"] as const;

describe.skipIf(!hasBubblewrap)("with a sandbox (needs bwrap)", () => {
  test("auto runs a command without a question, and it can change only the project", async () => {
    const { run, isMade } = await world();
    expect(await run("WORK", ...auto)).toMatch(/home\/made'?: Read-only file system/);
    expect([isMade("project/made"), isMade("home/made")]).toEqual([true, false]);
  });

  test.each([[[]], [["--permission-mode", "plan"]]])(
    "any command runs with the options %j, and changes nothing",
    async (options) => {
      const { run, isMade } = await world();
      expect(await run("WORK", ...options)).toContain("Read-only file system");
      expect([isMade("project/made"), isMade("home/made")]).toEqual([false, false]);
    },
  );

  test.each([[[]], [auto], [["--permission-mode", "plan"]]])(
    "what reads has no network with the options %j",
    async (options) => {
      const { run } = await world();
      expect(await run("READ", ...options)).toContain('"a0"');
    },
  );

  test.each([[[]], [["--permission-mode", "plan"]]])(
    "what reads has a /tmp of the session, which the next call sees and the user does not, with the options %j",
    async (options) => {
      const { run, root } = await agentsWorld({
        GO: [
          bashStep("echo kept > /tmp/ikigai-kept-by-test"),
          bashStep("cat /tmp/ikigai-kept-by-test"),
          { text: "Done." },
        ],
      });
      const { report } = await run("GO", options, { env: { TMPDIR: join(root, "home") } });
      expect(report.tool_calls.map(({ envelope }) => envelope.result.output)).toEqual(["", "kept"]);
      expect(existsSync("/tmp/ikigai-kept-by-test")).toBe(false);
    },
  );

  test("a call that fails for want of what the sandbox keeps from it says so, and how to leave", async () => {
    const { run } = await world();
    const told = "It ran in the sandbox, where only the project and /tmp can be changed, not .git.";
    expect(await run("FAIL", ...auto)).toContain(
      `${told} If that is why it failed, make it again with \\"outside\\": why.`,
    );
    for (const task of ["ELSE", "MISSING"] as const) expect(await run(task, ...auto)).not.toContain("sandbox");
  });

  test("a file of the user that the sandbox hides is not just missing", async () => {
    const read = { calls: [{ name: "file_read", arguments: { file_path: "../home/notes.txt" } }] };
    const { run, root } = await agentsWorld({ GO: [read, bashStep("cat ../home/notes.txt"), { text: "Done." }] });
    writeFileSync(join(root, "home/notes.txt"), "x");
    const { report } = await run("GO", auto);
    for (const { envelope } of report.tool_calls)
      expect(envelope).toHaveProperty(
        "sandbox",
        'It ran in the sandbox, where most of the home is hidden, and /tmp is its own. If that is why it failed, make it again with "outside": why.',
      );
  });

  test("only an answer or a rule that names it lets a call out of the sandbox", async () => {
    const refused = await world();
    expect(await refused.run("LEAVE", ...auto)).toContain("--allow 'outside(bash(touch ~/made))'");
    expect(await refused.run("LEAVE", ...auto, "--allow", "bash")).toContain("outside(");
    expect(await refused.run("LEAVE", "--permission-mode", "plan")).toContain("plan mode lets nothing leave");
    expect(refused.isMade("home/made")).toBe(false);
    const allowed = await world();
    await allowed.run("LEAVE", ...auto, "--allow", "outside(bash(touch *))");
    expect(allowed.isMade("home/made")).toBe(true);
  });

  test("a rule about calls outside allows no other call, and denies only these", async () => {
    const { run, isMade } = await world({ permission: { mode: "deny", rules: [{ allow: "outside(bash)" }] } });
    await run("WORK");
    expect(isMade("project/made")).toBe(false);
    const denying = await world({ permission: { rules: [{ deny: "outside(bash)" }] } });
    expect(await denying.run("LEAVE", ...auto)).toContain("a rule denies it");
    await denying.run("WORK", ...auto);
    expect([denying.isMade("project/made"), denying.isMade("home/made")]).toEqual([true, false]);
  });

  test("a tool does not get the argument by which its call would leave", async () => {
    const { run } = await world();
    expect(await run("ECHO", ...auto)).toContain('"got":{"a":1}');
  });

  test("an agent of a conversation in auto works in the sandbox, too", async () => {
    const { run, isMade } = await world();
    await run("PARENT", ...auto);
    expect([isMade("project/made"), isMade("home/made")]).toEqual([true, false]);
  });

  test("file tools change the project, and nothing outside of it", async () => {
    const { run, isMade } = await world();
    await run("WRITE", ...auto);
    expect(await run("LEAD", ...auto)).toContain("--allow 'file_write(");
    expect([isMade("project/new.txt"), isMade("new.txt")]).toEqual([true, false]);
  });
});

const decisive = [
  [".vscode/new.json", "the editor runs tasks"],
  ["packages/a/.npmrc", "package managers"],
  [".github/workflows/ci.yml", "the forge runs it"],
  [".claude/settings.json", "another agent"],
  ["hooks-of-mine/pre-commit", "git's configuration names"],
  ["../home/.bashrc", "a shell runs it"],
] as const;

const write = (path: string) => [
  { calls: [{ name: "file_write", arguments: { file_path: path, content: "x" } }] },
  { text: "Done." },
];

describe("a file that determines what runs", () => {
  const files = {
    "project/.git/config": "[core]\n\thooksPath = hooks-of-mine\n",
    "project/.git/HEAD": "ref: refs/heads/a\n",
  };

  test.each(decisive)("is changed by a file tool only after a question: %s", async (path, why) => {
    const { run, root } = await agentsWorld({ GO: write(path) }, files);
    for (const mode of ["allow", "edits", "auto"]) {
      const { report } = await run("GO", ["--permission-mode", mode, "--allow", "file_write"]);
      expect(JSON.stringify(report.tool_calls[0]?.envelope)).toContain(why);
    }
    expect(existsSync(join(root, "project", path))).toBe(false);
  });

  test("is read without a question, and one like it is changed", async () => {
    const read = { calls: [{ name: "file_read", arguments: { file_path: ".npmrc" } }] };
    const one = await agentsWorld(
      { READ: [read, { text: "Done." }], GO: write("src/.vscoder/a"), RC: write(".bashrc") },
      { "project/.npmrc": "registry=x", "project/src/.vscoder/": "" },
    );
    expect(JSON.stringify((await one.run("READ")).report.tool_calls[0]?.envelope)).toContain("registry=x");
    for (const task of ["GO", "RC"]) await one.run(task, ["--permission-mode", "edits"]);
    expect([join(one.cwd, "src/.vscoder/a"), join(one.cwd, ".bashrc")].map(existsSync)).toEqual([true, true]);
  });

  test.skipIf(!hasBubblewrap)(
    "is read-only in the sandbox if it exists, and has no placeholder if not (needs bwrap)",
    async () => {
      const command = "echo y > .npmrc; touch .husky/b; mv .github old; mv .husky old; touch .envrc; ls -A";
      const { root, run } = await agentsWorld(
        { GO: [bashStep(command), { text: "Done." }] },
        { ...files, "project/.npmrc": "a", "project/.husky/a": "a", "project/.github/workflows/ci.yml": "a" },
      );
      const { report } = await run("GO", [...auto]);
      const { output = "" } = report.tool_calls[0]?.envelope.result ?? {};
      expect(output.split("\n").filter((line) => /^\.\w/.test(line))).toEqual([
        ".envrc",
        ".git",
        ".github",
        ".husky",
        ".ikigai",
        ".npmrc",
      ]);
      const read = (path: string) => readFileSync(join(root, "project", path), "utf8");
      expect([read(".npmrc"), read(".husky/a"), read(".github/workflows/ci.yml")]).toEqual(["a", "a", "a"]);
      expect(existsSync(join(root, "project/.husky/b"))).toBe(false);
    },
  );

  test.skipIf(!hasBubblewrap)(
    "is read-only in the sandbox deeper in the project if git tracks it (needs bwrap)",
    async () => {
      const command =
        "echo y > packages/a/.npmrc; touch packages/a/.husky/b; mv packages/a/.npmrc old; echo y > packages/a/.envrc; cat packages/a/.*rc; mv packages/a packages/b && cat packages/b/.npmrc";
      const { cwd, run } = await agentsWorld(
        { GO: [bashStep(command), { text: "Done." }] },
        { "project/packages/a/.npmrc": "a", "project/packages/a/.husky/a": "a", "project/packages/a/.envrc": "x" },
      );
      execFileSync("git", ["init", "-q"], { cwd });
      execFileSync("git", ["add", "packages/a/.npmrc", "packages/a/.husky"], { cwd });
      const { report } = await run("GO", [...auto]);
      const { output = "" } = report.tool_calls[0]?.envelope.result ?? {};
      expect(output.match(/Read-only file system|Device or resource busy/g)).toHaveLength(3);
      expect(output).toMatch(/y\naa$/);
    },
  );
});

test("without a sandbox, auto asks", async () => {
  const { run, isMade } = await world({ sandbox: { enabled: false } });
  expect(await run("WORK", ...auto)).toContain("This call needs permission");
  expect(isMade("project/made")).toBe(false);
});

test.each([
  ["trust", "--yes"],
  ["config", "set", "model", "x/y"],
  ["tool", "add", "./x"],
  ["login", "openai"],
])("a model's call cannot widen its rights: ikigai %s %s", async (...args) => {
  const { cwd, env } = await world();
  const within = { ...env, IKIGAI_CALL_ID: "c1" };
  const refused = await ikigai(args, { cwd, env: within });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("is for the user, and a model's call"),
  });
  expect(await ikigai([...args, "--help"], { cwd, env: within })).toMatchObject({ exitCode: 0 });
});
