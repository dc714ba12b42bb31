import { expect, test } from "vitest";
import { parseRule } from "../src/index.ts";
import { ruleProblem } from "../src/rules/rules.ts";
import { rules, verdictOn } from "./decide-call.ts";

test.each([
  ["bash", { tool: "bash" }],
  [" bash (a (b) ) ", { tool: "bash", pattern: "a (b) " }],
  ["*", { tool: "*" }],
  ["mcp_github_*", { tool: "mcp_github_*" }],
  ["mcp_*({})", { tool: "mcp_*", pattern: "{}" }],
  ["bash()", { tool: "bash", pattern: "" }],
  [`b${"a".repeat(63)}*`, { tool: `b${"a".repeat(63)}*` }],
])("accepts %j as a rule", (rule, parts) => {
  expect(parseRule(rule)).toEqual(parts);
  expect(ruleProblem(rule)).toBeUndefined();
});

test.each<[string, number, RegExp]>([
  ["", 0, /^Missing tool name/],
  ["  ", 2, /^Missing tool name/],
  ["(ls)", 0, /^Missing tool name/],
  ["git status", 3, /^Unexpected " " in a tool name/],
  ["9lives", 0, /^Unexpected "9" in a tool name/],
  ["file-read", 4, /^Unexpected "-" in a tool name/],
  ["ba*h", 3, /^Unexpected text after "\*"/],
  ["bash*(", 6, /^Missing "\)"/],
  ["bash(ls", 7, /^Missing "\)"/],
  ["bash(ls) -l", 8, /^Unexpected text after the closing/],
  [
    "bash( *)",
    5,
    /^Unexpected whitespace at the beginning of the pattern\. Write bash\(npm test\*\), or bash for every call\.$/,
  ],
  ["bash(\tmk*)", 5, /^Unexpected whitespace .* Remove it: bash\(mk\*\)$/],
  ["file_edit(\nsrc/*)", 10, /^Unexpected whitespace .* file_edit\(/],
  ["bash)", 4, /^Unexpected "\)" in a tool name/],
  [`b${"a".repeat(64)}`, 64, /at most 64 characters/],
])("rejects %j as a rule, with the position %i", (rule, index, message) => {
  expect(parseRule(rule)).toBeUndefined();
  expect(ruleProblem(rule)).toEqual({ index, message: expect.stringMatching(message) });
});

test("matches every tool whose name begins with a name before a star", () => {
  const all = { mode: "ask" as const, ...rules(["deny", "mcp_github_delete*"], ["allow", "mcp_github_*"]) };
  expect(verdictOn("mcp_github_list", {}, all)).toBe("allow");
  expect(verdictOn("mcp_github_delete_repo", {}, all)).toBe("deny");
  expect(verdictOn("mcp_gitlab_list", {}, all)).toBe("ask");
  expect(verdictOn("mcp_githubs", {}, all)).toBe("ask");
});

test("asks about every call if a deny or ask rule does not parse", () => {
  for (const broken of [rules(["deny", "bash(rm *"]), rules(["ask", "ba sh"])]) {
    expect(verdictOn("bash", { command: "ls" }, { mode: "allow", ...broken })).toBe("ask");
    expect(verdictOn("deploy", {}, { mode: "allow", ...broken })).toBe("ask");
    expect(verdictOn("deploy", {}, { mode: "deny", ...broken })).toBe("deny");
  }
  expect(verdictOn("bash", { command: "ls" }, { mode: "allow", ...rules(["allow", "bash(ls"]) })).toBe("allow");
});
