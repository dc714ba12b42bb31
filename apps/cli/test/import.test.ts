// @module-tag sampled
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { cleanEnv, ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const settings = {
  permissions: {
    allow: ["Bash(npm test:*)", "Edit(src/**)", "WebFetch(domain:example.com)", "mcp__github__get"],
    ask: ["Bash(git push:*)"],
    deny: [
      "Read(./.env)",
      "Read(~/.ssh/**)",
      "Read(**/key.pem)",
      "Bash(rm:*)",
      "WebFetch",
      "mcp__My-Notes",
      "Edit(dist)",
    ].concat(["Edit(/etc/x)", "NotebookEdit", "Skill(x)"]),
    defaultMode: "acceptEdits",
  },
  hooks: {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: "true" }] },
      {
        matcher: "Edit|MultiEdit|Write|mcp__github__.*|Task",
        hooks: [{ type: "command", command: "cat > /dev/null\nexit 0", timeout: 60 }],
      },
    ],
    PostToolUse: [
      {
        matcher: "*",
        hooks: [
          { type: "prompt", prompt: "x" },
          { command: "x", async: true },
        ],
      },
    ],
    SessionStart: [{ matcher: "startup", hooks: [{ type: "command", command: "true" }] }],
    Stop: [{ hooks: [{ type: "command", command: "true" }] }],
    SubagentStop: [{ hooks: [{ type: "command", command: "true" }] }],
  },
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
  expect(stdout).toMatch(/hooks for SubagentStop[\s\S]*ikigai mcp add --from \S+\/\.claude\.json github\n/);
  expect(stdout).toContain('rule deny Edit(/etc/x): its path starts with one "/"; ');
  expect(stdout).toContain("rule deny NotebookEdit: ikigai has no tool like it\n");
  expect(stdout).toContain("permissions.defaultMode: ikigai config set permission.mode edits\n");
  expect(stdout).not.toContain("secret-1");
  expect([read("AGENTS.md"), read("commands/git/review.md")]).toEqual(["Be brief.\n", "Review $ARGUMENTS.\n"]);
  expect(statSync(join(HOME, ".ikigai/agents/tester.md")).mode & 0o777).toBe(0o600);
  const anywhere = (name: string) => [name, `*/${name}`, `${name}/*`, `*/${name}/*`];
  const rules: { deny?: string }[] = JSON.parse(read("config.json")).permission.rules;
  expect(rules.flatMap(({ deny }) => deny ?? []).toSorted()).toEqual(
    ["path(.env)", "path(~/.ssh/**)", "path(**/key.pem)", "bash(rm *)", "web_fetch", "mcp__my_notes__*"]
      .concat(["file_edit", "file_write"].flatMap((tool) => anywhere("dist").map((path) => `${tool}(${path})`)))
      .toSorted(),
  );
  expect(rules.filter(({ deny }) => deny === undefined)).toEqual([
    { ask: "bash(git push *)" },
    { allow: "bash(npm test *)" },
    { allow: "file_edit(src/*)" },
    { allow: "file_write(src/*)" },
    { allow: "web_fetch(domain:example.com)" },
    { allow: "mcp__github__get" },
  ]);
  const again = await run("claude", "--yes");
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    expect.stringContaining("Nothing new of Claude Code in ~/.claude.\n"),
  ]);
});

test("writes Claude Code's hooks as files that run, and names what cannot be carried over", async () => {
  const { HOME, run, read } = await homeOf({ ".claude/settings.json": JSON.stringify(settings) });
  const { stdout } = await run("claude", "--yes");
  const left = stdout.split("\n").filter((line) => /^ {2}hooks? .*: /.test(line) && !line.includes("→"));
  const mixed = "Edit|MultiEdit|Write|mcp__github__.*|Task";
  expect(left.map((line) => line.trim().replaceAll(mixed, "MIXED"))).toEqual([
    "hook PreToolUse MIXED: ikigai has no tool like Task",
    "hook PreToolUse MIXED: its time limit of 60 s; here it has 30 s",
    'hook PostToolUse *: its type is "prompt"; ikigai runs commands only',
    "hook PostToolUse *: ikigai has nothing like its async",
    "hook SessionStart startup: here, hooks for it have no matcher; to add it without: ikigai help hooks",
    `hooks for SubagentStop in ${HOME}/.claude/settings.json: ikigai has no such event; those it has: ikigai help hooks`,
  ]);
  const listed = await ikigai(["hook", "list"], { env: { HOME } });
  expect([...listed.stdout.matchAll(/hooks\/(\S+?):?(?: no such tool)?\n/g)].map(([, name]) => name)).toEqual([
    "before-call/bash/claude-1",
    "before-call/file_edit/claude-2",
    "before-call/file_write/claude-2",
    "before-call/mcp__github__*/claude-2",
    "stop/claude-1",
  ]);
  expect(read("hooks/before-call/file_edit/claude-2")).toBe("#!/bin/sh\ncat > /dev/null\nexit 0\n");
  const tried = await ikigai(["hook", "test", "before-call", "--tool", "file_edit", '{"file_path": "a"}'], {
    env: { HOME },
  });
  expect(tried.stdout).toMatch(/claude-2/);
});

test("an imported allow rule does not cancel an ask rule of the user's", async () => {
  const own = JSON.stringify({ permission: { rules: [{ ask: "bash(git push *)" }, { deny: "bash(rm *)" }] } });
  const { run, read } = await homeOf({
    ".ikigai/config.json": own,
    ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(git:*)"], deny: ["Bash(dd:*)"] } }),
  });
  expect((await run("claude", "--yes")).exitCode).toBe(0);
  const { rules } = JSON.parse(read("config.json")).permission;
  expect(rules).toEqual([
    { deny: "bash(dd *)" },
    { ask: "bash(git push *)" },
    { deny: "bash(rm *)" },
    { allow: "bash(git *)" },
  ]);
});

test("asks about the settings of the project separately: --yes does not cover them", async () => {
  const HOME = await tempDir({ ".claude/CLAUDE.md": "Be brief.\n" });
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./check" }] }] };
  const cwd = await tempDir({
    ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(make:*)"] }, hooks }),
    ".claude/settings.local.json": JSON.stringify({ permissions: { deny: ["Bash(rm:*)"] } }),
  });
  const sure = await ikigai(["import", "claude", "--yes"], { cwd, env: { HOME } });
  expect(sure.stdout).toContain("Imported 1.");
  expect(sure.stdout).toContain("Not imported: others may have written it.");
  const env = { ...(await cleanEnv(HOME)), HOME };
  const terminal = await openTerminal(["import", "claude"], { cwd, env });
  await terminal.waitFor(/In this project, \.claude has:[\s\S]*Import these 3\?/);
  expect(existsSync(join(cwd, ".ikigai"))).toBe(false);
  terminal.type("y\r");
  await terminal.waitFor("The project's hooks run once you trust it: ikigai trust");
  expect(readFileSync(join(cwd, ".ikigai/hooks/before-call/bash/claude-1"), "utf8")).toBe("#!/bin/sh\n./check\n");
  const rules = (...args: string[]) => ikigai(["-p", "run make", "--model", "offline", ...args], { cwd, env });
  expect((await rules("--output-format", "json")).stdout).not.toContain("needs permission");
  expect(existsSync(join(HOME, ".ikigai/config.json"))).toBe(false);
});

test("a conversation names the agents whose files can be taken over, at the very first start", async () => {
  const HOME = await tempDir({ ".claude/CLAUDE.md": "x", ".codex/config.toml": "" });
  const notice = "To take over what you have in Claude Code, Codex: ikigai import claude, ikigai import codex";
  for (const isFirst of [true, false]) {
    const env = { ...(await cleanEnv(HOME)), HOME };
    const options = { cwd: await tempDir(), env, isNewHome: isFirst };
    const terminal = await openTerminal(["--model", "offline", "--plain"], options);
    await terminal.waitForPrompt();
    expect(terminal.screen().replace(/\s+/g, " ").includes(notice)).toBe(isFirst);
    terminal.type("\u0004");
    await terminal.exitCode;
  }
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
  expect(stdout).toContain("  ikigai mcp add docs -- npx\n");
  expect([read("AGENTS.md"), read("commands/fix.md")]).toEqual(["Mine.\n", "Fix it.\n"]);
});

test("takes over skills, and the rules of opencode that mean the same", async () => {
  const permission = { edit: "deny", bash: { "ls *": "allow", "*": "ask", "git *": "allow", "git push *": "deny" } };
  const agent = "---\ndescription: Reads.\ntools:\n  write: false\n  bash: false\n---\nRead.\n";
  const { run, read } = await homeOf({
    ".config/opencode/opencode.json": JSON.stringify({ permission, tools: { webfetch: false } }),
    ".config/opencode/agent/reader.md": agent,
    ".config/opencode/skill/pdf/SKILL.md": "---\nname: pdf\ndescription: PDFs.\n---\nRead.\n",
    ".gemini/GEMINI.md": "Gemini.\n",
    ".pi/agent/prompts/plan.md": "Plan.\n",
  });
  expect((await run("opencode", "-y")).exitCode).toBe(0);
  expect(read("skills/pdf/SKILL.md")).toContain("name: pdf");
  expect(JSON.parse(read("config.json")).permission.rules).toEqual([
    { deny: "web_fetch" },
    { deny: "bash(git push *)" },
    { deny: "file_write" },
    { deny: "file_edit" },
    { allow: "bash(git *)" },
  ]);
  expect(read("agents/reader.md")).toBe(
    "---\ndisallowedTools: file_edit, file_write, bash\ndescription: Reads.\n---\nRead.\n",
  );
  await run("pi", "-y");
  await run("gemini", "-y");
  expect([read("commands/plan.md"), read("AGENTS.md")]).toEqual(["Plan.\n", "Gemini.\n"]);
  const { exitCode, stdout } = await run("claude", "-y");
  expect([exitCode, stdout]).toEqual([0, "Claude Code has nothing in ~/.claude.\n"]);
  expect((await run("cursor")).exitCode).toBe(2);
});

const codexConfig = `model = "gpt-5-codex"
approval_policy = "on-request"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp", "--title", "my docs", "--api-key", "secret-5", "--token=secret-6", "ghp_secret-78901234567"]
env_vars = ["HTTPS_PROXY"]
enabled_tools = ["get-docs"]

[mcp_servers.context7.env]
API_KEY = "secret-1"

[mcp_servers.Figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Figma-Region" = "secret-2" }
env_http_headers = { "X-Team" = "TEAM" }

[mcp_servers.off]
command = "x"
enabled = false
`;

const geminiSettings = {
  security: { auth: { selectedType: "oauth-personal" } },
  mcpServers: {
    py: { command: "python", args: ["-m", "srv"], env: { TOKEN: "$TOKEN", OTHER: "$MY_OTHER" }, cwd: "/srv" },
    http: { httpUrl: "https://a.example/mcp", headers: { Authorization: "Bearer $A" }, excludeTools: ["rm"] },
    query: { url: "https://b.example/mcp?key=secret-3" },
    words: { command: "npx", args: ["srv", "--key=$KEY"] },
  },
};

const opencodeConfig = `{
  "$schema": "https://opencode.ai/config.json",
  // theirs
  "theme": "opencode",
  "model": "anthropic/claude-sonnet-4-5",
  "permission": { "webfetch": "ask" },
  "mcp": {
    "local": { "type": "local", "command": ["bun", "x", "srv"], "environment": { "KEY": "secret-4", "B": "{env:B}" } },
    "remote": { "type": "remote", "url": "https://c.example/mcp", "headers": { "Authorization": "Bearer {env:C}" } },
    "file": { "type": "remote", "url": "https://d.example/mcp", "headers": { "X": "{file:~/.key}" } },
  },
}`;

test("prints the lines that add the MCP servers of others, without their keys, and names every other setting", async () => {
  const { HOME, run } = await homeOf({
    ".codex/config.toml": codexConfig,
    ".gemini/settings.json": JSON.stringify(geminiSettings),
    ".config/opencode/opencode.json": opencodeConfig,
  });
  const outputs = await Promise.all(["codex", "gemini", "opencode"].map((agent) => run(agent)));
  const [codex, gemini, opencode] = outputs.map(({ stdout }) => stdout.split("\n"));
  expect(codex).toEqual([
    "Nothing new of Codex in ~/.codex.",
    "Not carried over:",
    "  setting model: ikigai config set model PROVIDER/NAME; to choose one: ikigai models",
    "  setting approval_policy: ikigai config set permission.mode MODE",
    `  MCP server off: it is disabled (${HOME}/.codex/config.toml)`,
    "To add the MCP servers (each is started, then ikigai asks):",
    `  ikigai mcp add context7 --env HTTPS_PROXY --env API_KEY --include get-docs -- npx -y @upstash/context7-mcp --title 'my docs' --api-key "$CONTEXT7_API_KEY" --token="$CONTEXT7_TOKEN" "$CONTEXT7_KEY"`,
    `    first set API_KEY, CONTEXT7_API_KEY, CONTEXT7_TOKEN, CONTEXT7_KEY, here and for ikigai, to the value in ${HOME}/.codex/config.toml`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the server's entry
    "  ikigai mcp add figma https://mcp.figma.com/mcp --header 'X-Figma-Region: ${FIGMA_X_FIGMA_REGION}' --header 'X-Team: ${TEAM}' --header 'Authorization: Bearer ${FIGMA_TOKEN}'",
    `    first set FIGMA_X_FIGMA_REGION, here and for ikigai, to the value in ${HOME}/.codex/config.toml`,
    "",
  ]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
  expect(gemini).toContain("  ikigai mcp add py --env TOKEN --env 'OTHER=${MY_OTHER}' -- python -m srv");
  expect(gemini).toContain("    it ran in /srv; here it runs in a directory of its own");
  expect(gemini).toContain(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    "  ikigai mcp add http https://a.example/mcp --header 'Authorization: Bearer ${A}' --exclude rm",
  );
  expect(gemini?.filter((line) => /MCP server (query: its URL may|words: its command line)/.test(line))).toHaveLength(
    2,
  );
  expect(gemini).toContainEqual(expect.stringMatching(/^ {2}settings security: /));
  expect(opencode).toContain("  ikigai mcp add local --env KEY --env B -- bun x srv");
  expect(opencode).toContainEqual(expect.stringMatching(/^ {2}MCP server file: it takes a value from a file/));
  expect(opencode).toContainEqual(expect.stringMatching(/^ {2}rule webfetch: ask: the mode decides/));
  expect(opencode).toContain("  setting theme: ikigai config set screen.theme NAME");
  expect(JSON.stringify(outputs)).not.toContain("secret-");
});
