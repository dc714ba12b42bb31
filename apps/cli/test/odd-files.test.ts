// @module-tag sampled
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

/** What ikigai reads below `~/.ikigai` and works without. */
const names = [
  ...["AGENTS.md", "keys.json", "mcp-files.json", "history.jsonl", "trust.json"],
  ...["themes/odd.json", "tools/odd-tool", "skills/odd/SKILL.md", "agents/odd.md", "commands/odd.md", "logs/odd.log"],
  ...["projects/odd/directory", "projects/odd/tools.json", "packages/odd", "data/odd", "config.edit-1999999999.json"],
  ...["cache/schemas.jsonl", "cache/models.json", "cache/mcp-lists/odd.json", "cache/conversations/odd"],
  ...["cache/sandbox/odd/1999999999", "cache/commands/odd", "sessions/20260101-000000-00000000.jsonl"],
  ...["sessions/20260101-000000-00000000.lock", "sessions/20260101-000000-00000000.agents/1.json"],
];

/** Those that stop a task, or some commands. */
const needed = ["config.json", "credentials.json", "tools.json", "hooks/prompt/odd", "sessions", "cache"];

/** What a trusted project may have. */
const projectNames = ["AGENTS.md", "CLAUDE.md", ".ikigai/tools/odd-tool", ".ikigai/skills/odd/SKILL.md"];
const moreProjectNames = [".ikigai/agents/odd.md", ".ikigai/commands/odd.md", ".ikigai/hooks/after-call/odd"];

const offline = ["--model", "offline"];
const commands = [
  ["-p", "run echo ran", "--allow", "bash", ...offline],
  ["-p", "run echo ran", "--allow", "bash", ...offline, "-c"],
  ["-p", "/odd", ...offline],
  [...offline],
  ["doctor"],
  ["trust", "--yes"],
  ["trust", "--show"],
  ["tool", "list"],
  ["tool", "log"],
  ["mcp", "list"],
  ["hook", "list"],
  ["models"],
  ["login", "--status"],
  ["config"],
  ["config", "set", "screen.theme", "ansi"],
  ["__complete", "--resume", ""],
];

const kinds: Readonly<Record<string, (path: string) => void>> = {
  "a FIFO": (path) => void execFileSync("mkfifo", ["-m", "600", path]),
  "a directory": (path) => mkdirSync(path, { mode: 0o700 }),
};

function put(make: (path: string) => void, root: string, paths: readonly string[]): void {
  for (const path of paths.map((name) => join(root, name))) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    make(path);
  }
}

describe.each(Object.entries(kinds))("%s where a file should be", (_, make) => {
  async function runAll(homeNames: readonly string[], inProject: readonly string[]) {
    const [HOME, cwd] = [await tempDir(), await tempDir({ ".mcp.json": "{}" })];
    put(make, join(HOME, ".ikigai"), homeNames);
    put(make, cwd, inProject);
    return Promise.all(
      commands.map(async (args) => {
        const launcher = ["timeout", "--foreground", "--signal=KILL", "30"];
        const { exitCode, stdout, stderr } = await ikigai(args, { cwd, env: { HOME }, typed: "/memory\n", launcher });
        expect({ args, exitCode, stderr }).toEqual({ args, exitCode: expect.toSatisfy((code) => code <= 2), stderr });
        return stdout;
      }),
    );
  }

  test("of the user or of the project stops nothing", async () => {
    const [ran] = await runAll(names, [...projectNames, ...moreProjectNames]);
    expect(ran).toBe("ran\n");
  }, 120_000);

  test.each(needed)(
    "%s: every command ends, and none as a bug",
    async (name) => void (await runAll([name], [])),
    120_000,
  );
});
