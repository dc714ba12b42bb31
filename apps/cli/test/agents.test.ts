// @module-tag sampled
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { ikigai } from "./ikigai.ts";

test("an agent answers, and its session names the call that started it", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD: count the files"), { text: "There are two." }],
    CHILD: [{ calls: [{ name: "glob", arguments: { pattern: "*" } }] }, { text: "Two files." }],
  });
  const { report, exitCode, stderr } = await world.run("PARENT", ["--allow", "agent"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const [call] = report.tool_calls;
  expect(call?.envelope.result).toEqual({
    output: "Two files.",
    session_id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{8}$/),
    turns: 2,
    calls: 1,
    usage: { input_tokens: 200, output_tokens: 20, cache_read_tokens: 0, cache_write_tokens: 0 },
  });
  const child = world.sessions().find(({ id }) => id === call?.envelope.result.session_id);
  expect(child?.parent).toEqual({ session: report.session_id, call: expect.stringMatching(/^call_/) });
});

test("an agent at the greatest depth has no tool to start another one", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }],
    CHILD: [agentStep("GRANDCHILD"), { text: "I could not." }],
  });
  await world.run("PARENT", ["--allow", "agent"]);
  const names = (word: string) => world.requestsOf(word)[0]?.tools.map(({ function: { name } }) => name);
  expect(names("PARENT")).toContain("agent");
  expect(names("CHILD")).not.toContain("agent");
  expect(world.requestsOf("GRANDCHILD")).toEqual([]);
});

test("an agent is denied what its parent would be denied", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }],
    CHILD: [bashStep("touch made"), bashStep("touch allowed"), { text: "Done." }],
  });
  const { report } = await world.run("PARENT", ["--allow", "agent", "--allow", "bash(touch allowed)"]);
  expect(report.tool_calls[0]?.envelope.result.denied).toEqual([
    expect.stringContaining(
      "This call needs permission, and this run is not interactive. To allow it: --allow 'bash(touch made)'",
    ),
  ]);
});

test("tool log --tree has the calls of agents below the call that started them", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }],
    CHILD: [bashStep("echo of the agent"), { text: "Done." }],
  });
  const { report } = await world.run("PARENT", ["--allow", "agent", "--allow", "bash"]);
  const log = (...args: string[]) => ikigai(["tool", "log", ...args], { cwd: world.cwd, env: world.env });
  const id = report.tool_calls[0]?.envelope.result.session_id;
  const tree = (await log("--tree")).stdout;
  expect(tree).toContain(`\n\n  Session ${id}, `);
  expect(tree).toMatch(/\n {2}1 bash: exit 0.*\n {2}cd .*of the agent/);
  expect((await log()).stdout).not.toContain(id);
  const { calls } = JSON.parse((await log("--tree", "--json")).stdout);
  expect(calls[0].agent).toMatchObject({ session_id: id, calls: [{ name: "bash" }] });
});

test("an agent gets the provider's key, and its tools do not", async () => {
  const world = await agentsWorld({
    PARENT: [agentStep("CHILD"), { text: "Done." }],
    CHILD: [bashStep("env | grep -c API_KEY"), { text: "Done." }],
  });
  const env = { OPENAI_COMPATIBLE_API_KEY: "sk-of-the-test" };
  await world.run("PARENT", ["--allow", "agent", "--allow", "bash"], { env });
  expect(world.requestsOf("CHILD").map(({ authorization }) => authorization)).toEqual([
    ...["Bearer sk-of-the-test", "Bearer sk-of-the-test"],
  ]);
  expect(JSON.stringify(world.requestsOf("CHILD")[1]?.messages.at(-1))).toContain('\\"output\\":\\"0\\"');
});
