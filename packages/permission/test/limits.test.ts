// Promise 10 of SECURITY.md.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { judge } from "../src/decision/judge.ts";
import { decide, type Permission, type PermissionMode, type PermissionRule, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

const deny = (rule: string): PermissionRule => ({ verdict: "deny", rule });
const allow = (rule: string): PermissionRule => ({ verdict: "allow", rule });
const ask = (rule: string): PermissionRule => ({ verdict: "ask", rule });

/** The verdict on a call of an agent in a project. */
function verdict(name: string, args: object, permission: Partial<Permission>, projectDir = "/nowhere"): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const whole: Permission = { mode: "allow", rules: [], projectDir, home: "/nowhere/home", ...permission };
  return decide(call, registeredTool(name, "system"), whole).verdict;
}

const bash = (command: string) => ["bash", { command }] as const;

test.each([
  ["allow", "allow", "allow"],
  ["allow", "ask", "ask"],
  ["ask", "allow", "ask"],
  ["deny", "allow", "deny"],
  ["allow", "deny", "deny"],
  ["allow", "plan", "deny"],
] as const)("in mode %s, limited by mode %s, a command gets the verdict %s", (mode, limit, expected) => {
  const limits = [{ mode: limit, rules: [], readOnlyCommands: true, projectDir: "/nowhere" }];
  expect(verdict(...bash("npm test"), { mode, limits })).toBe(expected);
});

test("every limit counts, also those above", () => {
  const open = { mode: "allow", rules: [], readOnlyCommands: true, projectDir: "/nowhere" } as const;
  const limits = [open, { ...open, rules: [deny("bash(rm *)")] }, { ...open, rules: [ask("bash(git push*)")] }];
  expect(verdict(...bash("rm x"), { limits })).toBe("deny");
  expect(verdict(...bash("git push"), { limits })).toBe("ask");
  expect(verdict(...bash("npm test"), { limits })).toBe("allow");
});

test("the narrowest place counts, and a limit that asks is not evaded by reading", () => {
  const sandboxOf = () => "on" as const;
  const judged = (mode: PermissionMode, limit: PermissionMode, rules: PermissionRule[] = []) =>
    judge({ id: "c", name: "bash", arguments: '{"command":"npm test"}' }, registeredTool("bash"), {
      ...{ mode, rules: [], projectDir: "/nowhere", home: "/nowhere/home", sandboxOf },
      limits: [{ mode: limit, rules, projectDir: "/nowhere" }],
    });
  expect(judged("auto", "plan")).toMatchObject({ decision: { verdict: "allow" }, place: "reading" });
  expect(judged("plan", "auto")).toMatchObject({ decision: { verdict: "allow" }, place: "reading" });
  expect(judged("auto", "auto").place).toBe("working");
  expect(judged("ask", "ask").mayRead).toBe(true);
  expect(judged("ask", "auto").mayRead).toBe(true);
  expect(judged("ask", "ask", [ask("bash(npm *)")])).toMatchObject({ decision: { verdict: "ask" }, mayRead: false });
});

test("an agent's own rules do not widen a limit", () => {
  const limits = [{ mode: "ask", rules: [], readOnlyCommands: true, projectDir: "/nowhere" }] as const;
  expect(verdict(...bash("npm test"), { rules: [allow("bash")], limits })).toBe("ask");
});

test("a hook that allows a call of an agent counts no more than in a limit", () => {
  const call = { id: "c", name: "bash", arguments: '{"command":"rm x"}' };
  const limits = [
    { mode: "ask", rules: [deny("bash(rm *)")], readOnlyCommands: true, projectDir: "/nowhere" },
  ] as const;
  const permission: Permission = { mode: "ask", rules: [], projectDir: "/nowhere", home: "/h", limits };
  const hook = { verdict: "allow", reason: "the hook allows it" } as const;
  expect(decide(call, registeredTool("bash", "system"), permission, [hook]).verdict).toBe("deny");
});

test("without readOnlyCommands in a limit, a command that only reads needs a question", async () => {
  const projectDir = await tempDir();
  const limit = { mode: "ask", rules: [], projectDir } as const;
  const own = { mode: "ask", readOnlyCommands: true } as const;
  const limited = (readOnlyCommands: boolean) =>
    verdict(...bash("ls"), { ...own, limits: [{ ...limit, readOnlyCommands }] }, projectDir);
  expect([limited(true), limited(false)]).toEqual(["allow", "ask"]);
});

/** An agent in `sub`, limited by a conversation in the project. */
async function below(rules: readonly PermissionRule[], mode: Permission["mode"] = "ask") {
  const project = await tempDir();
  const sub = join(project, "sub");
  mkdirSync(sub);
  const limits = [{ mode, rules: [...rules], readOnlyCommands: true, projectDir: project }];
  return (name: string, args: object) => verdict(name, args, { limits }, sub);
}

test("seen from a directory below, relative rules mean the files of the project", async () => {
  const decideBelow = await below([allow("file_write(notes/*)"), deny("file_write(sub/secret)")], "edits");
  const write = (file_path: string) => decideBelow("file_write", { file_path, content: "" });
  expect(write("x")).toBe("allow");
  expect(write("secret")).toBe("deny");
  const strict = await below([allow("file_write(notes/*)")]);
  expect(strict("file_write", { file_path: "notes/a", content: "" })).toBe("ask");
  expect(strict("file_write", { file_path: "../notes/a", content: "" })).toBe("allow");
});

test("seen from a directory below, reading and searching stays inside the project", async () => {
  const decideBelow = await below([]);
  expect(decideBelow("file_read", { file_path: "x" })).toBe("allow");
  expect(decideBelow("file_read", { file_path: "../x" })).toBe("allow");
  expect(decideBelow("file_read", { file_path: "../../x" })).toBe("ask");
  expect(decideBelow("glob", { pattern: "*" })).toBe("allow");
  expect(decideBelow("glob", { pattern: "*", path: "../.." })).toBe("ask");
  expect(decideBelow("grep", { pattern: "x", path: "" })).toBe("allow");
});

test("seen from a directory below, a search without a path is one of that directory, also with null", async () => {
  const decideBelow = await below([{ verdict: "deny", rule: "grep(*sub*)" }]);
  for (const place of [{}, { path: "" }, { path: null }, { path: "." }])
    expect(decideBelow("grep", { pattern: "x", ...place }), JSON.stringify(place)).toBe("deny");
});

test("seen from a directory below, a command is judged as one that changes there first", async () => {
  const decideBelow = await below([allow("bash(npm test)")]);
  expect(decideBelow("bash", { command: "ls" })).toBe("allow");
  expect(decideBelow("bash", { command: "cat ../../secret" })).toBe("ask");
  expect(decideBelow("bash", { command: "rm x" })).toBe("ask");
  expect(decideBelow("bash", { command: "npm test" })).toBe("allow");
});

test("seen from a directory below, a program by its relative path is another one than in the project", async () => {
  const decideBelow = await below([allow("bash(./run.sh)"), allow("bash(tools/*)")]);
  expect(decideBelow("bash", { command: "./run.sh" })).toBe("ask");
  expect(decideBelow("bash", { command: "tools/it x" })).toBe("ask");
});

test("a limit without a directory is judged in the agent's own: a copy of the project", async () => {
  const copy = await tempDir();
  const limits = [{ mode: "edits", rules: [deny("file_write(secret)")], readOnlyCommands: true }] as const;
  const write = (file_path: string) => verdict("file_write", { file_path, content: "" }, { limits }, copy);
  expect(write("x")).toBe("allow");
  expect(write("secret")).toBe("deny");
  expect(write("/elsewhere/x")).toBe("ask");
});

/** The tool that starts agents, as a tool of this scope. */
function agentTool(scope: "system" | "user"): RegisteredTool {
  const tool = registeredTool("agent", scope);
  return { ...tool, schema: { ...tool.schema, ikigai: { agent: true } } };
}

test("the system's tool that starts agents may name any place, and is asked about in plan mode", () => {
  const task = '{"task":"Explain .git/config and ~/.ikigai/config.json"}';
  const verdictIn = (mode: Permission["mode"], scope: "system" | "user") =>
    decide({ id: "c", name: "agent", arguments: task }, agentTool(scope), {
      ...{ mode, rules: [], projectDir: "/nowhere", home: "/nowhere/home" },
    }).verdict;
  expect([verdictIn("allow", "system"), verdictIn("plan", "system"), verdictIn("deny", "system")]).toEqual([
    ...["allow", "ask", "deny"],
  ]);
  // A tool of another scope may do more than start agents.
  expect([verdictIn("allow", "user"), verdictIn("plan", "user")]).toEqual(["ask", "deny"]);
});
