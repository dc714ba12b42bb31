// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { ikigai } from "./ikigai.ts";

/** A guard of the project that denies a command. */
const guard = `#!/bin/sh
case "$(cat)" in *made*) echo '{"decision":"deny","reason":"guarded"}';; *) echo '{}';; esac
`;

function makeRepository({ root, cwd }: { readonly root: string; readonly cwd: string }): void {
  const env = { ...process.env, HOME: join(root, "home") };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd, env });
  git("init", "-q");
  git("add", "sub");
  git("commit", "-qm", "Begin");
}

test.each([
  [{}, "trusted"],
  [{ directory: "sub" }, "trusted"],
  [{ worktree: true }, "trusted"],
  [{ directory: "sub" }, "not trusted"],
])("an agent with %j keeps to the project's guard if it is trusted (%s)", async (where, trust) => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD", where), { text: "Done." }],
      CHILD: [bashStep(`touch "$HOME/made"`), { text: "Tried." }],
    },
    {
      "project/.ikigai/hooks/before-call/guard": { content: guard, mode: 0o755 },
      "project/sub/x": "",
    },
  );
  makeRepository(world);
  if (trust === "trusted") await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
  const { report } = await world.run("PARENT", ["--permission-mode", "allow"]);
  expect(report.tool_calls[0]?.envelope.result.output).toBe("Tried.");
  expect(existsSync(join(world.root, "home/made"))).toBe(trust !== "trusted");
});

test.each([{}, { directory: "sub" }, { directory: "vendor" }, { worktree: true }])(
  "for an agent with %j a guard reads the files of its own project, which are trusted",
  async (where) => {
    const reading = `#!/bin/sh
. "$CLAUDE_PROJECT_DIR/.ikigai/lib/denied.sh" && . ./.ikigai/lib/denied.sh && . "$IKIGAI_PROJECT_DIR/.ikigai/lib/denied.sh"
case "$(cat)" in *"$DENIED"*) echo '{"decision":"deny","reason":"guarded"}';; *) echo '{}';; esac
`;
    const world = await agentsWorld(
      {
        PARENT: [agentStep("CHILD", where), { text: "Done." }],
        CHILD: [bashStep(`touch "$HOME/made"`), { text: "Tried." }],
      },
      {
        "project/.ikigai/hooks/before-call/guard": { content: reading, mode: 0o755 },
        "project/.ikigai/lib/denied.sh": "DENIED=made\n",
        "project/sub/x": "",
        "project/vendor/.ikigai/lib/denied.sh": 'touch "$HOME/ran"; DENIED=nothing\n',
      },
    );
    makeRepository(world);
    await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
    await world.run("PARENT", ["--permission-mode", "allow"]);
    expect(JSON.stringify(world.requestsOf("CHILD").at(-1)?.messages)).toContain("denies it: guarded");
    for (const name of ["made", "ran"]) expect(existsSync(join(world.root, "home", name))).toBe(false);
  },
);

test.each([{}, { directory: "sub" }, { worktree: true }])(
  "no agent with %j is started while a guard is broken that the user has approved",
  async (where) => {
    const world = await agentsWorld(
      {
        PARENT: [
          agentStep("CHILD", where),
          bashStep("git checkout -q other"),
          bashStep("echo made"),
          agentStep("CHILD", where),
          { text: "Done." },
        ],
        CHILD: [bashStep(`touch "$HOME/made"`), { text: "Tried." }],
      },
      { "project/.ikigai/hooks/before-call/bash/guard": { content: guard, mode: 0o755 }, "project/sub/x": "" },
    );
    makeRepository(world);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: world.cwd });
    git("branch", "other");
    git("add", ".ikigai");
    git("commit", "-qm", "Guard");
    await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
    const { report } = await world.run("PARENT", ["--permission-mode", "allow"]);
    const [first, moved, own, second] = report.tool_calls.map(({ envelope }) => envelope);
    expect(first?.result.output).toBe("Tried.");
    expect(moved?.tool_success).toBe(true);
    expect(own?.error_code).toBe("TOOL_DENIED");
    expect(second).toMatchObject({
      error_code: "TOOL_DENIED",
      error: expect.stringMatching(
        /^No agent was started, because nothing would guard it: the hook .*guard is broken: /,
      ),
    });
    expect(existsSync(join(world.root, "home/made"))).toBe(false);
  },
);

test("an agent of an agent in a worktree keeps to it, too", async () => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }],
      CHILD: [agentStep("GRAND", { directory: "sub" }), { text: "Done." }],
      GRAND: [bashStep(`touch "$HOME/made"`), { text: "Tried." }],
    },
    {
      "home/.ikigai/config.json": JSON.stringify({ agents: { maxDepth: 2 } }),
      "project/.ikigai/hooks/before-call/guard": { content: guard, mode: 0o755 },
      "project/sub/x": "",
    },
  );
  makeRepository(world);
  await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
  await world.run("PARENT", ["--permission-mode", "allow"]);
  expect(JSON.stringify(world.requestsOf("GRAND").at(-1)?.messages)).toContain("guarded");
  expect(existsSync(join(world.root, "home/made"))).toBe(false);
});
