// Promise 6 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { runBounded } from "./bounded-program.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { cleanEnv, ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

/** A tool that prints its arguments, and what is in a file beside it. */
const tool = (name: string) => ({
  content: `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"x","parameters":{"type":"object","properties":{}}}'; exit; fi
printf '{"ran":"${name}","args":"%s","beside":"%s"}\\n' "$*" "$(cat "$(dirname "$0")/beside" "$IKIGAI_TOOL_DIR/beside" 2>/dev/null | tr -d '\\n')"
`,
  mode: 0o755,
});

/** The directory of the commands, in the shell. */
const ours = '$(echo "$PATH" | sed "s/.*://")';

const home = (path: string) => join(path, ".ikigai/cache/commands");

/** What the command prints in a conversation whose user has this configuration and these tools. */
async function printed(
  command: string,
  files: Parameters<typeof tempDir>[0],
  args: readonly string[] = ["--allow", "bash"],
) {
  const world = await agentsWorld({ TASK: [bashStep(command), { text: "Done." }] }, files);
  await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
  const { report, stderr } = await world.run("TASK", args);
  const envelope = report.tool_calls[0]?.envelope;
  return { world, envelope, stderr, output: envelope?.result?.output as string | undefined };
}

const query = { "home/.ikigai/tools/database-query-tool": tool("database_query"), "home/.ikigai/tools/beside": "me" };

test("a tool composes in bash, in a conversation offline, too", async () => {
  const dir = await tempDir({ ...query, "project/": "" });
  const { stdout } = await ikigai(
    ["-p", `run database-query 'select 1' | cat`, "--model", "offline", "--allow", "bash"],
    {
      cwd: join(dir, "project"),
      env: { HOME: join(dir, "home") },
    },
  );
  expect(stdout).toContain('{"ran":"database_query","args":"select 1","beside":"meme"}');
});

test("has both names of a tool, and of those that ship only what the user overrides", async () => {
  const { output } = await printed(
    `database-query a b; database-query-tool c; command -v glob-tool; ls ${ours}; file-read || echo none`,
    { ...query, "home/.ikigai/tools/glob-tool": tool("glob") },
  );
  expect(output?.split("\n")).toEqual([
    expect.stringContaining('"args":"a b"'),
    expect.stringContaining('"args":"c"'),
    expect.stringMatching(/\/cache\/commands\/[\w-]+\/glob-tool$/),
    ...["database-query", "database-query-tool", "database_query", "glob", "glob-tool"],
    expect.stringContaining("file-read"),
    "none",
  ]);
});

/** A tool that speaks JSON: it answers with its arguments. */
const echo = {
  content: `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"db_query","description":"Ask","parameters":{"type":"object","properties":{"sql":{"type":"string"},"rows":{"type":"integer"}},"required":["sql"]}}'; exit; fi
cat
`,
  mode: 0o755,
};
const greet = {
  content:
    '#!/bin/sh\n# @describe Greet\n# @option --name! Whom\necho "Hello $argc_name"\n[ "$argc_name" != Eve ] || { echo "no Eve" >&2; exit 3; }\n',
  mode: 0o755,
};
const twoCommands = { content: "# @cmd a Say a\n# @cmd b Say b\necho said $1\n", mode: 0o755 };
const callable = {
  "home/.ikigai/tools/db-query-tool": echo,
  "home/.ikigai/tools/greet-tool": greet,
  "home/.ikigai/tools/say-tool": twoCommands,
  "project/.ikigai/tools/build-tool": greet,
};

test.each([
  ["db_query sql='select 1' rows=3 | tr a-z A-Z", '{"SQL":"SELECT 1","ROWS":3}'],
  [`db-query '{"sql":"x","n":12345678901234567890}'`, '{"sql":"x","n":12345678901234567890}'],
  ["db-query rows=x sql=1 || echo $?", expect.stringMatching(/^db_query: Expected rows to be a whole number.*\n2$/s)],
  ["db-query --help | head -1", "Usage: db_query sql=TEXT [rows=NUMBER]"],
  ["echo '{}' | db-query", "{}"],
  ["greet name=Ada | tr a-z A-Z", "HELLO ADA"],
  ["greet name=Eve 2>&1; echo $?", "Hello Eve\nno Eve\n3"],
  ["greet 2>&1; echo $?", "greet: greet needs arguments: greet name=TEXT\n2"],
  ["greet Ada 2>&1; echo $?", expect.stringMatching(/^greet: Expected KEY=VALUE, got "Ada": greet name=….*\n2$/s)],
  ["say_a; say_b-tool", "said a\nsaid b"],
  ["build-tool name=Ada", "Hello Ada"],
])("%s is a call", async (command, expected) => {
  const { output } = await printed(command, callable);
  expect(output?.trim()).toEqual(expected);
});

test("a hook has them, too", async () => {
  const hook = { content: '#!/bin/sh\ngreet name=Ada > "$HOME/said"\n', mode: 0o755 };
  const { world } = await printed("true", { ...callable, "home/.ikigai/hooks/before-call/bash/say": hook });
  expect(readFileSync(join(world.env.HOME, "said"), "utf8")).toBe("Hello Ada\n");
});

const denying = { content: "#!/bin/sh\necho no >&2; exit 2\n", mode: 0o755 };

test.each<[string, Parameters<typeof tempDir>[0], string]>([
  [
    "a rule denies",
    { "home/.ikigai/config.json": '{"permission":{"rules":[{"deny":"database_query(secret*)"}]}}' },
    "none",
  ],
  ["a rule asks about", { "home/.ikigai/config.json": '{"permission":{"rules":[{"ask":"database_*"}]}}' }, "none"],
  ["a rule allows", { "home/.ikigai/config.json": '{"permission":{"rules":[{"allow":"database_*"}]}}' }, "there"],
  ["a hook guards", { "home/.ikigai/hooks/before-call/database_query/no": denying }, "none"],
  ["a hook guards with others", { "home/.ikigai/hooks/before-call/database_*/no": denying }, "none"],
  ["a hook does not guard", { "home/.ikigai/hooks/before-call/web_fetch/no": denying }, "there"],
])("a tool that %s is no way around that", async (_, files, expected) => {
  const command = "command -v database-query database-query-tool >/dev/null && echo there || echo none";
  const { output } = await printed(command, { ...query, ...files });
  expect(output?.trim()).toBe(expected);
});

test("a conversation with no tools but those that ship has no directory", async () => {
  const { world, output } = await printed(`ls ${ours} || echo none`, {}, ["--permission-mode", "allow"]);
  expect(output).toMatch(/none$/);
  expect(existsSync(home(world.env.HOME))).toBe(false);
});

test.each(["/usr/bin/zsh", "/usr/bin/fish"])("works in %s", async (shell) => {
  if (!existsSync(shell)) return;
  const config = { "home/.ikigai/config.json": JSON.stringify({ tools: { bash: { shell } } }) };
  const { output } = await printed("database-query one | cat", { ...query, ...config });
  expect(output).toContain('"args":"one"');
});

test("replaces no program: neither one on PATH nor one that may run without a question", async () => {
  const names = ["cat", "git", "rg", "ls", "grep"];
  const files = Object.fromEntries(names.map((name) => [`home/.ikigai/tools/${name}-tool`, tool(name)]));
  const list = names.map((name) => `command -v ${name}; command -v ${name}-tool`).join("; ");
  const { output = "" } = await printed(list, files);
  const ours = output.split("\n").filter((line) => line.includes("/commands/"));
  expect(ours.map((line) => line.split("/").at(-1))).toEqual(names.map((name) => `${name}-tool`));
});

test("does not take the name of a command that only reads where that is missing", async () => {
  const names = ["rg", "git", "find", "other"];
  const files = Object.fromEntries(names.map((name) => [`home/.ikigai/tools/${name}-tool`, tool(name)]));
  const list = names.map((name) => `command -v ${name}; command -v ${name}-tool`).join("; ");
  const world = await agentsWorld(
    { TASK: [bashStep(list), { text: "Done." }] },
    { ...files, "bin/node": { link: process.execPath } },
  );
  const { report } = await world.run("TASK", ["--allow", "bash"], { env: { PATH: join(world.root, "bin") } });
  const found = String(report.tool_calls[0]?.envelope.result.output).split("\n");
  expect(found.map((line) => line.split("/").at(-1))).toEqual([
    "rg-tool",
    "git-tool",
    "find-tool",
    "other",
    "other-tool",
  ]);
});

test("a project's tool has only the name that ends in -tool", async () => {
  const command = "deploy-it-tool x; deploy-it x || echo none";
  const { output } = await printed(command, {
    "project/.ikigai/tools/deploy-it-tool": tool("deploy_it"),
    // Overridden.
    "home/.ikigai/tools/deploy-it-tool": tool("other"),
  });
  expect(output).toContain('"ran":"deploy_it","args":"x"');
  expect(output).toMatch(/none$/);
});

test.each([
  ["the tool itself", "deploy-it-tool"],
  ["a file beside it", "beside"],
])("a project's tool has none once the project has changed: %s", async (_, file) => {
  const call = bashStep("deploy-it-tool x || echo none; yours-tool y");
  const world = await agentsWorld(
    { TASK: [call, bashStep("sh swap.sh"), call, { text: "Done." }] },
    {
      "project/.ikigai/tools/deploy-it-tool": tool("deploy_it"),
      "project/.ikigai/tools/beside": "old",
      "project/new": tool("deploy_it"),
      "project/swap.sh": `mv new .ikigai/tools/${file}`,
      "home/.ikigai/tools/yours-tool": tool("yours"),
    },
  );
  await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
  const { report } = await world.run("TASK", ["--permission-mode", "allow"]);
  const [before, , after] = report.tool_calls.map(({ envelope }) => String(envelope.result?.output));
  expect(before).toContain('"ran":"deploy_it"');
  expect(before).toContain('"ran":"yours"');
  expect(after).toContain('"ran":"yours"');
  expect(after).not.toContain("deploy_it");
  expect(after).toMatch(/^none$/m);
});

test("has no command of a tool that is untrusted or runs elsewhere", async () => {
  const world = await agentsWorld(
    {
      TASK: [
        bashStep(`mine-tool; yours-tool; there-tool; there; ls ${ours} | grep -e mine -e yours -e there`),
        { text: "Done." },
      ],
    },
    {
      "project/.ikigai/tools/mine-tool": tool("mine"),
      "home/.ikigai/tools/yours-tool": tool("yours"),
      "home/.ikigai/tools/there-tool": tool("there"),
      "home/.ikigai/config.json": JSON.stringify({ tools: { there: { launcher: ["env"], path: "/x/there-tool" } } }),
    },
  );
  const { report } = await world.run("TASK", ["--allow", "bash"]);
  const output = String(report.tool_calls[0]?.envelope.result.output);
  expect(output.split("\n").slice(-2)).toEqual(["yours", "yours-tool"]);
  expect(output).not.toContain('"ran":"there"');
  expect(output).not.toContain('"ran":"mine"');
});

test("a command is asked about as any other one", async () => {
  const { envelope } = await printed("database-query x && touch made", query, ["--allow", "database_query"]);
  expect(JSON.stringify(envelope)).toContain("bash(database-query x && touch made)");
  const { output } = await printed("database-query x", query, ["--allow", "bash(database-query *)"]);
  expect(output).toContain('"args":"x"');
});

test("follows the tools: a new one can be used, and one that is gone cannot", async () => {
  const steps = [
    bashStep(
      'database-query x | cat; mv "$HOME/.ikigai/tools/database-query-tool" "$HOME/.ikigai/tools/query-db-tool"',
    ),
    { text: "First." },
  ];
  const world = await agentsWorld({ TASK: steps }, query);
  const terminal = await openTerminal(["--permission-mode", "allow", "--model", "openai-compatible/m"], world);
  await terminal.waitForPrompt();
  terminal.type("TASK\r");
  await terminal.waitFor("Run it?");
  terminal.type("y\r");
  await terminal.waitFor("First.");
  const [name = ""] = readdirSync(home(world.env.HOME)).filter((one) => !one.includes("."));
  const directory = join(home(world.env.HOME), name);
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["database-query", "database-query-tool"]));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  terminal.type("/refresh\r");
  await terminal.waitFor("Tool registry refreshed");
  terminal.type("!query-db again | cat\r");
  await terminal.waitFor('"args":"again"');
  const commands = readdirSync(directory).filter((one) => /query/.test(one));
  expect(commands).toEqual(["query-db", "query-db-tool", "query_db"]);
  terminal.kill("SIGKILL");
  await terminal.exitCode;
  expect(existsSync(directory)).toBe(true);
  // The next conversation that runs something removes these, and leaves none of its own.
  await ikigai(["-p", "run true", "--allow", "bash", "--model", "offline"], world);
  expect(readdirSync(home(world.env.HOME))).toEqual([]);
});

test("an agent has the commands of its own tools, not those of the conversation", async () => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD", { tools: ["bash"] }), { text: "Done." }],
      CHILD: [bashStep("database-query x || echo none"), { text: "Tried." }],
    },
    query,
  );
  await world.run("PARENT", ["--allow", "agent", "--allow", "bash"]);
  expect(String(world.requestsOf("CHILD")[1]?.messages.at(-1)?.content)).toContain("none");
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test("sees the commands, and cannot change them", async () => {
    const command = `database-query x | cat; echo evil > ${ours}/database-query || echo refused`;
    const { output } = await printed(command, query, ["--sandbox", "--permission-mode", "allow"]);
    expect(output).toContain('"args":"x"');
    expect(output).toMatch(/refused$/);
  });

  test.each(["greet", "build-tool"])("%s is a call", async (name) => {
    const { output } = await printed(`${name} name=Ada`, callable, ["--sandbox", "--permission-mode", "allow"]);
    expect(output?.trim()).toBe("Hello Ada");
  });
});

test("without a place for commands, tools run all the same", async () => {
  const dir = await tempDir({ "home/.ikigai/cache": "a file", "project/": "" });
  const end = await ikigai(["-p", "run echo fine", "--model", "offline", "--allow", "bash"], {
    cwd: join(dir, "project"),
    env: { HOME: join(dir, "home") },
  });
  expect(end.stdout).toContain("fine");
});

test("the user's shell has the tools of the user and the trusted project", async () => {
  const root = await tempDir({ ...callable, "project/": "", "home/.ikigai/tools/ls-tool": echo });
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  const env = { ...(await cleanEnv(home)), HOME: home };
  await ikigai(["trust", "--yes"], { cwd, env });
  const path = async () => (await ikigai(["tool", "path"], { cwd, env })).stdout;
  expect(await path()).toBe(`export PATH="$PATH":${home}/.ikigai/bin\n`);
  const run = (script: string) => runBounded("sh", ["-c", `exec 2>&1; ${script}`], { cwd, env });
  const inShell = async (command: string) => run(`eval "${await path()}"; ${command}`);
  expect(await inShell("db-query sql='select 1' | tr a-z A-Z")).toBe('{"SQL":"SELECT 1"}\n');
  expect(await inShell("greet name=Eve; echo $?; build name=Bob; say_b")).toBe(
    "Hello Eve\nno Eve\n3\nHello Bob\nsaid b\n",
  );
  expect(await inShell("greet --help | head -1; greet; greet Ada")).toMatch(
    /^Usage: greet name=TEXT\nikigai: greet needs arguments: .*name=TEXT.*\nikigai: Expected KEY=VALUE, got "Ada"/s,
  );
  rmSync(join(home, ".ikigai/tools/greet-tool"));
  await path();
  expect(readdirSync(join(home, ".ikigai/bin")).sort()).toEqual([
    ".call-tool",
    "build",
    "db-query",
    "db_query",
    "say_a",
    "say_b",
  ]);
});
