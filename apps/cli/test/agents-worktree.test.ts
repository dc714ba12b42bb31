// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep, resultOf, type Scripts } from "./agents-world.ts";

const allowed = ["--allow", "agent", "--permission-mode", "edits"];

const write = (file_path: string) => ({ calls: [{ name: "file_write", arguments: { file_path, content: "new\n" } }] });

/** A project below the root of a repository with one commit, and hooks that leave a mark. */
async function repositoryWorld(scripts: Scripts, files: Parameters<typeof agentsWorld>[1] = {}) {
  const world = await agentsWorld(scripts, {
    ...files,
    "project/x.txt": "old\n",
    "home/.gitconfig": "[user]\n  name = A\n  email = a@example.org\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: world.root,
      env: { ...process.env, HOME: join(world.root, "home") },
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "project");
  git("commit", "-qm", "Begin");
  const hook = `#!/bin/sh\ntouch "${world.root}/pwned"\n`;
  execFileSync(
    "sh",
    ["-c", 'printf "%s" "$1" > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout', "sh", hook],
    {
      cwd: world.root,
    },
  );
  const worktrees = join(world.root, "home/.local/state/ikigai/worktrees");
  return { ...world, git, worktrees: () => (existsSync(worktrees) ? readdirSync(worktrees) : []) };
}

test("an agent's changes in a worktree are on a branch of their own, and the project is as before", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [write("x.txt"), { text: "Changed." }],
  });
  const { report } = await world.run("PARENT", allowed);
  const result = resultOf(report);
  expect(result).toMatchObject({ output: "Changed.", branch: `ikigai/${report.session_id}-1` });
  expect(readFileSync(join(result.worktree, "project/x.txt"), "utf8")).toBe("new\n");
  expect(readFileSync(join(world.cwd, "x.txt"), "utf8")).toBe("old\n");
  expect(world.git("branch", "--list", "ikigai/*")).toContain(result.branch);
  // Making it runs no program of the repository.
  expect(existsSync(join(world.root, "pwned"))).toBe(false);
  // What the page on agents says to do with them.
  const page = readFileSync(join(import.meta.dirname, "../../../docs/agents.md"), "utf8");
  const [, commands = ""] = /```\n(git -C [\s\S]*?)```/.exec(page) ?? [];
  const env = { ...process.env, HOME: join(world.root, "home") };
  const script = commands.replaceAll(/\bID\b/g, `${report.session_id}-1`);
  execFileSync("sh", ["-ec", script], { cwd: world.cwd, env, stdio: "pipe" });
  expect(readFileSync(join(world.cwd, "x.txt"), "utf8")).toBe("new\n");
  expect(world.worktrees()).toEqual([]);
  expect(world.git("branch", "--list", "ikigai/*")).toBe("");
});

test("a worktree without changes is removed, with its branch", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [{ calls: [{ name: "file_read", arguments: { file_path: "x.txt" } }] }, { text: "Read." }],
  });
  const { report } = await world.run("PARENT", allowed);
  const result = resultOf(report);
  expect(result).toMatchObject({ output: "Read.", calls: 1 });
  expect(result).not.toHaveProperty("worktree");
  expect(world.worktrees()).toEqual([]);
  expect(world.git("branch", "--list", "ikigai/*")).toBe("");
});

test("a worktree with only a commit is kept", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [bashStep("git commit -q --allow-empty -m Nothing"), { text: "Committed." }],
  });
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  expect(report.tool_calls[0]?.envelope.result.worktree).toMatch(/-1$/);
  expect(world.git("log", "--format=%s", `ikigai/${report.session_id}-1`)).toBe("Nothing\nBegin\n");
});

test("a worktree with a repository in it is kept, and nothing runs that this repository configures", async () => {
  const inside = `git init -q sub && cd sub && echo x > f && git add f && git commit -qm One
printf 'f filter=x\\n' > .gitattributes
git config filter.x.clean "touch '$HOME/../pwned'; cat"
# Otherwise git would compare times only.
sleep 1.1; echo y > f; cd .. && git add sub
`;
  const scripts = {
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [bashStep("sh make.sh"), { text: "Made." }],
  };
  const world = await repositoryWorld(scripts, { "project/make.sh": inside });
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  const { output, worktree } = resultOf(report);
  expect([output, existsSync(join(world.root, "pwned"))]).toEqual(["Made.", false]);
  execFileSync("git", ["status"], {
    cwd: join(worktree, "project"),
    env: { ...process.env, HOME: join(world.root, "home") },
  });
  expect(existsSync(join(world.root, "pwned"))).toBe(true);
});

/** What an agent may do to the place that it leaves, and what its answer then names. */
const leftovers: readonly (readonly [command: string, named: readonly string[], kept: number])[] = [
  ["git worktree lock ..", ["worktree", "branch"], 1],
  ["git checkout -q --detach && git commit -q --allow-empty -m Apart", ["worktree", "branch"], 1],
  ["git checkout -q --detach", [], 0],
  // Another worktree has the branch, so that only the first one can be removed.
  [
    "git checkout -q --detach && git worktree add -q \"$HOME/other\" $(git branch --list 'ikigai/*' --format='%(refname:short)')",
    ["branch"],
    0,
  ],
  ["echo more > ../new.txt", ["worktree", "branch"], 1],
];

test.each(leftovers)("after %s the answer names %j", async (command, named, kept) => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), agentStep("NEXT", { worktree: true }), { text: "Done." }],
    CHILD: [bashStep(command), { text: "Left." }],
    NEXT: [{ text: "Looked." }],
  });
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  const [first, next] = [resultOf(report), resultOf(report, 1)];
  expect(first.output).toBe("Left.");
  expect(["worktree", "branch"].filter((name) => name in first)).toEqual(named);
  for (const name of named) {
    if (name === "worktree") expect(existsSync(first.worktree)).toBe(true);
    else expect(world.git("branch", "--list", first.branch)).toContain(first.branch);
  }
  // What is left is in nobody's way.
  expect(next).toMatchObject({ output: "Looked." });
  expect(next).not.toHaveProperty("worktree");
  expect(world.worktrees()).toHaveLength(kept);
});

test("a worktree with only files that .gitignore names is kept, and the answer says so", async () => {
  const scripts = {
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [bashStep("mkdir out && echo work > out/result"), { text: "See out/result." }],
  };
  const world = await repositoryWorld(scripts, { "project/.gitignore": "out/\n" });
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  const { worktree, branch, hint } = resultOf(report);
  expect(readFileSync(join(worktree, "project/out/result"), "utf8")).toBe("work\n");
  expect([branch, hint]).toEqual([expect.stringMatching(/-1$/), expect.stringContaining(".gitignore")]);
});

test("a worktree with a new file is kept if the user's configuration hides new files", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [bashStep("echo new > new.txt"), { text: "Made." }],
  });
  world.git("config", "--global", "status.showUntrackedFiles", "no");
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  const { worktree, hint } = resultOf(report);
  expect([readFileSync(join(worktree, "project/new.txt"), "utf8"), hint]).toEqual(["new\n", undefined]);
});

test("a worktree is kept if the repository meanwhile got a link that leads git elsewhere", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [
      bashStep(
        'mv "$(git rev-parse --git-common-dir)/logs" "$HOME/logs" && ln -s "$HOME/logs" "$(git rev-parse --git-common-dir)/logs"',
      ),
      { text: "Linked." },
    ],
  });
  const { report } = await world.run("PARENT", [...allowed, "--allow", "bash"]);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({ output: "Linked.", worktree: expect.any(String) });
});

test("an agent in a worktree cannot change the project", async () => {
  const world = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [],
  });
  const path = join(world.cwd, "x.txt");
  const other = await repositoryWorld({
    PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
    CHILD: [write(path), write("../.git"), { text: "Tried." }],
  });
  const { report } = await other.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result.denied).toEqual([
    expect.stringMatching(/^file_write: This call needs permission/),
    expect.stringMatching(/^file_write: .* always needs confirmation/),
  ]);
  expect(readFileSync(path, "utf8")).toBe("old\n");
});

test("an agent in the background that is waited for leaves no worktree without changes", async () => {
  const scripts: Scripts = {
    PARENT: [
      agentStep("CHILD", { worktree: true, background: true }),
      ({ messages }) => {
        const id = /\\"session_id\\":\\"([\w-]+)/.exec(JSON.stringify(messages))?.[1];
        return { calls: [{ name: "agent", arguments: { action: "wait", session_id: id } }] };
      },
      { text: "Done." },
    ],
    CHILD: [{ text: "Looked." }],
  };
  // It prints its answer a second before it ends.
  const hook = { content: "#!/bin/sh\nsleep 1\n", mode: 0o755 };
  const world = await repositoryWorld(scripts, { "home/.ikigai/hooks/session-end/slow": hook });
  const { report } = await world.run("PARENT", allowed);
  const [started, waited] = [resultOf(report), resultOf(report, 1)];
  expect(started.worktree).toMatch(/-1$/);
  expect(waited).toMatchObject({ output: "Looked." });
  expect(waited).not.toHaveProperty("worktree");
  expect(world.worktrees()).toEqual([]);
});

test("without a repository no agent is started", async () => {
  const world = await agentsWorld({ PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }] });
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({
    error: expect.stringMatching(/^No worktree can be made here: fatal: not a git repository/),
    error_code: "INVALID_ARG",
  });
  expect(world.requestsOf("CHILD")).toEqual([]);
});
