import { expect, test } from "vitest";
import { isListOfNames, toolsOf, withoutEffect } from "../src/subagents/agent-tools.ts";

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

test("names what disallowedTools does not take away", () => {
  expect(withoutEffect({ disallowedTools: "Bash(rm *), Nope, Bash Write" }, choices)).toEqual(["Nope", "Bash Write"]);
  expect(withoutEffect({}, choices)).toEqual([]);
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
