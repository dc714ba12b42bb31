import { join } from "node:path";
import type { Outcome } from "@ikigai/core";
import type { Permission } from "@ikigai/permission";
import type { Conversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { openAgents } from "../src/subagents/agents.ts";
import { claimSlot } from "../src/subagents/agents-work.ts";
import { runAgentCall } from "../src/subagents/run-agent-call.ts";

/** A conversation whose agents may use this many tokens, and its calls. */
async function scene(maxTokens: number) {
  const home = await tempDir({ "sessions/": "" });
  const logPath = join(home, "sessions/s.jsonl");
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const conversation = { id: "s", usage, log: { path: logPath } } as unknown as Conversation;
  const rights = { bin: "/bin/ikigai", depth: 0, maxDepth: 1, maxTokens, maxStarted: 20, grant: undefined };
  const agents = openAgents(rights, undefined, { home, projectDir: home, env: {}, conversation });
  const permission: Permission = { mode: "ask", rules: [], projectDir: home, home };
  /** Makes a call; returns its grant, and what ends it. */
  const start = async (id: string) => {
    let grant: { slot: number; tokens: number; call: string } | undefined;
    let end = () => {};
    const call = {
      id,
      args: { task: id },
      conversation,
      permission,
      sandbox: undefined,
      model: "p/m",
      named: [],
      tools: [],
    };
    const ended = runAgentCall(agents, call, (variables) => {
      grant = JSON.parse(variables?.grant ?? "{}");
      return new Promise<Outcome>((resolve) => {
        end = () => resolve({ envelope: { tool_success: true, result: {} } } as unknown as Outcome);
      });
    });
    await vi.waitFor(() => expect(grant).toBeDefined());
    if (grant === undefined) throw new Error("no grant");
    return {
      grant,
      async end() {
        end();
        await ended;
      },
    };
  };
  return { start, logPath };
}

test("a call for which no tokens are left neither shares the slot of another call nor removes it", async () => {
  const { start, logPath } = await scene(60_000);
  const first = await start("first");
  const second = await start("second");
  const without = await start("without");
  expect([first, second, without].map(({ grant }) => grant.tokens)).toEqual([50_000, 10_000, 0]);
  // Its tokens are free again.
  await first.end();
  const next = await start("next");
  expect(next.grant.tokens).toBe(50_000);
  expect(new Set([second, without, next].map(({ grant }) => grant.slot)).size).toBe(3);
  await without.end();
  expect(claimSlot(logPath, next.grant, "agent-of-next")).toBe(50_000);
  await Promise.all([second.end(), next.end()]);
});
