// @module-tag sampled
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { exportTargets } from "../src/args/command-groups.ts";
import { runBounded } from "./bounded-program.ts";
import { cleanEnv, ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

// mcp-clients.sweep.test.ts does it with the agents themselves.

const greeting = '#!/bin/sh\n# @describe Greet a person\n# @option --name! Whom to greet\necho "Hello $argc_name"\n';
const result = '{"output":"Hello Ada"}';

async function begin(files: Readonly<Record<string, TreeEntry>> = {}) {
  const home = await tempDir({ ".ikigai/tools/hello-tool": greeting, ...files });
  const cwd = await tempDir();
  const env = await cleanEnv(home);
  return { home, cwd, env, run: (...args: string[]) => ikigai(["tool", "export", ...args], { cwd, env }) };
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

test.each([
  ["claude-code", ".claude.json", ["mcpServers", "hello", "args"]],
  ["gemini", ".gemini/extensions/hello/gemini-extension.json", ["mcpServers", "hello", "args"]],
  ["opencode", ".config/opencode/opencode.json", ["mcp", "hello", "command"]],
  ["zed", ".config/zed/settings.json", ["context_servers", "hello", "args"]],
  ["goose", ".config/goose/config.yaml", ["extensions", "hello", "args"]],
])("%s starts the program that it finds in %s", async (target, file, member) => {
  const { home, cwd, env, run } = await begin();
  expect(await run("hello", "--to", target, "--yes")).toMatchObject({ exitCode: 0, stdout: "" });
  const words = member.reduce((value, name) => value[name], parse(read(home, file))) as string[];
  const args = words.filter((word) => word !== process.execPath);
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd }));
  expect((await client.listTools()).tools).toMatchObject([{ name: "hello", description: "Greet a person" }]);
  const call = { name: "hello", arguments: { name: "Ada" } };
  expect((await client.callTool(call)).content).toEqual([{ type: "text", text: result }]);
  expect(await client.callTool({ name: "hello", arguments: {} })).toMatchObject({ isError: true });
  // The file is the tool: a change counts at once.
  writeFileSync(join(home, ".ikigai/tools/hello-tool"), greeting.replace("Hello", "Bye"));
  expect((await client.callTool(call)).content).toEqual([{ type: "text", text: result.replace("Hello", "Bye") }]);
});

test("Amp's toolbox describes the tool and runs it", async () => {
  const { home, cwd, env, run } = await begin();
  await run("hello", "--to", "amp", "--yes");
  const file = join(home, ".config/amp/tools/hello");
  expect(statSync(file).mode & 0o111).toBe(0o111);
  const described = await runBounded(file, [], { cwd, env: { ...env, TOOLBOX_ACTION: "describe" } });
  expect(JSON.parse(described)).toMatchObject({ name: "hello", inputSchema: { required: ["name"] } });
  const script = `echo '{"name":"Ada"}' | TOOLBOX_ACTION=execute "$0"`;
  expect(await runBounded("sh", ["-c", script, file], { cwd, env })).toBe(`${result}\n`);
});

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("an agent gets the images of an answer", async () => {
  const script = `#!/bin/sh\n# @describe Draw\necho ${pixel} | base64 -d > dot.png\necho '{"images":[{"path":"dot.png","mime_type":"image/png"}]}'\n`;
  const { home, cwd, env, run } = await begin({ ".ikigai/tools/draw-tool": script });
  await run("draw", "--to", "amp", "--yes");
  const program = join(home, ".ikigai/exports/exported-tool.mjs");
  const line = `echo '{}' | "$0" "$1" ${home}/.ikigai/tools/draw-tool draw --call`;
  const { content } = JSON.parse(await runBounded("sh", ["-c", line, process.execPath, program], { cwd, env }));
  expect(content[1]).toEqual({ type: "image", mimeType: "image/png", data: pixel });
});

test.each(exportTargets.filter((target) => !["mcp", "openai-json"].includes(target)))(
  "%s has the tool no longer after --remove",
  async (target) => {
    const mine = { ".codex/config.toml": 'model = "m"\n\n[mcp_servers.other]\ncommand = "x"\n' };
    const script = `${greeting.replace("/bin/sh", "/usr/bin/env bash")}eval "$(argc --argc-eval "$0" "$@")"\n`;
    const { home, cwd, run } = await begin({ ...mine, ".ikigai/tools/hello-tool": script });
    const here = target === "llm-functions" ? ["--here"] : [];
    const add = (name: string) => run(name, "--to", target, ...here, "--yes");
    const files = () => filesBelow(home).concat(filesBelow(cwd));
    expect((await add("hello")).exitCode).toBe(0);
    expect(files().some(([, text]) => text.includes("hello-tool") || text === script)).toBe(true);
    rmSync(join(home, ".ikigai/tools/hello-tool"));
    const { exitCode, stderr } = await run("hello", "--to", target, ...here, "--remove", "--yes");
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${target} no longer has hello`)]);
    expect(files().filter(([, text]) => text.includes("hello-tool"))).toEqual([]);
    expect(read(home, ".codex/config.toml")).toBe(mine[".codex/config.toml"]);
    expect(await run("hello", "--to", target, ...here, "--remove", "--yes")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${target} has no hello`),
    });
  },
);

/** The files below a directory with their texts, without those of ikigai. */
function filesBelow(directory: string): (readonly [string, string])[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/.ikigai/"))
    .map((path) => [path, readFileSync(path, "utf8")] as const);
}

test("what else is in a file stays: comments, order, the mode, and a link to it", async () => {
  const { home, run } = await begin({
    ".codex/config.toml":
      '# mine\nmodel = "m" # the best\n\n[mcp_servers.hello]\ncommand = "old"\n\n[tui]\ntheme = "x"\n',
    ".config/goose/config.yaml": "# mine\nGOOSE_MODEL: m # the best\n",
    "dotfiles/zed.json": { content: '{\n\t// mine\n\t"theme": "x", // the best\n}\n', mode: 0o600 },
    ".config/zed/settings.json": { link: "../../dotfiles/zed.json" },
  });
  for (const target of ["codex", "goose", "zed"])
    expect((await run("hello", "--to", target, "--yes")).exitCode).toBe(0);
  expect(read(home, ".codex/config.toml")).toMatch(
    /^# mine\nmodel = "m" # the best\n\n\[mcp_servers\.hello\]\ncommand = ".*node.*"\nargs = \[.*\]\n\n\[tui\]\ntheme = "x"\n$/,
  );
  expect(read(home, ".config/goose/config.yaml")).toMatch(/^# mine\nGOOSE_MODEL: m # the best\nextensions:\n/);
  expect(read(home, "dotfiles/zed.json")).toMatch(
    /^\{\n\t\/\/ mine\n\t"theme": "x", \/\/ the best\n\t"context_servers": \{\n/,
  );
  expect(statSync(join(home, "dotfiles/zed.json")).mode & 0o777).toBe(0o600);
});

test("each target has a format, for the project or for the user", async () => {
  const { home, cwd, run } = await begin();
  const known = ["amp", "goose", "llm-functions"];
  for (const target of exportTargets) {
    const { exitCode, stdout, stderr } = await run("hello", "--to", target, "--here", "--yes");
    expect([target, exitCode], stderr).toEqual([target, known.includes(target) ? 1 : 0]);
    if (target === "openai-json") expect(JSON.parse(stdout)).toMatchObject([{ function: { name: "hello" } }]);
  }
  const files = [
    ".mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    "opencode.json",
    ".pi/extensions/hello.ts",
  ];
  for (const file of [...files, ".zed/settings.json", ".vscode/mcp.json"])
    expect(read(cwd, file)).toContain("hello-tool");
  expect(existsSync(join(home, ".claude.json"))).toBe(false);
  expect(JSON.parse((await run("hello", "--to", "mcp")).stdout)).toMatchObject({ mcpServers: { hello: {} } });
});

test("a script for argc goes to llm-functions as it is", async () => {
  const script = `${greeting.replace("/bin/sh", "/usr/bin/env bash")}eval "$(argc --argc-eval "$0" "$@")"\n`;
  const { cwd, run } = await begin({ ".ikigai/tools/greet-tool": script });
  const { stderr } = await run("greet", "--to", "llm-functions", "--here", "--yes");
  expect(stderr).toContain("argc build");
  expect(read(cwd, "tools/greet.sh")).toBe(script);
});

test("--all exports the user's tools, into one file", async () => {
  const { home, run } = await begin({ ".ikigai/tools/bye-tool": greeting });
  await run("--all", "--to", "claude-code", "--yes");
  expect(Object.keys(JSON.parse(read(home, ".claude.json")).mcpServers)).toEqual(["bye", "hello"]);
  // What is printed is one value, too.
  const printed = async (target: string) => JSON.parse((await run("--all", "--to", target)).stdout);
  expect(Object.keys((await printed("mcp")).mcpServers)).toEqual(["bye", "hello"]);
  expect(await printed("openai-json")).toMatchObject([{ function: { name: "bye" } }, { function: { name: "hello" } }]);
});

/** Acts as pi: loads the extension, asks the model, runs its call, and sends the answer back. */
const agent = (answer: string) => `#!${process.execPath}
import { copyFileSync, readFileSync } from "node:fs";
const { providers } = JSON.parse(readFileSync(process.env.HOME + "/.pi/agent/models.json", "utf8"));
const file = process.env.HOME + "/.pi/agent/extensions/hello.ts";
copyFileSync(file, file + ".mjs");
const extension = await import("file://" + file + ".mjs");
let tool;
extension.default({ registerTool: (one) => { tool = one; } });
const ask = async (messages) => {
  const tools = [{ type: "function", function: { name: tool.name, parameters: tool.parameters } }];
  const body = JSON.stringify({ messages, tools });
  return (await fetch(providers.local.baseUrl + "/chat/completions", { method: "POST", body })).text();
};
const [{ choices }] = (await ask([])).split("\\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
const call = choices[0].delta.tool_calls[0];
const { content } = await tool.execute("1", JSON.parse(call.function.arguments), undefined, undefined, { cwd: process.cwd() });
await ask([{ role: "tool", content: ${answer} }]);
`;

test.each([
  ["content[0].text", 0, `pi has called hello, and its model got:\n{"output":"Hello text"}\n`],
  ['"nothing"', 1, "its model got something else than"],
])("--check calls the tool through the agent: %s", async (answer, exitCode, said) => {
  const { cwd, env, run } = await begin();
  const bin = await tempDir({
    "pi.mjs": { content: agent(answer), mode: 0o755 },
    pi: { content: `#!/bin/sh\nexec ${process.execPath} "$(dirname "$0")/pi.mjs"\n`, mode: 0o755 },
  });
  expect((await run("hello", "--to", "pi", "--yes")).exitCode).toBe(0);
  const end = await ikigai(["tool", "export", "hello", "--to", "pi", "--check", "--yes"], {
    cwd,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
  });
  expect([end.exitCode, end.stdout + end.stderr]).toEqual([exitCode, expect.stringContaining(said)]);
});

test.each([
  [["hello"], 2, "Expected --to"],
  [["hello", "--to", "emacs"], 2, "--to"],
  [["--to", "codex"], 2, "NAME of a tool"],
  [["hello", "--all", "--to", "codex"], 2, "NAME of a tool"],
  [["helo", "--to", "codex"], 1, "Did you mean hello?"],
  [["hello", "--to", "vscode"], 2, "pass --yes"],
  [["hello", "--to", "zed", "--check", "--yes"], 1, "--check starts one of claude-code, codex"],
  [["hello", "--to", "pi", "--call", "{}"], 2, "Expected --check with --call"],
  [["--all", "--to", "pi", "--remove"], 2, "Expected --remove with the NAME"],
  [["hello", "--to", "opencode", "--yes"], 1, "is not valid JSON"],
  [["hello", "--to", "goose", "--yes"], 1, "is not valid YAML"],
  [["hello", "--to", "zed", "--yes"], 1, "is not an object with context_servers"],
  [["hello", "--to", "codex", "--yes"], 1, "in a form that ikigai does not change"],
])("ikigai tool export %j changes nothing, and says why", async (args, exitCode, reason) => {
  const files = {
    ".config/opencode/opencode.json": '{"mcp": {',
    ".config/goose/config.yaml": "a: [",
    ".config/zed/settings.json": '{"context_servers": []}',
    ".codex/config.toml": 'mcp_servers.hello.command = "x"\n',
  };
  const { home, run } = await begin(files);
  const end = await run(...args);
  expect([end.exitCode, end.stderr]).toEqual([exitCode, expect.stringContaining(reason)]);
  for (const [file, text] of Object.entries(files)) expect(read(home, file)).toBe(text);
  expect(existsSync(join(home, ".ikigai/exports"))).toBe(false);
});

test("asks on a terminal, and a no writes nothing", async () => {
  const { home, cwd, env } = await begin();
  const terminal = await openTerminal(["tool", "export", "hello", "--to", "gemini"], { cwd, env });
  await terminal.waitFor("Write this file? y/N");
  expect(terminal.screen()).toContain("~/.gemini/extensions/hello/gemini-extension.json:");
  terminal.type("n\r");
  expect(await terminal.exitCode).toBe(1);
  expect(existsSync(join(home, ".gemini"))).toBe(false);
});
