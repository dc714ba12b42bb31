// Promise 10 of SECURITY.md.
// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { ikigai } from "./ikigai.ts";

/** A tool that says that it starts agents, and runs a command with what it gets. */
function launcher(name: string, command: string): string {
  return `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"x","parameters":{"type":"object","properties":{}},"ikigai":{"agent":true}}'; exit; fi
cat > /dev/null
out=$(${command}) || true
node -e 'console.log(JSON.stringify({ output: process.argv[1] }))' "$out"
`;
}

const showEnv = "env | grep -c '^IKIGAI_AGENT_GRANT=\\|^IKIGAI_BIN='";

test.each([
  ["home/.ikigai/tools/grab-tool", "2"],
  ["project/.ikigai/tools/grab-tool", "0"],
])("the tool %s gets %s of the two variables of agents, and bash none", async (path, variables) => {
  const calls = [
    { name: "grab", arguments: {} },
    { name: "bash", arguments: { command: showEnv } },
  ];
  const world = await agentsWorld({ PARENT: [{ calls }] }, { [path]: launcher("grab", showEnv) });
  await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env });
  const { report } = await world.run("PARENT", ["--permission-mode", "allow"]);
  const outputs = report.tool_calls.map(({ envelope }) => envelope.result.output.trim());
  expect(outputs).toEqual([variables, "0"]);
});

const wide = "--permission-mode allow --allow bash --allow 'file_write(*)'";

test("options of an agent's command line do not widen its grant", async () => {
  const start = `echo CHILD | "$IKIGAI_BIN" -p --model openai-compatible/m ${wide}`;
  const world = await agentsWorld(
    {
      PARENT: [{ calls: [{ name: "grab", arguments: {} }] }, { text: "Done." }],
      CHILD: [bashStep("touch made"), { text: "Tried." }],
    },
    { "home/.ikigai/tools/grab-tool": launcher("grab", start) },
  );
  const { report } = await world.run("PARENT", ["--allow", "grab"]);
  expect(report.tool_calls[0]?.envelope.result.output).toContain("Tried.");
  expect(existsSync(join(world.cwd, "made"))).toBe(false);
});

test("a grant is good for one agent", async () => {
  const start = `for n in 1 2; do echo CHILD | "$IKIGAI_BIN" -p --model openai-compatible/m 2>&1; done`;
  const world = await agentsWorld(
    { PARENT: [{ calls: [{ name: "grab", arguments: {} }] }, { text: "Done." }], CHILD: [{ text: "Here." }] },
    { "home/.ikigai/tools/grab-tool": launcher("grab", start) },
  );
  const { report } = await world.run("PARENT", ["--allow", "grab"]);
  expect(report.tool_calls[0]?.envelope.result.output).toMatch(/^Here\.\n.*The grant in IKIGAI_AGENT_GRANT is used up/);
  expect(world.requestsOf("CHILD")).toHaveLength(1);
});

const grant = {
  ...{ session: "20200101-000000-00000000", call: "c", slot: 1, depth: 1, maxDepth: 3 },
  ...{ mode: "allow", rules: [], readOnlyCommands: true, projectDir: "/", directories: [], within: [] },
  ...{ model: "openai-compatible/m", tokens: 1_000_000, agents: [], guards: [], directoryTools: [] },
};

test.each([
  ["", "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  ["{}", "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [JSON.stringify({ ...grant, mode: "all" }), "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [JSON.stringify({ ...grant, guards: ["project"] }), "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [JSON.stringify({ ...grant, guards: [{ directory: "/" }] }), "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [
    JSON.stringify({ ...grant, guards: [{ directory: "/", hooks: [{ name: "x", path: "/x" }] }] }),
    "Cannot read the grant in IKIGAI_AGENT_GRANT",
  ],
  [JSON.stringify({ ...grant, guards: undefined }), "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [JSON.stringify({ ...grant, session: "../../x" }), "Cannot read the grant in IKIGAI_AGENT_GRANT"],
  [
    JSON.stringify({ ...grant, rules: [{ verdict: "deny", rule: "bash(" }] }),
    "Cannot read the grant in IKIGAI_AGENT_GRANT",
  ],
  [JSON.stringify(grant), "is used up or invalid"],
])("with the grant %s nothing runs", async (text, why) => {
  const world = await agentsWorld({ TASK: [bashStep("touch made")] });
  const end = await world.run("TASK", ["--permission-mode", "allow"], { env: { IKIGAI_AGENT_GRANT: text } });
  expect(end).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
  expect(world.requests).toEqual([]);
});

test.each([
  ["8", 0],
  ["9", 2],
  ["many", 2],
  ["-1", 2],
])("an ikigai at IKIGAI_DEPTH %s ends with %i", async (depth, exitCode) => {
  const world = await agentsWorld({ TASK: [{ text: "Hello." }] });
  expect(await world.run("TASK", [], { env: { IKIGAI_DEPTH: depth } })).toMatchObject({ exitCode });
});

test("an ikigai that a tool starts counts its depth, and starts no agents", async () => {
  const world = await agentsWorld({ PARENT: [bashStep("echo depth $IKIGAI_DEPTH"), { text: "Done." }], TASK: [] });
  const { report } = await world.run("PARENT", ["--allow", "bash"], { env: { IKIGAI_DEPTH: "1" } });
  expect(report.tool_calls[0]?.envelope.result.output).toBe("depth 2");
  expect(world.requests[0]?.tools.map(({ function: { name } }) => name)).not.toContain("agent");
});

test("a rule of the project means nothing in a directory of it", async () => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD", { directory: "sub" }), { text: "Done." }],
      CHILD: [
        { calls: [{ name: "file_write", arguments: { file_path: "notes/a", content: "x" } }] },
        { calls: [{ name: "file_write", arguments: { file_path: "../notes/a", content: "x" } }] },
        { text: "Done." },
      ],
    },
    { "project/sub/notes/": "", "project/notes/": "" },
  );
  await world.run("PARENT", ["--allow", "agent", "--allow", "file_write(notes/*)"]);
  expect(existsSync(join(world.cwd, "sub/notes/a"))).toBe(false);
});

test.each(["..", "/", "link"])("an agent does not work in %s", async (directory) => {
  const world = await agentsWorld(
    { PARENT: [agentStep("CHILD", { directory }), { text: "Done." }] },
    { "project/link": { link: "/usr" } },
  );
  const { report } = await world.run("PARENT", ["--allow", "agent"]);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({ error_code: "INVALID_ARG" });
  expect(world.requestsOf("CHILD")).toEqual([]);
});
