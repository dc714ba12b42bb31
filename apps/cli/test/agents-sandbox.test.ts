// Promise 2 of SECURITY.md.
// @module-tag tables
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentStep, agentsWorld, bashStep } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { some } from "./ikigai.ts";

/** A tool outside of the sandbox that starts an agent with other options. */
function careless(name: string, options: string): string {
  return `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"x","parameters":{"type":"object","properties":{}},"ikigai":{"agent":true}}'; exit; fi
cat > /dev/null
echo CHILD | "$IKIGAI_BIN" -p --model openai-compatible/m --allow bash ${options} > /dev/null 2>&1
echo '{"output":"Done."}'
`;
}

const scripts = {
  PARENT: [agentStep("CHILD"), { text: "Done." }],
  CARELESS: [{ calls: [{ name: "careless", arguments: {} }] }, { text: "Done." }],
  GREEDY: [{ calls: [{ name: "greedy", arguments: {} }] }, { text: "Done." }],
  CHILD: [
    bashStep("echo in:$IKIGAI_SANDBOX; touch ~/made; tail -n +3 /proc/net/dev | grep -vc lo:"),
    { text: "Done." },
  ],
};

describe.skipIf(!hasBubblewrap)("with a sandbox (needs bwrap)", () => {
  test.each(
    some(2, [
      ["PARENT", ["--sandbox"], false],
      ["PARENT", [], true],
      ["CARELESS", ["--sandbox"], false],
      ["GREEDY", ["--sandbox"], false],
    ] as const),
  )(
    "the agent of %s with the options %j changes something outside of the project: %s",
    async (task, options, isMade) => {
      const world = await agentsWorld(scripts, {
        "home/.ikigai/tools/careless-tool": careless("careless", ""),
        "home/.ikigai/tools/greedy-tool": careless("greedy", "--sandbox-network"),
        "home/.ikigai/config.json": '{ "tools": { "careless": { "sandbox": false }, "greedy": { "sandbox": false } } }',
      });
      const allowed = ["--allow", "agent", "--allow", "careless", "--allow", "greedy", "--allow", "bash"];
      const { report } = await world.run(task, [...allowed, ...options]);
      expect(report.result).toBe("Done.");
      const seen = JSON.stringify(world.requestsOf("CHILD")[1]?.messages.at(-1));
      expect(seen.includes("in:bubblewrap")).toBe(!isMade);
      expect(existsSync(join(world.root, "home/made"))).toBe(isMade);
      // No network device but the loopback.
      if (!isMade) expect(seen).toContain("\\n0");
    },
  );
});
