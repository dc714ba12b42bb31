// @module-tag sampled
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { exportTargets } from "../src/args/tool-commands.ts";
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

test.each([
  [["hello"], 2, "Expected --to"],
  [["hello", "--to", "emacs"], 2, "--to"],
  [["--to", "codex"], 2, "NAME of a tool"],
  [["hello", "--all", "--to", "codex"], 2, "NAME of a tool"],
  [["helo", "--to", "codex"], 1, "Did you mean hello?"],
  [["hello", "--to", "vscode"], 2, "pass --yes"],
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
