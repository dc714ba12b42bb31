// Promise 10 of SECURITY.md.
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "@ikigai/core";
import type { Permission } from "@ikigai/permission";
import type { AgentOrigin, PermissionParams } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { rules } from "../../permission/test/decide-call.ts";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import { type AgentCallVerdict, decideForAgent } from "../src/subagents/question-link.ts";

const registry = { tools: [registeredTool("bash"), registeredTool("file_write")] } as unknown as Registry;

function decided(params: Partial<PermissionParams>, permission: Partial<Permission> = {}): AgentCallVerdict {
  const whole: Permission = { mode: "ask", rules: [], projectDir: "/project", home: "/home/.ikigai", ...permission };
  const call = { tool: "bash", arguments: '{"command":"make all"}', ...params };
  return decideForAgent(call, { permission: whole, registry, callId: "c" });
}

const from = (path: string, more: Partial<AgentOrigin> = {}): AgentOrigin => ({
  ...{ tool: "bash", scope: "system", path, directory: "/project" },
  ...more,
});

const own = from("/system/bash-tool");

test("a call that the session would ask about is a question", () => {
  expect(decided({ from: own, reason: "the mode is ask" })).toMatchObject({
    question: {
      call: { id: "c", name: "bash", arguments: '{"command":"make all"}' },
      tool: { name: "bash", path: "/system/bash-tool", scope: "system" },
      reason: "the mode is ask",
      directory: "/project",
    },
  });
});

test("a rule that the session has by now allows it", () => {
  const allowed = rules(["allow", "bash(make all)"]);
  expect(decided({ from: own }, allowed)).toEqual({ verdict: "allow" });
  expect(decided({}, allowed)).toEqual({ verdict: "allow" });
});

test.each<[string, Partial<Permission>]>([
  ["a rule", rules(["deny", "bash(make *)"])],
  ["plan mode", { mode: "plan" }],
  ["the mode deny", { mode: "deny" }],
])("%s of the session denies it, also if the agent demands a question", (_what, permission) => {
  expect(decided({ from: own }, permission)).toEqual({ verdict: "deny" });
  expect(decided({ from: own, mustAsk: true }, permission)).toEqual({ verdict: "deny" });
});

test("the user is asked if the agent's hook demands it, whatever the session allows", () => {
  expect(decided({ from: own, mustAsk: true }, { mode: "allow" })).toHaveProperty("question");
});

test("no rule or mode allows a tool that the session does not have, and its rules deny it", () => {
  const other = from("/project/sub/.ikigai/tools/bash-tool", { scope: "project" });
  for (const permission of [{ mode: "allow" } as const, rules(["allow", "bash"])]) {
    const verdict = decided({ from: other }, permission);
    expect(verdict).toMatchObject({ question: { tool: { path: other.path, scope: "project" } } });
  }
  expect(decided({ from: other }, rules(["deny", "bash(make *)"]))).toEqual({ verdict: "deny" });
  expect(decided({ tool: "deploy", arguments: "{}", from: from("/x/deploy-tool") }, { mode: "allow" })).toMatchObject({
    question: { tool: { name: "deploy", path: "/x/deploy-tool" } },
  });
});

test("no agent's tool passes for one of the system", () => {
  const posing = from("/tmp/bash-tool");
  expect(decided({ from: posing }, { mode: "allow" })).toMatchObject({ question: { tool: { scope: "user" } } });
});

test("a call in another directory is decided from there, and shows its real path", async () => {
  const dir = await tempDir({ "project/": "", "copy/": "", "target/": "", "copy/link": { link: "../target" } });
  const project = realpathSync(join(dir, "project"));
  const seen = (directory: string, path: string) =>
    decided(
      {
        tool: "file_write",
        arguments: JSON.stringify({ file_path: path, content: "x" }),
        from: from("/system/file_write-tool", { tool: "file_write", directory }),
      },
      { ...rules(["allow", "file_write(notes.md)"]), projectDir: project },
    );
  expect(seen(project, "notes.md")).toEqual({ verdict: "allow" });
  const copy = join(dir, "copy");
  const verdict = seen(copy, "link/notes.md");
  expect(verdict).toMatchObject({
    question: { directory: copy, realPath: join(realpathSync(dir), "target/notes.md") },
  });
  expect("question" in verdict && JSON.parse(verdict.question.call.arguments).file_path).toBe(`${copy}/link/notes.md`);
  expect(seen(copy, "notes.md")).toHaveProperty("question");
});
