// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, bashStep, nextStep, type Scripts } from "../agents-world.ts";
import { quiz, quizHome } from "../quiz-home.ts";
import { keys, openFull } from "./open-full.ts";

/** A tool that ends soon after it has asked. */
const brief = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"brief","description":"x","parameters":{"type":"object","properties":{}},"ikigai":{"host":["ask"]}}'; exit; fi
cat > /dev/null
echo '{"id":1,"method":"ask","params":{"question":"Which?"}}' >&3
sleep 1
echo '{"output":"not waited"}'
`;

async function openTask(scripts: Scripts, args: readonly string[] = ["--allow", "agent", "--allow", "quiz"]) {
  const cwd = await tempDir();
  const { terminal, model } = await openFull((request) => nextStep(scripts, request), {
    ...{ cwd, args },
    env: { HOME: await quizHome({ ".ikigai/tools/brief-tool": { content: brief, mode: 0o755 } }) },
  });
  terminal.type("PARENT\r");
  return { terminal, model, cwd };
}

test("a question of an agent is in the block of its call, which is shown as before afterwards", async () => {
  const { terminal } = await openTask({
    PARENT: [agentStep("CHILD asks"), { text: "Over." }],
    CHILD: [quiz({ question: "Which colour?" }), { text: "It is blue." }],
  });
  await terminal.waitFor("Answer to quiz:");
  expect(terminal.screen()).toContain(`● The agent "CHILD asks" asks you:
    its tool quiz (user) runs ~/.ikigai/tools/quiz-tool
    | Which colour?
`);
  terminal.type("blue\r");
  await terminal.waitFor("Over.");
  expect(terminal.screen()).toContain('quiz of the agent "CHILD asks" asked: Which colour? -> blue');
  expect(terminal.screen()).toMatch(/^● agent {2}CHILD asks\n {2}It is blue\./m);
});

test("Esc refuses a question of an agent, and the agent continues", async () => {
  const { terminal, model } = await openTask({
    PARENT: [agentStep("CHILD"), { text: "Over." }],
    CHILD: [quiz({ question: "Which?" }), { text: "Without an answer." }],
  });
  await terminal.waitFor("Answer to quiz:");
  terminal.type(keys.escape);
  await terminal.waitFor("Over.");
  expect(JSON.stringify(model.requests)).toMatch(/refused\W+true/);
});

test("two agents ask one after the other, and each gets its own answer", async () => {
  const two = [...(agentStep("ONE").calls ?? []), ...(agentStep("TWO").calls ?? [])];
  const { terminal, cwd } = await openTask(
    {
      PARENT: [{ calls: two }, { text: "Over." }],
      ONE: [bashStep("touch one"), { text: "First." }],
      TWO: [bashStep("touch two"), { text: "Second." }],
    },
    ["--allow", "agent"],
  );
  for (const _ of [1, 2]) {
    await terminal.waitFor(/Run bash\?/);
    await sleep(600);
    const [, asked] = /touch (one|two)\n {4}for the agent/.exec(terminal.screen()) ?? [];
    terminal.type(asked === "one" ? "y" : "n");
    await sleep(600);
  }
  await terminal.waitFor("Over.");
  expect([existsSync(join(cwd, "one")), existsSync(join(cwd, "two"))]).toEqual([true, false]);
});

test("a question disappears with the agent's tool that asked it, and the turn continues", async () => {
  const { terminal } = await openTask(
    {
      PARENT: [agentStep("CHILD"), { text: "Over." }],
      CHILD: [{ calls: [{ name: "brief", arguments: {} }] }, { text: "It did not wait." }],
    },
    ["--allow", "agent", "--allow", "brief"],
  );
  await terminal.waitFor("Answer to brief");
  await terminal.waitFor("Over.");
  expect(terminal.screen()).not.toContain("Answer to brief");
  expect(terminal.screen()).toMatch(/^● agent {2}CHILD\n {2}It did not wait\./m);
});
