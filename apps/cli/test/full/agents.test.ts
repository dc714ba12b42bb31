import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, bashStep, nextStep, type Scripts } from "../agents-world.ts";
import { until } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";

/** Opens the full screen with a model that plays a script for each conversation. */
async function openAgents(scripts: Scripts, columns = 100) {
  const [cwd, HOME] = [await tempDir(), await tempDir()];
  const { terminal } = await openFull((request) => nextStep(scripts, request), {
    ...{ cwd, columns },
    args: ["--allow", "agent", "--allow", "bash"],
    env: { HOME },
  });
  return { terminal, cwd, HOME };
}

const waiting = "echo $$ > pid.part; mv pid.part pid; until [ -e go ]; do sleep 0.05; done";

/** The process of the agent's command, once it runs. */
async function pidIn(cwd: string): Promise<number> {
  await until(() => existsSync(join(cwd, "pid")), "the agent's command");
  return Number(readFileSync(join(cwd, "pid"), "utf8"));
}

test("a running agent is one line that moves, Ctrl-O opens its log, and its answer follows", async () => {
  const { terminal, cwd } = await openAgents({
    PARENT: [agentStep("CHILD: count to two"), { text: "It counted." }],
    CHILD: [bashStep("echo one"), bashStep(waiting), { text: "One, two." }],
  });
  terminal.type("PARENT\r");
  await terminal.waitFor(/^● agent "CHILD: count to two" · 2 calls · 220 tokens · running echo \$\$ > pid/m);
  expect(terminal.screen()).not.toMatch(/agent {2}CHILD: count to two/);
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/> CHILD: count to two[\s\S]*### bash[\s\S]*echo one[\s\S]*running, 220/);
  terminal.type("q");
  await terminal.waitFor(/^● agent "CHILD: count to two" · 2 calls/m);
  writeFileSync(join(cwd, "go"), "");
  const screen = await terminal.waitFor("It counted.");
  expect(screen).toMatch(/^● agent {2}CHILD: count to two\n {2}One, two\./m);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
});

test("/agents shows logs, ends a running agent, and joins one that has ended", async () => {
  const { terminal, cwd } = await openAgents({
    PARENT: [agentStep("CHILD one"), { text: "It was ended." }],
    CHILD: [bashStep(waiting), { text: "Not said." }, { text: "Hello again." }],
  });
  terminal.type("PARENT\r");
  const pid = await pidIn(cwd);
  terminal.type("/agents\r");
  await terminal.waitFor(/Agents\n› CHILD one .*running, 110 tokens/);
  terminal.type("\r");
  await terminal.waitFor("CHILD one   l show log   e end it   esc cancel");
  terminal.type("e");
  await terminal.waitFor("Ended: CHILD one");
  await terminal.waitFor("It was ended.");
  expect(isRunning(pid)).toBe(false);
  await terminal.waitFor("The agent was ended before it finished");
  terminal.type("/agents\r");
  await terminal.waitFor(/› CHILD one .*ended, 110 tokens/);
  terminal.type("\r");
  await terminal.waitFor("l show log   j join it   esc cancel");
  terminal.type("j");
  await terminal.waitFor(/CHILD one[\s\S]*✗ bash/);
  terminal.type("and now?\r");
  await terminal.waitFor("Not said.");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
});

test("/agents without agents says so, and lists those with instructions of their own", async () => {
  const { terminal, HOME } = await openAgents({});
  terminal.type("/agents\r");
  await terminal.waitFor(/No agents in this session\.\s+To give an agent its own instructions/);
  mkdirSync(join(HOME, ".ikigai/agents"), { recursive: true });
  writeFileSync(join(HOME, ".ikigai/agents/code.md"), "---\nname: reviewer\ndescription: Reviews code\n---\nReview.\n");
  terminal.type("/agents\r");
  await terminal.waitFor(/With their own instructions:\s+reviewer {2}Reviews code \(~\/\.ikigai\/agents\/code\.md\)/);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
});
