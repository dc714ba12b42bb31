import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { agentPrograms, isInstalled, runAgent } from "./agent-programs.ts";
import { type ModelCall, type ModelTool, startCallingModel } from "./any-format-model.ts";
import { boundMs } from "./bounded-program.ts";
import { ikigai } from "./ikigai.ts";

// With the agents from npm: CONTRIBUTING.md says how to run it.
const isThorough = inject("isThorough");
const timeout = 3 * boundMs;
const args = { file_path: "notes.txt" };
const isRead = ({ name }: ModelTool) => name.endsWith("file_read");

/** Reads the file with ikigai's tool; where the agent does not wait for its servers, with a tool that does. */
function choose(tools: readonly ModelTool[]): ModelCall {
  const namespace = tools.find(({ members }) => members?.some(isRead));
  if (namespace) return { namespace: namespace.name, name: "file_read", args };
  const read = tools.find(isRead);
  if (read) return { name: read.name, args };
  const waits = ["WaitForMcpServers", "list_mcp_resources"].find((name) => tools.some((tool) => tool.name === name));
  return { name: waits ?? "none", args: {} };
}

for (const program of agentPrograms) {
  const { isHere, note } = isInstalled(program.name);
  if (!program.setUp) continue;
  test.skipIf(!isThorough || !isHere)(`${program.name} calls a tool with its setup${note}`, { timeout }, async () => {
    const server = await startCallingModel({ calls: 4, shell: choose });
    const printed = await runAgent(program, server.url, {
      files: { "notes.txt": "alpha beta\n" },
      args: program.args("ikigai", "file_read"),
      async offer(place) {
        const { stdout } = await ikigai(["mcp", "serve", "--setup", program.name], {
          cwd: place.project,
          env: place.env,
        });
        await program.setUp?.(place, stdout);
      },
    });
    expect(JSON.stringify(server.bodies.at(-1)), printed).toMatch(/alpha beta\\+n/);
    expect(printed).toContain("Done.");
  });
}

const greeting =
  '#!/bin/sh\n# @describe Greet a person\n# @option --name! Whom to greet\necho "Hello $argc_name, from $PWD"\n';

/** Calls the exported tool, under whatever name the agent gives it. */
function greet(tools: readonly ModelTool[]): ModelCall {
  const isGreeting = ({ name }: ModelTool) => /(^|_)hello$/.test(name);
  const namespace = tools.find(({ members }) => members?.some(isGreeting));
  const member = namespace?.members?.find(isGreeting);
  const call = { args: { name: "Ada" } };
  if (namespace && member) return { ...call, namespace: namespace.name, name: member.name };
  const tool = tools.find(isGreeting);
  if (tool) return { ...call, name: tool.name };
  const waits = ["WaitForMcpServers", "list_mcp_resources"].find((name) => tools.some((one) => one.name === name));
  return { name: waits ?? "none", args: {} };
}

for (const program of agentPrograms) {
  const { isHere, note } = isInstalled(program.name);
  test.skipIf(!isThorough || !isHere)(`${program.name} calls an exported tool${note}`, { timeout }, async () => {
    const server = await startCallingModel({ calls: 4, shell: greet });
    let project = "";
    const printed = await runAgent(program, server.url, {
      args: program.args("hello", "hello"),
      async offer(place) {
        ({ project } = place);
        const file = join(place.home, ".ikigai/tools/hello-tool");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, greeting, { mode: 0o755 });
        await ikigai(["tool", "export", "hello", "--to", program.target, "--yes"], { cwd: project, env: place.env });
      },
    });
    // Byte for byte the same for each; some put words of their own around it.
    const result = JSON.stringify({ output: `Hello Ada, from ${project}` });
    expect(
      textsIn(server.bodies.at(-1)).filter((text) => text.includes(result)),
      printed,
    ).not.toEqual([]);
    expect(printed).toContain("Done.");
  });
}

/** All texts in a request. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
