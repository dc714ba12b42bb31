import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { callOf, textsIn } from "../src/commands/tool/export/check-export.ts";
import { agentPrograms, isInstalled, runAgent } from "./agent-programs.ts";
import { startCallingModel } from "./any-format-model.ts";
import { boundMs } from "./bounded-program.ts";
import { ikigai } from "./ikigai.ts";

// With the agents from npm: CONTRIBUTING.md says how to run it.
const isThorough = inject("isThorough");
const timeout = 3 * boundMs;
const args = { file_path: "notes.txt" };
for (const program of agentPrograms) {
  const { isHere, note } = isInstalled(program.name);
  if (!program.setUp) continue;
  test.skipIf(!isThorough || !isHere)(`${program.name} calls a tool with its setup${note}`, { timeout }, async () => {
    const server = await startCallingModel({ calls: 4, shell: (tools) => callOf(tools, "file_read", args) });
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

for (const program of agentPrograms) {
  const { isHere, note } = isInstalled(program.name);
  test.skipIf(!isThorough || !isHere)(`${program.name} calls an exported tool${note}`, { timeout }, async () => {
    const server = await startCallingModel({ calls: 4, shell: (tools) => callOf(tools, "hello", { name: "Ada" }) });
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
