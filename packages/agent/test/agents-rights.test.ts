import { join } from "node:path";
import { decide, type Permission, type PermissionLimit, permissionModes, type Verdict } from "@ikigai/permission";
import type { Conversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import { type AgentRights, type Agents, agentRights, openAgents, withinGrant } from "../src/subagents/agents.ts";
import type { Grant } from "../src/subagents/grant.ts";
import { holdGrant } from "../src/subagents/held-grant.ts";
import { runAgentCall } from "../src/subagents/run-agent-call.ts";

/** How many random cases are tried: in a quick run a fifth. */
const some = (all: number) => (inject("isThorough") ? all : Math.ceil(all / 5));

const dir = await tempDir({ "project/sub/": "", "home/sessions/": "" });
const [projectDir, sub, home] = [join(dir, "project"), join(dir, "project/sub"), join(dir, "home")];
const place = { home, projectDir, env: {} };
const nothingUsed = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const conversation = {
  ...{ id: "s", usage: nothingUsed },
  log: { path: join(home, "sessions/s.jsonl") },
} as unknown as Conversation;

const rights = (more: Partial<AgentRights> = {}): AgentRights => ({
  ...{ bin: "/bin/ikigai", depth: 0, maxDepth: 3, maxTokens: 1_000_000, maxStarted: 20, grant: undefined },
  ...more,
});

const ofUser = openAgents(rights(), undefined, { ...place, conversation });

/** The text of the grant that a call gives. */
async function grantFor(permission: Permission, agents: Agents = ofUser, sandbox?: { network: boolean }) {
  let text = "";
  const call = {
    id: "call",
    args: { task: "x" },
    conversation,
    permission,
    sandbox,
    model: "p/m",
    named: [],
    tools: [],
  };
  await runAgentCall(agents, call, async (variables) => {
    text = variables?.grant ?? "";
    return { envelope: { tool_success: true, result: {} } } as never;
  });
  return text;
}

/** The permission of an agent with this grant that its own configuration allows as much as any. */
function agentPermission(grant: string, own: Permission): Permission {
  const { projectDir: directory } = own;
  const limits: readonly PermissionLimit[] = holdGrant(grant).limitsFor({
    userHome: dir,
    projectDir: directory,
    env: {},
  });
  return { ...own, limits };
}

const patterns = ["bash", "bash(git *)", "bash(rm *)", "file_write(sub/*)", "file_write", "file_read(../*)", "other"];
const rule = fc.record({
  verdict: fc.constantFrom<Verdict>("allow", "ask", "deny"),
  rule: fc.constantFrom(...patterns),
});
const permissions = fc
  .record({
    mode: fc.constantFrom(...permissionModes),
    rules: fc.array(rule, { maxLength: 4 }),
    readOnlyCommands: fc.boolean(),
  })
  .map((part): Permission => ({ ...part, rules: [...part.rules], projectDir, home }));

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
const tools = ["bash", "file_read", "file_write", "file_edit", "glob", "other"] as const;
const calls = fc.record({
  name: fc.constantFrom(...tools),
  command: fc.constantFrom("git status", "rm -rf x", "ls", "git log; rm x", "cat /etc/passwd", "$(rm x)"),
  path: fc.constantFrom("a", "sub/a", "../x", ".ikigai/tools/x-tool", "/etc/passwd"),
  scope: fc.constantFrom("system", "user", "project"),
} as const);
type Call = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

function severityOf({ name, command, path, scope }: Call, permission: Permission, inSub = false): number {
  const directory = inSub ? `${sub}/` : "";
  const args = name === "bash" ? { command: inSub ? `cd ${sub} && ${command}` : command } : pathArguments(name, path);
  function pathArguments(tool: string, given: string) {
    const whole = given.startsWith("/") ? given : `${directory}${given}`;
    return tool === "glob" ? { pattern: "*", path: whole } : { file_path: whole, content: "x" };
  }
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  return severity[decide(call, registeredTool(name, scope), permission).verdict];
}

test("whatever an agent's own settings allow, it may do nothing that its parent may not, nor may an agent of it", async () => {
  const seen = new Set<number>();
  const property = fc.asyncProperty(permissions, permissions, permissions, calls, async (parent, own, last, call) => {
    const allowedTo = severityOf(call, parent);
    seen.add(allowedTo);
    const child = agentPermission(await grantFor(parent), own);
    expect(severityOf(call, child)).toBeGreaterThanOrEqual(allowedTo);
    const grandchild = agentPermission(await grantFor(child), last);
    expect(severityOf(call, grandchild)).toBeGreaterThanOrEqual(Math.max(allowedTo, severityOf(call, own)));
  });
  await fc.assert(property, { numRuns: some(600) });
  expect(seen.size).toBe(3);
});

test("nor does it in a directory of the project", async () => {
  const property = fc.asyncProperty(permissions, permissions, calls, async (parent, own, call) => {
    const child = agentPermission(await grantFor(parent), { ...own, projectDir: sub });
    expect(severityOf(call, child)).toBeGreaterThanOrEqual(severityOf(call, parent, true));
  });
  await fc.assert(property, { numRuns: some(400) });
});

test("what the user changes counts for later calls, and not for agents that are running", async () => {
  const property = fc.asyncProperty(permissions, permissions, permissions, calls, async (before, after, own, call) => {
    // One object, as a conversation has: the user's answers and commands change it.
    const parent = { ...before };
    const [first, allowedBefore] = [await grantFor(parent), severityOf(call, parent)];
    parent.mode = after.mode;
    parent.rules.splice(0, parent.rules.length, ...after.rules);
    const allowedAfter = severityOf(call, parent);
    const second = await grantFor(parent);
    expect(severityOf(call, agentPermission(first, own))).toBeGreaterThanOrEqual(allowedBefore);
    expect(severityOf(call, agentPermission(second, own))).toBeGreaterThanOrEqual(allowedAfter);
    const wide: Permission = { mode: "allow", rules: [], projectDir, home };
    expect(severityOf(call, agentPermission(second, wide))).toBe(Math.max(allowedAfter, severityOf(call, wide)));
  });
  await fc.assert(property, { numRuns: some(400) });
});

const flags = fc.record(
  { sandbox: fc.boolean(), sandboxNetwork: fc.boolean() },
  { requiredKeys: [] as ("sandbox" | "sandboxNetwork")[] },
);

test("depth, tools, sandbox, guards and tokens of a grant are never wider than the parent's", async () => {
  const property = fc.asyncProperty(
    fc.option(fc.uniqueArray(fc.constantFrom("bash", "grep", "agent")), { nil: undefined }),
    fc.option(fc.record({ network: fc.boolean() }), { nil: undefined }),
    fc.record({ depth: fc.integer({ min: 0, max: 2 }), maxTokens: fc.integer({ min: 1, max: 400_000 }) }),
    flags,
    async (only, sandbox, { depth, maxTokens }, given) => {
      const above = {
        guards: [{ directory: "/above", hooks: [] }],
        maxDepth: 3,
        ...(only && { tools: only }),
      } as unknown as Grant;
      const agents: Agents = { ...ofUser, ...rights({ depth, maxTokens, grant: above }) };
      const held = holdGrant(await grantFor({ mode: "allow", rules: [], projectDir, home }, agents, sandbox));
      const { grant } = held;
      expect(grant.tools).toEqual(only);
      expect(grant.guards.map(({ directory }) => directory)).toEqual([projectDir, "/above"]);
      expect(grant.tokens).toBeLessThanOrEqual(maxTokens);
      // A configuration or a variable of its own makes neither deeper.
      const own = agentRights({ agents: { maxDepth: 3 } }, { IKIGAI_DEPTH: "0" }, { bin: "/bin/x", held });
      expect(own).toMatchObject({ depth: depth + 1, maxDepth: 3 });
      const narrow = agentRights({ agents: { maxDepth: 1 } }, {}, { bin: "/bin/x", held });
      expect(narrow.maxDepth).toBe(1);
      const { sandbox: isInside, sandboxNetwork } = withinGrant(given, held);
      if (sandbox) expect(isInside).toBe(true);
      if (sandbox && !sandbox.network) expect(sandboxNetwork).toBe(false);
    },
  );
  await fc.assert(property, { numRuns: some(300) });
});
