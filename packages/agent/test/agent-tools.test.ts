import { expect, test } from "vitest";
import { isListOfNames, misspelt, toolsOf, withoutEffect } from "../src/subagents/agent-files.ts";

const choices = { tools: ["bash", "file_read", "grep", "mine"], model: "p/m" };

test.each([
  ["Bash", ["file_read", "grep", "mine"]],
  ["BASH, Grep", ["file_read", "mine"]],
  ["Bash(rm *)", ["file_read", "grep", "mine"]],
  [
    ["Bash(rm:*)", "MINE"],
    ["file_read", "grep"],
  ],
  ["*", []],
  ["Nope", ["bash", "file_read", "grep", "mine"]],
])("an agent does not get the tools of disallowedTools: %j", (disallowedTools, tools) => {
  expect(toolsOf({ disallowedTools }, choices)).toEqual(tools);
});

const served = { tools: ["bash", "mcp__my_srv__drop", "mcp__my_srv__get", "mcp__other__get"], model: "p/m" };

test.each([
  ["mcp__my_srv__*", ["bash", "mcp__other__get"]],
  ["mcp__my_srv", ["bash", "mcp__other__get"]],
  ["mcp__my-srv", ["bash", "mcp__other__get"]],
  ["mcp__my-srv__drop", ["bash", "mcp__my_srv__get", "mcp__other__get"]],
  ["MCP__My_Srv__D*", ["bash", "mcp__my_srv__get", "mcp__other__get"]],
  ["mcp__*", ["bash"]],
  ["mcp__my", served.tools],
])("disallowedTools takes away the tools of a server and those with a prefix: %j", (disallowedTools, tools) => {
  expect(toolsOf({ disallowedTools }, served)).toEqual(tools);
});

test.each([
  ["mcp__my_srv__*", ["mcp__my_srv__drop", "mcp__my_srv__get"]],
  ["mcp__my-srv, Bash, bash", ["mcp__my_srv__drop", "mcp__my_srv__get", "bash"]],
  ["mcp__my", ["mcp__my"]],
  ["mcp__no__*", ["mcp__no__*"]],
])("tools gives the tools of a server and those with a prefix: %j", (tools, expected) => {
  expect(toolsOf({ tools }, served)).toEqual(expected);
});

test("names what disallowedTools does not take away", () => {
  const names = (disallowedTools: string) => withoutEffect({ disallowedTools }, served);
  expect(names("Bash(rm *), Nope, Bash Write")).toEqual(["Nope", "Bash Write"]);
  expect(names("mcp__my_srv__*, mcp__my-srv, mcp__*, *")).toEqual([]);
  expect(names("mcp__srv__*, mcp__my, Bash; mcp__other__get")).toEqual([
    "mcp__srv__*",
    "mcp__my",
    "Bash; mcp__other__get",
  ]);
  // Tools of Claude Code that an agent does not have here anyway.
  expect(names("NotebookEdit, WebSearch, ls")).toEqual([]);
  expect(withoutEffect({}, served)).toEqual([]);
});

test("a limit in another spelling is noticed", () => {
  expect(misspelt({ DisallowedTools: "Bash" })).toEqual({ field: "DisallowedTools", meant: "disallowedTools" });
  expect(misspelt({ "disallowed-tools": "Bash" })).toMatchObject({ meant: "disallowedTools" });
  expect(misspelt({ Tools: "Bash" })).toMatchObject({ meant: "tools" });
  expect(misspelt({ tools: "Bash", disallowedTools: "Bash", description: "d", color: "blue" })).toBeUndefined();
});

test.each([
  [undefined, true],
  ["Bash", true],
  [["Bash", "Read"], true],
  [[], true],
  [{ Bash: "true" }, false],
  [[{ Bash: "*" }], false],
  [[["Bash"]], false],
])("whether %j is a list of names: %s", (value, expected) => {
  expect(isListOfNames(value)).toBe(expected);
});
