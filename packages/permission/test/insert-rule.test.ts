import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { factsOf } from "../src/decision/call-facts.ts";
import { ruleFor } from "../src/decision/offers.ts";
import {
  insertRule,
  type Permission,
  type PermissionRule,
  parseRule,
  stricterRule,
  whyStillAsked,
} from "../src/index.ts";
import { matchesWildcard, overlaps } from "../src/rules/wildcard.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { registeredTool } from "./registered-tool.ts";

test.each<[PermissionRule["verdict"], number]>([
  ["deny", 0],
  ["ask", 3],
  ["allow", 3],
])("inserts a rule with the verdict %s at %i", (verdict, index) => {
  const list = rules(["allow", "a"], ["deny", "b"], ["deny", "c"], ["allow", "d"]);
  insertRule(list, { verdict, rule: "new" });
  expect(list.rules.findIndex(({ rule }) => rule === "new")).toBe(index);
});

test("keeps what is denied denied when a wider rule allows it", () => {
  const list = rules(["deny", "bash(git push*)"]);
  insertRule(list, { verdict: "allow", rule: "bash(git *)" });
  expect(verdictOn("bash", { command: "git push" }, list)).toBe("deny");
  expect(verdictOn("bash", { command: "git fetch" }, list)).toBe("allow");
});

test.each<[PermissionRule, string | undefined]>([
  [{ verdict: "allow", rule: "bash(git *)" }, "bash(*--force)"],
  [{ verdict: "allow", rule: "bash(rm x)" }, "bash(rm *)"],
  [{ verdict: "allow", rule: "bash(npm test)" }, undefined],
  [{ verdict: "ask", rule: "b*" }, "bash(rm *)"],
  [{ verdict: "allow", rule: "grep" }, undefined],
  [{ verdict: "deny", rule: "bash" }, undefined],
])("finds the stricter rule above %j", (added, expected) => {
  const list = rules(["ask", "bash(*--force)"], ["deny", "bash(rm *)"], ["ask", "bash(npm *)"]);
  insertRule(list, added);
  expect(stricterRule(list, added)?.rule).toBe(expected);
});

const notCovered = (rule: string) => `\`allow ${rule}\` does not cover this call, so ikigai will ask about it again.`;
test.each<[string, PermissionRule[], string | undefined]>([
  ["bash(git *)", [], undefined],
  ["bash(git status*)", rules(["allow", "bash(make)"]).rules, undefined],
  ["Bash(git:*)", [], notCovered("Bash(git:*)")],
  ["file_edit", [], notCovered("file_edit")],
  ["bash(make)", rules(["ask", "bash(git *)"]).rules, notCovered("bash(make)")],
  ["bash(git *)", rules(["ask", "bash(*-x)"]).rules, undefined],
  ["bash(git *)", rules(["ask", "bash(*-x)"], ["deny", "b"]).rules, "Added below `ask bash(*-x)`, which still asks."],
  [
    "bash(git *)",
    rules(["ask", "bash(domain:a.org)"]).rules,
    "`ask bash(domain:a.org)` might apply to this call, so ikigai still asks.",
  ],
])("says why ikigai asks again after allow %s", (rule, given, expected) => {
  const command = given.some((one) => one.rule === "bash(make)") ? "git status -x; make" : "git status -x";
  const permission: Permission = {
    ...{ mode: "ask", readOnlyCommands: false, projectDir: "/nowhere", home: "/nowhere/home" },
    rules: [...given],
  };
  const added = { verdict: "allow", rule } as const;
  insertRule(permission, added);
  const call = { id: "c", name: "bash", arguments: JSON.stringify({ command }) };
  expect(whyStillAsked({ call, tool: registeredTool("bash") }, permission, added)).toBe(expected);
});

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 5 });
const texts = (length: number): string[] =>
  length === 0 ? [""] : texts(length - 1).flatMap((text) => [text, `${text}a`, `${text}b`]);
const allTexts = [...new Set(texts(8))];

test("says whether some text matches two patterns", () => {
  const property = fc.property(pattern, pattern, (one, other) => {
    const both = allTexts.some((text) => matchesWildcard(one, text) && matchesWildcard(other, text));
    expect(overlaps(one, other)).toBe(both);
  });
  fc.assert(property, { numRuns: 200 });
});

test.each([
  ["bash", {}],
  ["bash", { command: ["ls"] }],
  ["bash", { background: true }],
  ["file_write", { content: "x" }],
  ["file_edit", {}],
])("offers no rule about %s with %j, which would be about every call", (name, args) => {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  expect(ruleFor(factsOf(call, registeredTool(name), { projectDir: "/nowhere" }), "/nowhere")).toBeUndefined();
});

test("names a file whose path begins with a space by a rule that is valid", async () => {
  const projectDir = await tempDir({ " a": "" });
  const tool = registeredTool("file_edit");
  const call = { id: "c", name: "file_edit", arguments: JSON.stringify({ file_path: " a" }) };
  const rule = ruleFor(factsOf(call, tool, { projectDir }), projectDir) ?? "";
  expect(parseRule(rule)).toEqual({ tool: "file_edit", pattern: join(projectDir, " a") });
  const permission: Partial<Permission> = { ...rules(["allow", rule]), projectDir };
  expect(verdictOn("file_edit", { file_path: " a" }, permission)).toBe("allow");
});
