// Promise 10 of SECURITY.md.
// @module-tag tables
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { ikigai, some } from "./ikigai.ts";
import type { SentRequest } from "./model-server.ts";

/** A tool that says which file it is, whatever it is asked. */
function named(name: string, where: string) {
  const schema = { name, description: where, parameters: { type: "object", properties: {} } };
  const answer = JSON.stringify({ output: where });
  const content = `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${JSON.stringify(schema)}'; else cat >/dev/null; echo '${answer}'; fi\n`;
  return { content, mode: 0o755 };
}

const scripts = (where: object) => ({
  PARENT: [bashStep("true"), agentStep("CHILD", where), { text: "Done." }],
  CHILD: [bashStep("true"), { calls: [{ name: "check", arguments: {} }] }, { text: "Tried." }],
});

const answersIn = (requests: readonly SentRequest[]) =>
  (requests.at(-1)?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));

test.each(
  some(2, [
    [{}, '"output":"of the project"'],
    [{ directory: "sub" }, "Tool 'bash' not found"],
    [{ directory: "vendor" }, "Tool 'bash' not found"],
  ]),
)("an agent with %j has no other file for a tool of the project", async (where, expected) => {
  const world = await agentsWorld(scripts(where), {
    "project/.ikigai/tools/bash-tool": named("bash", "of the project"),
    "project/sub/x": "",
    // A project of its own, which the user trusts.
    "project/vendor/.ikigai/tools/bash-tool": named("bash", "of the vendor"),
    "project/vendor/.ikigai/tools/check-tool": named("check", "of the vendor"),
  });
  for (const cwd of [world.cwd, join(world.cwd, "vendor")])
    expect((await ikigai(["trust", "--yes"], { cwd, env: world.env })).exitCode).toBe(0);
  const { report } = await world.run("PARENT", ["--permission-mode", "allow"]);
  expect(report.tool_calls[0]?.envelope.result).toEqual({ output: "of the project" });
  const [bash, check] = answersIn(world.requestsOf("CHILD"));
  expect(bash).toContain(expected);
  expect(check).toContain("Tool 'check' not found");
});

test.each([{ directory: "sub" }, {}])(
  "an agent with %j has no other file for the user's tool of one directory",
  async (where) => {
    const world = await agentsWorld(scripts(where), { "project/sub/x": "" });
    const id = createHash("sha256").update(realpathSync(world.cwd)).digest("hex").slice(0, 16);
    const { content, mode } = named("bash", "in the container");
    const directory = join(world.home, "projects", id, "tools");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, "bash-tool"), content, { mode });
    const { report } = await world.run("PARENT", ["--permission-mode", "allow"]);
    expect(report.tool_calls[0]?.envelope.result).toEqual({ output: "in the container" });
    const isHere = !("directory" in where);
    expect(answersIn(world.requestsOf("CHILD"))[0]).toContain(isHere ? "in the container" : "Tool 'bash' not found");
  },
);

test("an agent of an agent gets back none of them", async () => {
  const world = await agentsWorld(
    {
      PARENT: [agentStep("CHILD", { directory: "sub" }), { text: "Done." }],
      CHILD: [agentStep("GRAND"), { text: "Done." }],
      GRAND: [bashStep("true"), { text: "Tried." }],
    },
    {
      "home/.ikigai/config.json": JSON.stringify({ agents: { maxDepth: 2 } }),
      "project/.ikigai/tools/bash-tool": named("bash", "of the project"),
      "project/sub/x": "",
    },
  );
  expect((await ikigai(["trust", "--yes"], { cwd: world.cwd, env: world.env })).exitCode).toBe(0);
  await world.run("PARENT", ["--permission-mode", "allow"]);
  expect(answersIn(world.requestsOf("GRAND"))[0]).toContain("Tool 'bash' not found");
});
