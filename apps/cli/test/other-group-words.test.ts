import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { commands, findCommand } from "../src/args/commands.ts";
import type { CommandSyntax, Options } from "../src/args/option.ts";
import { parseArgv } from "../src/args/parse-argv.ts";
import { otherGroupWords } from "../src/help/other-group-words.ts";
import { ikigai } from "./ikigai.ts";

/** The options of the commands of a group, as typed. */
function optionsOf(group: string): string[] {
  const inGroup = Object.values<CommandSyntax>(commands).filter(({ name }) => name.startsWith(`${group} `));
  return inGroup.flatMap(({ options }) =>
    Object.entries<Options[string]>(options).flatMap(([name, { short }]) => [`--${name}`, `-${short}`]),
  );
}

describe("a name of other agents in a group of commands", () => {
  test.each(Object.entries(otherGroupWords))("%s is not one of ours, and says what to type", (words, answer) => {
    const [group = "", name = ""] = words.split(" ");
    expect(findCommand([group, name])).toBeUndefined();
    expect(optionsOf(group)).not.toContain(name);
    const typed = [...answer.matchAll(/(?<=ikigai )(?:mcp|tool|config) [a-z]+/g)].map(([command]) => command);
    for (const command of typed) expect(commands).toHaveProperty([command]);
    const named = [...answer.matchAll(/(?<= )--[a-z]+/g)].map(([option]) => option);
    const known = [...optionsOf(group), "--scope"];
    for (const option of named) expect(known).toContain(option);
    expect(typed.length + named.length + Number(answer.includes("ikigai help permissions"))).toBeGreaterThan(0);
  });

  test.each([
    [["mcp", "add", "--transport", "http", "notion", "https://mcp.notion.example/mcp"], "ikigai mcp add NAME URL"],
    [["mcp", "add", "--transport=sse", "notion", "https://mcp.notion.example/sse"], "ikigai mcp add NAME URL"],
    [["mcp", "add", "-t", "stdio", "x", "--", "server"], "ikigai mcp add NAME -- COMMAND"],
    [["mcp", "add", "x", "--scope", "local", "--", "server"], "--here"],
    [["mcp", "add", "-s", "user", "x", "--", "server"], "--scope user"],
    [["mcp", "add", "-e", "KEY=VAL", "x", "--", "server"], "--env KEY=VALUE"],
    [["mcp", "add", "-H", "K: V", "x", "https://x.example/"], "--header KEY:VALUE"],
    [["mcp", "remove", "x", "-s", "user"], "ikigai mcp remove has no option -s."],
    [["mcp", "get", "x"], "ikigai mcp list. To start one and see its tools: ikigai mcp test NAME"],
    [["mcp", "rm", "x"], "ikigai mcp has no command rm. To remove a server: ikigai mcp remove NAME"],
    [["mcp", "add-json", "x", '{"type":"http"}'], "ikigai mcp add --from FILE"],
    [["config", "list"], "ikigai config get"],
    [["tool", "install", "x"], "ikigai tool add SOURCE"],
  ])("%j runs nothing and exits with 2", async (args, advice) => {
    const { exitCode, stdout, stderr } = await ikigai(args, { env: { HOME: await tempDir() } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(advice);
    expect(stderr).toMatch(/^ikigai: ikigai (mcp|config|tool)[^\n]* has no [^\n]+\nTry: ikigai [a-z ]+ --help\n$/);
  });

  test("is a name like any other where a name is expected", async () => {
    const { stderr } = await ikigai(["tool", "show", "rm"], { env: { HOME: await tempDir() } });
    expect(stderr).toContain("Tool not found: rm.");
    expect(stderr).not.toContain("ikigai tool remove");
  });
});

test("--header and --env of Claude Code work in mcp add", async () => {
  const HOME = await tempDir();
  for (const args of [
    ["x", "http://127.0.0.1:9/mcp", "--header", "Authorization: Bearer t"],
    ["x", "--env", "KEY=VAL", "--", "/nosuch/program"],
  ]) {
    const { exitCode } = await ikigai(["mcp", "add", "--yes", ...args], { env: { HOME } });
    expect(exitCode).toBe(1);
  }
});

test.each(["mcp get is slow on linux", "mcp rm breaks the server"])("%s is a message", (text) => {
  expect(parseArgv(text.split(" "))).toMatchObject({ kind: "repl" });
});
