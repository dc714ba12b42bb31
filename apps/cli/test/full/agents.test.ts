// @module-tag sampled
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, bashStep, nextStep, type Scripts } from "../agents-world.ts";
import { until } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** Opens the full screen with a model that plays a script for each conversation. */
async function openAgents(scripts: Scripts, columns = 100) {
  const [cwd, HOME] = [await tempDir(), await tempDir()];
  const { terminal, model } = await openFull((request) => nextStep(scripts, request), {
    ...{ cwd, columns },
    args: ["--allow", "agent", "--allow", "bash"],
    env: { HOME },
  });
  return { terminal, cwd, HOME, env: { HOME, ...model.env } };
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
  await terminal.waitFor(
    /CHILD one[\s\S]*✗ bash[\s\S]*This is the agent's session\. To return to the previous one: \/resume \d{8}-/,
  );
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

const byAgents = /worked [\d.]+ m?s · 2 calls \+ 3 by agents ·\s\d\d:\d\d/;

test.each([100, 40])(
  "the sum of a turn has the calls of its agents, also of one that was stopped (%i columns)",
  async (columns) => {
    const slow = bashStep("sleep 1.6");
    const { terminal, cwd, env } = await openAgents(
      {
        PARENT: [agentStep("CHILD"), slow, { text: "First." }, agentStep("STOPPED"), { text: "Not said." }],
        CHILD: [slow, bashStep("true"), bashStep("true"), { text: "Counted." }],
        STOPPED: [bashStep("true"), bashStep(waiting), { text: "Not said." }],
      },
      columns,
    );
    terminal.type("PARENT\r");
    await terminal.waitFor(byAgents);
    terminal.type("on\r");
    await pidIn(cwd);
    await sleep(3_000);
    terminal.type(keys.escape);
    await terminal.waitFor(/Interrupted.[\s\S]*worked [\d.]+ s · 1 call \+ 2 by agents ·\s\d\d:\d\d/);
    terminal.type(keys.ctrlD);
    await terminal.exitCode;
    expect(terminal.screen().replace(/\s+/g, " ")).toMatch(/ · worked [\d.]+ s · 3 calls \+ 5 by agents$/);
    const again = await openFullScreen(["--model", "openai-compatible/m", "--continue"], {
      cwd,
      columns,
      env,
    });
    await again.waitFor(byAgents);
    await again.waitFor(/Interrupted.[\s\S]*worked [\d.]+ s · 1 call \+ 2 by agents ·\s\d\d:\d\d/);
  },
);

test("the cost of a turn and of the session has that of the agents", async () => {
  const parent = [agentStep("CHILD"), bashStep("sleep 3"), { text: "Paid." }];
  const child = [...Array.from({ length: 20 }, () => bashStep("true")), { text: "Done." }];
  const { env } = await startModel((request) => {
    // It does not speak the format of OpenAI's own server, which is tried first.
    if (!("messages" in request)) return { text: "?" };
    return (JSON.stringify(request).includes("PARENT") ? parent : child).shift();
  });
  const { OPENAI_COMPATIBLE_BASE_URL: url = "" } = env;
  const terminal = await openFullScreen(["--model", "openai/gpt-5", "--allow", "agent", "--allow", "bash"], {
    env: { HOME: await tempDir(), OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-test-not-a-key" },
  });
  await terminal.waitFor(/openai\/gpt-5$/);
  terminal.type("PARENT\r");
  await terminal.waitFor(/worked .* · 2 calls \+ 20 by agents · \$0\.00[5-9] · \d\d:\d\d/);
  await terminal.waitFor(/context 0 % of \d+ k · \$0\.00[5-9] · openai\/gpt-5/);
  terminal.type("/status\r");
  await terminal.waitFor(/^ {2}tokens +300 in, 30 out, \$0\.00\d\n {2}of agents +2 k in, 210 out, \$0\.00[4-9]$/m);
});
