// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep, type Scripts } from "./agents-world.ts";
import { openTerminal } from "./terminal.ts";

/** What a conversation in lines prints, whose user types these lines; a task waits for its answer, `Done.`. */
async function typed(lines: readonly string[], scripts: Scripts, args: readonly string[]) {
  const world = await agentsWorld(scripts);
  const terminal = await openTerminal(["--model", "openai-compatible/m", ...args], { cwd: world.cwd, env: world.env });
  for (const line of lines) {
    await terminal.waitForPrompt();
    terminal.type(`${line}\r`);
    if (!line.startsWith("/")) await terminal.waitFor(new RegExp(`${line}[\\s\\S]*Done\\.`));
  }
  await terminal.waitForPrompt();
  return { world, terminal };
}

const touching = (name: string) => [bashStep(`touch ${name}`), { text: "Tried." }];

test("an agent has the mode that its parent has when it is started, not that of a call before", async () => {
  const { world } = await typed(
    ["TASK", "/permissions deny", "again", "/permissions allow", "and again"],
    {
      TASK: [
        ...[agentStep("ONE"), { text: "Done." }],
        ...[agentStep("TWO"), { text: "Done." }],
        ...[agentStep("THREE"), { text: "Done." }],
      ],
      ONE: touching("one"),
      TWO: touching("two"),
      THREE: touching("three"),
    },
    ["--permission-mode", "allow", "--allow", "agent"],
  );
  expect(["one", "two", "three"].filter((name) => existsSync(join(world.cwd, name)))).toEqual(["one", "three"]);
  // The agent was started, and was denied its call.
  expect(JSON.stringify(world.requestsOf("TWO").at(-1)?.messages)).toContain("TOOL_DENIED");
});

test("a rule that the user adds at a question counts for the agents of later calls, in both directions", async () => {
  const world = await agentsWorld({
    TASK: [agentStep("ONE"), bashStep("touch asked"), agentStep("TWO"), { text: "Done." }],
    ONE: [bashStep("touch asked"), { text: "Tried." }],
    TWO: [bashStep("touch asked"), bashStep("touch other"), { text: "Tried." }],
  });
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "agent"], {
    cwd: world.cwd,
    env: world.env,
  });
  await terminal.waitForPrompt();
  terminal.type("TASK\r");
  // The first agent's call is a question, and a yes to it is no rule.
  await terminal.waitFor(/Run it\?/);
  terminal.type("n\r");
  await terminal.waitFor(/Run it\?[\s\S]*Run it\?/);
  terminal.type("s\r");
  // The second agent's first call is not; its second one is.
  await terminal.waitFor(/(Run it\?[\s\S]*){3}/);
  expect(world.requestsOf("TWO").at(-1)?.messages.at(-1)?.content).not.toContain("TOOL_DENIED");
  terminal.type("n\r");
  await terminal.waitFor("Done.");
  expect(JSON.stringify(world.requestsOf("TWO").at(-1)?.messages.at(-1))).toContain("TOOL_DENIED");
  expect(existsSync(join(world.cwd, "other"))).toBe(false);
});

test("the tools of an agent have no variable that its parent's tools do not have, and the same values", async () => {
  const show = (file: string) => bashStep(`env > ${file}`);
  const world = await agentsWorld({
    PARENT: [show("parent"), agentStep("CHILD"), { text: "Done." }],
    CHILD: [show("child"), { text: "Shown." }],
  });
  const secrets = { ANTHROPIC_API_KEY: "sk-ant-secret", DEPLOY_TOKEN: "secret-of-deploy", HARMLESS: "yes" };
  await world.run("PARENT", ["--allow", "agent", "--allow", "bash"], { env: secrets });
  const [parent, child] = ["parent", "child"].map((name) => {
    const lines = readFileSync(join(world.cwd, name), "utf8").trim().split("\n");
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  });
  expect(Object.keys(child ?? {}).filter((name) => !(name in (parent ?? {})))).toEqual([]);
  const ofProcess = [
    "IKIGAI_CALL_ID",
    "IKIGAI_DEPTH",
    "IKIGAI_HOST_ID",
    "IKIGAI_SESSION_ID",
    "IKIGAI_STATE_DIR",
    "PATH",
  ];
  const changed = Object.keys(child ?? {}).filter((name) => child?.[name] !== parent?.[name]);
  expect(changed.filter((name) => !ofProcess.includes(name))).toEqual([]);
  // At the end are the commands of the session's tools.
  const programs = (path = "") => path.split(":").slice(0, -1);
  expect(programs(child?.PATH)).toEqual(programs(parent?.PATH));
  expect(child).toMatchObject({ HARMLESS: "yes", IKIGAI_DEPTH: "2" });
  expect(JSON.stringify(child)).not.toContain("sk-ant-secret");
});
