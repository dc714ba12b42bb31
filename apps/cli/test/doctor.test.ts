// Promise 7 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { alone, ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { shippedToolNames, shippedTools } from "./shipped-tools.ts";

test("names the proxies of the environment, without passwords", async () => {
  const proxies = {
    HTTP_PROXY: "http://me:secret-word@127.0.0.1:1",
    all_proxy: "socks5://x:1",
    NO_PROXY: "corp, .lan",
  };
  const { stdout } = await ikigai(["doctor"], { env: proxies });
  expect(stdout).toContain(
    "\nProxy\n  http:// through 127.0.0.1:1 (HTTP_PROXY)\n~ Expected all_proxy to be a URL like ",
  );
  expect(stdout).toContain("\n  not used for localhost, 127.0.0.0/8, [::1], corp, .lan\n");
  expect(stdout).not.toContain("secret-word");
  expect((await ikigai(["doctor"])).stdout).not.toContain("Proxy");
});

test("reports the setup and no problems", async () => {
  const [HOME, TMPDIR] = [await tempDir(), await tempDir()];
  const { exitCode, stdout, stderr } = await ikigai(["doctor"], { env: { HOME, TMPDIR }, launcher: alone });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(`  Node ${process.versions.node}, ${process.platform} `);
  expect(stdout).toContain(`\nTools: ${shippedTools.length}\n  ${shippedToolNames[0]} (system) `);
  expect(stdout).toContain("  anthropic: no key (ANTHROPIC_API_KEY)\n");
  expect(stdout).toContain("  ~/.ikigai/config.json (does not exist)\n");
  expect(stdout).toMatch(/\nNo problems found\.\n$/);
});

test("lists hooks: a broken guard is a problem, what is never run a note", async () => {
  const script = "#!/bin/sh\nexit 0\n";
  const HOME = await tempDir({
    ".ikigai/hooks/prompt/g": script,
    ".ikigai/hooks/before-call/bash/ready": script,
    ".ikigai/hooks/before-call/bash/link/x": script,
    ".ikigai/hooks/before-call/Bash/x": script,
    ".ikigai/hooks/stop/s": script,
    ".ikigai/hooks/PreToolUse/x": script,
  });
  const hooks = join(HOME, ".ikigai/hooks");
  for (const name of ["before-call/bash/ready", "before-call/Bash/x"]) chmodSync(join(hooks, name), 0o755);
  for (const name of ["prompt/g", "stop/s"]) chmodSync(join(hooks, name), 0o644);
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(exitCode).toBe(1);
  const [, section = ""] = /\nHooks: 4\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  expect(section.split("\n")).toEqual([
    `! prompt ~/.ikigai/hooks/prompt/g: it is not executable. To fix it: chmod +x ${hooks}/prompt/g, or move it away. Until this is fixed, ikigai asks before it sends a message, and -p sends none.`,
    "  before-call Bash ~/.ikigai/hooks/before-call/Bash/x",
    "  before-call bash ~/.ikigai/hooks/before-call/bash/ready",
    `~ stop ~/.ikigai/hooks/stop/s: it is not executable. To fix it: chmod +x ${hooks}/stop/s, or move it away`,
    expect.stringMatching(/^~ .*PreToolUse is never run: no event has this name\. Did you mean before-call\?/),
    expect.stringMatching(/^~ Nothing in .*before-call\/bash\/link is run: it is too deep\./),
  ]);
  expect(stdout).toMatch(/\n1 problem \(marked !\), /);
});

test("reports problems that stop nothing, and never a key", async () => {
  const key = "sk-very-secret-key";
  const HOME = await tempDir({
    ".ikigai/tools/slow-tool": "#!/bin/sh\nsleep 9\n",
    ".ikigai/tools/bash-tool": `#!/bin/sh\necho '{"name":"other","description":"","parameters":{"type":"object","properties":{}}}'\n`,
    ".ikigai/config.json": JSON.stringify({
      mdoel: "x",
      providers: { openai: { apiKey: key } },
      tools: { bash: { timeoutMs: 60_000 }, bassh: {}, "ba*": {}, "mcp__*": {} },
      permission: {
        rules: [{ allow: "nosuch" }, { allow: "*" }, { deny: "file_read(~/x/*)" }, { deny: "glob(domain:docs.rs)" }],
      },
    }),
  });
  const env = { HOME, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://me:${key}@127.0.0.1:9/v1` };
  const { exitCode, stdout } = await ikigai(["doctor"], { env });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain(key);
  expect(stdout).toContain("~ slow ~/.ikigai/tools/slow-tool: timeout: ");
  expect(stdout).toMatch(
    / {2}bash \(user\) ~\/\.ikigai\/tools\/bash-tool, overrides .*libexec\/ikigai\/bash-tool\n~ bash: /,
  );
  expect(stdout).toContain("  anthropic: key from ANTHROPIC_API_KEY\n  anthropic: base URL http://127.0.0.1:9/v1\n");
  expect(stdout).toContain("  openai: key from the configuration\n");
  expect(stdout).toMatch(/^~ .*config\.json:1:2: Unknown setting "mdoel"\. Did you mean "model"\?/m);
  expect(stdout).toContain("~ tools.bassh names an unknown tool. Did you mean bash?\n");
  expect(stdout).toContain("~ tools.mcp__* matches no tool.\n");
  expect(stdout).not.toContain("tools.ba*");
  expect(stdout).toContain("~ the rule allow nosuch: no tool is called nosuch. To list the tools: ikigai tool list\n");
  expect(stdout).toContain(
    `~ the rule deny file_read(~/x/*): "~" is not expanded in a path. Write the whole path: file_read(${HOME}/x/*)\n`,
  );
  expect(stdout).toContain(
    '~ the rule deny glob(domain:docs.rs): glob has no parameter "url". The rule allows nothing; if it denies or asks, ikigai asks about every call.\n',
  );
  expect(stdout).toContain("  bash: 1 min 0 s (configured)\n");
  expect(stdout).toMatch(/^~ Other users can access .*config\.json \(mode 644\)\. Run: chmod 600 /m);
  expect(stdout).toMatch(/\n\d+ notes \(marked ~\); they do not stop ikigai\.\n$/);
});

test.each([
  [
    {},
    {},
    "none configured (uses a running Ollama; otherwise -p fails and the REPL opens offline); to choose one: ikigai setup",
  ],
  [
    { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" },
    {},
    "none configured (uses the first one that openai-compatible lists)",
  ],
  [
    { GEMINI_API_KEY: "k", OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" },
    {},
    /^none configured \(uses google\/\S+\)$/,
  ],
  [{ GEMINI_API_KEY: "k" }, { model: "openai-compatible/m" }, "openai-compatible/m"],
])("with %j and %j it shows which model is used", async (env, config, expected) => {
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(config) });
  const { stdout } = await ikigai(["doctor"], { env: { HOME, ...env } });
  const told = /^ {2}model: (.*)$/m.exec(stdout)?.[1];
  if (typeof expected === "string") expect(told).toBe(expected);
  else expect(told).toMatch(expected);
});

test("reports the free space, and leaves no file behind", async () => {
  const HOME = await tempDir({ ".ikigai/": "" });
  const TMPDIR = await tempDir();
  const { stdout } = await ikigai(["doctor"], { env: { HOME, TMPDIR } });
  expect(stdout).toMatch(/^Disk\n {2}~\/\.ikigai: [\d.]+ [MG]B free\n {2}\S+: [\d.]+ [MG]B free\n/m);
  expect(readdirSync(TMPDIR)).toEqual([]);
  expect(readdirSync(join(HOME, ".ikigai"))).not.toContainEqual(expect.stringContaining("doctor"));
});

test("lists five leftovers, and how to remove these", async () => {
  const names = Array.from({ length: 7 }, (_, index) => [`ikigai-tmp.999999${index}.draft-a`, "x"]);
  const TMPDIR = await tempDir(Object.fromEntries(names));
  const { stdout } = await ikigai(["doctor"], { env: { HOME: await tempDir(), TMPDIR } });
  const [, lines = ""] = /^Leftovers\n((?: .*\n)*)/m.exec(stdout) ?? [];
  expect(lines.match(/a draft from your editor/g)).toHaveLength(5);
  expect(lines).toMatch(/\n {2}and 2 more\n {2}to remove these 5 \(then run ikigai doctor again\): rm -r( \S+){5}\n$/);
});

/** A tool whose answer is longer than a model gets. */
const flood = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"flood","description":"","parameters":{"type":"object","properties":{}}}' && exit
printf '{"output":"%s"}' "$(head -c 200000 /dev/zero | tr '\\0' x)"
`;

test("does not list the overflow files of a running session as leftovers", async () => {
  const HOME = await tempDir({ ".ikigai/tools/flood-tool": flood });
  chmodSync(join(HOME, ".ikigai/tools/flood-tool"), 0o755);
  const TMPDIR = await tempDir();
  const { env, requests } = await startModel([{ calls: [{ name: "flood", arguments: {} }] }, { hangs: true }]);
  const doctor = () => ikigai(["doctor"], { env: { HOME, TMPDIR } });
  await ikigai(["-p", "go", "--model", "openai-compatible/m", "--allow", "flood"], {
    env: { ...env, HOME, TMPDIR },
    async whileRunning({ kill }) {
      await until(() => requests.length === 2, "the second request");
      expect(readdirSync(TMPDIR).every((name) => name.startsWith("ikigai-"))).toBe(true);
      expect((await doctor()).stdout).not.toContain("to remove");
      kill("SIGKILL");
    },
  });
  expect((await doctor()).stdout).toMatch(/^ {2}to remove (?:it|them): rm -r .*\/ikigai-tmp\.\d+\./m);
});

test("does not hang on a FIFO", async () => {
  const cwd = await tempDir({ "project/": "", "home/.ikigai/cache/": "" });
  const paths = ["project/.git", "home/.ikigai/trust.json", "home/.ikigai/cache/schemas.jsonl"];
  execFileSync("mkfifo", paths, { cwd });
  const { stdout } = await ikigai(["doctor"], { cwd: `${cwd}/project`, env: { HOME: `${cwd}/home` } });
  expect(stdout).toContain(`Tools: ${shippedTools.length}\n`);
});

test.each([
  [
    { model: "foo/bar" },
    {},
    'No provider is called "foo". Providers: anthropic, openai, google, openai-compatible, openrouter, groq, mistral, xai, deepseek, together, fireworks, cerebras, moonshot, zai, dashscope, azure, vertex, bedrock, chatgpt, copilot, ollama, offline. On your own server, such names need OPENAI_COMPATIBLE_BASE_URL.',
  ],
  [{ model: "openai-compatible/m2" }, {}, "openai-compatible needs a base URL: set OPENAI_COMPATIBLE_BASE_URL"],
  [{ model: "ollama/m2" }, {}, "Ollama at 127.0.0.1:9 "],
  [{ model: "antropic/claude-x" }, {}, "Did you mean anthropic/claude-x?"],
  [
    { model: "anthropic/claude-x" },
    {},
    "Anthropic needs an API key: run ikigai login anthropic, or set ANTHROPIC_API_KEY",
  ],
  [{ providers: { "openai-compatible": { baseUrl: "x" } } }, {}, "Expected the base URL of openai-compatible"],
  [{}, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "gateway" }, "Expected the base URL of openai"],
])("exits 1 where -p does, with %j and %j", async (config, env, problem) => {
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(config) });
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME, ...env } });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^! /m);
  expect(stdout).toContain(problem);
  const print = await ikigai(["-p", "hi"], { env: { HOME, ...env } });
  expect(print.exitCode).toBe(1);
  expect(print.stderr).toContain(problem);
});

test("notes the invalid base URL of a provider that is not used", async () => {
  const config = { model: "offline", providers: { openai: { baseUrl: "gateway" } } };
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(config) });
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("~ openai: invalid base URL. Write it like https://host/v1\n");
});

test("notes the paths of the sandbox that do not exist", async () => {
  const paths = { writable: ["~/none", "~/there"], readable: ["/no-such-file"], hidden: ["~/no-such-dir"] };
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify({ sandbox: paths }), "there/": "" });
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(exitCode).toBe(0);
  expect(stdout.match(/^~ sandbox\..*$/gm)).toEqual([
    "~ sandbox.writable: ~/none does not exist and has no effect.",
    "~ sandbox.readable: /no-such-file does not exist and has no effect.",
    "~ sandbox.hidden: ~/no-such-dir does not exist and has no effect.",
  ]);
});

test("names the variable that leads to no tools", async () => {
  const [HOME, TMPDIR] = [await tempDir(), await tempDir({ "empty/": "" })];
  const env = { HOME, TMPDIR, IKIGAI_LIBEXEC: "/no-such-dir", IKIGAI_TOOL_PATH: `${TMPDIR}/nowhere:${TMPDIR}/empty` };
  const cwd = await tempDir();
  const problems = [
    "IKIGAI_LIBEXEC names /no-such-dir, which cannot be read: no such file or directory. Correct the path, or unset the variable.",
    `IKIGAI_TOOL_PATH names ${TMPDIR}/nowhere, which cannot be read: no such file or directory. Correct the path, or unset the variable.`,
    `IKIGAI_TOOL_PATH names ${TMPDIR}/empty, which contains no tools. Correct the path, or unset the variable.`,
  ];
  const { exitCode, stdout } = await ikigai(["doctor"], { cwd, env });
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`Tools: 0\n! No tools.\n${problems.map((problem) => `~ ${problem}\n`).join("")}`);
  const list = await ikigai(["tool", "list"], { cwd, env });
  expect(list).toMatchObject({ exitCode: 0, stderr: problems.map((problem) => `${problem}\n`).join("") });
  const print = await ikigai(["-p", "help", "--model", "offline"], { cwd, env });
  expect(print.stderr).toContain(problems[0]);
});

test.each([0o700, 0o755])(
  "accepts a config.json that others can read if it holds no key, in a home of mode %o",
  async (mode) => {
    const HOME = await tempDir({ ".ikigai/config.json": { content: '{"maxSteps": 9}', mode: 0o644 } });
    chmodSync(join(HOME, ".ikigai"), mode);
    const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME, TMPDIR: await tempDir() }, launcher: alone });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nNo problems found\.\n$/);
    const print = await ikigai(["-p", "help", "--model", "offline"], { env: { HOME } });
    expect(print.stderr).not.toContain("Other users can access");
  },
);

test("says whether the project has files to trust, and what to run, and marks a sandbox that is not in use as such", async () => {
  const HOME = await tempDir({ "projects/here/.ikigai/tools/hi-tool": "#!/bin/sh\n", "projects/other/": "" });
  const report = async (cwd: string) => (await ikigai(["doctor"], { cwd, env: { HOME } })).stdout;
  expect(await report(join(HOME, "projects/here"))).toMatch(
    /\nProject\n {2}\.ikigai: untrusted, so not used\. See: ikigai trust --show\n/,
  );
  expect(await report(join(HOME, "projects/other"))).toMatch(/\nProject\n {2}\.ikigai: does not exist\n/);
  expect(await report(HOME)).toMatch(
    /\nProject\n {2}~\/\.ikigai: your own directory, so this project has no tools of its own\n/,
  );
  expect(await report(dirname(HOME))).toMatch(/\nSandbox\n {2}not available here, and not in use: .*home directory/);
});

test("names skills and agents, and those that are broken", async () => {
  const home = await tempDir({
    ".ikigai/skills/bare/SKILL.md": "---\nname: bare\n---\n",
    ".ikigai/skills/db/SKILL.md": "---\nname: db\ndescription: d\n---\nUse it.",
    ".ikigai/agents/broken.md": "no front matter",
    ".ikigai/agents/reviewer.md": "---\ndescription: d\n---\nReview.",
  });
  const { stdout } = await ikigai(["doctor"], { env: { HOME: home }, cwd: await tempDir() });
  expect(stdout).toContain(
    "Skills: 1. Agents: 1\n  skill db ~/.ikigai/skills/db/SKILL.md\n~ Skill 'bare' cannot be used: ",
  );
  expect(stdout).toMatch(
    / {2}agent reviewer ~\/\.ikigai\/agents\/reviewer\.md\n~ The agent \S+broken\.md is not used: it must begin with YAML front matter/,
  );
});

test("says what an agent does not get, and which files for Claude Code have no effect", async () => {
  const agent =
    "---\nname: reviewer\ndescription: d\ntools: Read, Bash(git *), TodoWrite\ndisallowedTools: todowrite\n---\nReview.";
  const home = await tempDir({
    ".ikigai/agents/a.md": agent,
    ".ikigai/agents/b.md": agent,
    ".claude/agents/c.md": agent,
    ".claude/commands/ship.md": "Ship.",
  });
  const cwd = await tempDir({ ".claude/agents/d.md": agent });
  const { stdout } = await ikigai(["doctor"], { env: { HOME: home }, cwd });
  expect(stdout).toContain(`  agent reviewer ~/.ikigai/agents/a.md
~ The agent ${home}/.ikigai/agents/b.md is not used: ${home}/.ikigai/agents/a.md has the same name.
~ The agent ${home}/.ikigai/agents/a.md lists names that add no tool: Bash(git *)
~ ~/.claude/commands is not read. To use it: mkdir -p ${home}/.ikigai/commands && cp -R ${home}/.claude/commands/. ${home}/.ikigai/commands/
~ .claude/agents is not read. To use it: mkdir -p ${cwd}/.ikigai/agents && cp -R ${cwd}/.claude/agents/. ${cwd}/.ikigai/agents/
`);
});
