import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const settings = {
  permissions: {
    allow: ["Bash(npm test:*)", "Edit(src/**)", "WebFetch(domain:example.com)", "mcp__github__get"],
    ask: ["Bash(git push:*)"],
    deny: ["Read(./.env)", "Read(~/.ssh/**)", "Bash(rm:*)"],
  },
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] },
};

async function homeOf(files: Readonly<Record<string, string>>) {
  const HOME = await tempDir(files);
  const run = (...args: string[]) => ikigai(["import", ...args], { env: { HOME } });
  const read = (path: string) => readFileSync(join(HOME, ".ikigai", path), "utf8");
  return { HOME, run, read };
}

test("takes over what Claude Code has, once, and names the rest", async () => {
  const { HOME, run, read } = await homeOf({
    ".claude/CLAUDE.md": "Be brief.\n",
    ".claude/commands/git/review.md": "Review $ARGUMENTS.\n",
    ".claude/commands/no good.md": "x",
    ".claude/agents/tester.md": "---\nname: tester\ndescription: Tests.\n---\nTest.\n",
    ".claude/settings.json": JSON.stringify(settings),
    ".claude.json": JSON.stringify({ mcpServers: { github: { command: "x", env: { TOKEN: "secret-1" } } } }),
  });
  const unsure = await run("claude");
  expect([unsure.exitCode, unsure.stderr]).toEqual([2, expect.stringContaining("pass --yes")]);
  expect(existsSync(join(HOME, ".ikigai/AGENTS.md"))).toBe(false);
  const { exitCode, stdout } = await run("claude", "--yes");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("  instructions  CLAUDE.md → ~/.ikigai/AGENTS.md\n");
  expect(stdout).toMatch(/hooks for PreToolUse[\s\S]*MCP servers github: ikigai mcp add --from /);
  expect(stdout).toMatch(/rule allow mcp__github__get: .*\n {2}rule deny Read\(~\/\.ssh\/\*\*\)/);
  expect(stdout).not.toContain("secret-1");
  expect([read("AGENTS.md"), read("commands/git/review.md")]).toEqual(["Be brief.\n", "Review $ARGUMENTS.\n"]);
  expect(statSync(join(HOME, ".ikigai/agents/tester.md")).mode & 0o777).toBe(0o600);
  expect(JSON.parse(read("config.json")).permission.rules.slice(0, 5)).toEqual([
    { deny: "bash(rm *)" },
    { deny: "path(.env)" },
    { ask: "bash(git push *)" },
    { allow: "file_edit(src/*)" },
    { allow: "bash(npm test *)" },
  ]);
  const again = await run("claude", "--yes");
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    expect.stringContaining("Nothing new of Claude Code in ~/.claude.\n"),
  ]);
});

test("never overwrites a file", async () => {
  const { run, read } = await homeOf({
    ".codex/AGENTS.md": "Theirs.\n",
    ".codex/prompts/fix.md": "Fix it.\n",
    ".codex/config.toml": '[mcp_servers.docs]\ncommand = "npx"\n',
    ".ikigai/AGENTS.md": "Mine.\n",
  });
  const { stdout } = await run("codex", "--yes");
  expect(stdout).toContain("instructions AGENTS.md: ~/.ikigai/AGENTS.md exists with another content\n");
  expect(stdout).toContain("MCP server docs: ikigai mcp add docs -- COMMAND");
  expect([read("AGENTS.md"), read("commands/fix.md")]).toEqual(["Mine.\n", "Fix it.\n"]);
});

test("takes over skills, and the rules of opencode that mean the same", async () => {
  const permission = { edit: "deny", bash: { "ls *": "allow", "*": "ask", "git *": "allow", "git push *": "deny" } };
  const { run, read } = await homeOf({
    ".config/opencode/opencode.json": JSON.stringify({ permission }),
    ".config/opencode/skill/pdf/SKILL.md": "---\nname: pdf\ndescription: PDFs.\n---\nRead.\n",
    ".gemini/GEMINI.md": "Gemini.\n",
    ".pi/agent/prompts/plan.md": "Plan.\n",
  });
  expect((await run("opencode", "-y")).exitCode).toBe(0);
  expect(read("skills/pdf/SKILL.md")).toContain("name: pdf");
  expect(JSON.parse(read("config.json")).permission.rules).toEqual([
    { deny: "bash(git push *)" },
    { deny: "file_edit" },
    { allow: "bash(git *)" },
  ]);
  await run("pi", "-y");
  await run("gemini", "-y");
  expect([read("commands/plan.md"), read("AGENTS.md")]).toEqual(["Plan.\n", "Gemini.\n"]);
  const { exitCode, stdout } = await run("claude", "-y");
  expect([exitCode, stdout]).toEqual([0, "Claude Code has nothing in ~/.claude.\n"]);
  expect((await run("cursor")).exitCode).toBe(2);
});
