import { expect, inject, test } from "vitest";
import { agentPrograms, isInstalled, runAgent } from "./agent-programs.ts";
import { type ModelCall, type ModelTool, startCallingModel } from "./any-format-model.ts";
import { boundMs } from "./bounded-program.ts";

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
  test.skipIf(!isThorough || !isHere)(`${program.name} calls a tool with its setup${note}`, { timeout }, async () => {
    const server = await startCallingModel({ calls: 4, shell: choose });
    const printed = await runAgent(program, server.url, { "notes.txt": "alpha beta\n" });
    expect(JSON.stringify(server.bodies.at(-1)), printed).toMatch(/alpha beta\\+n/);
    expect(printed).toContain("Done.");
  });
}
