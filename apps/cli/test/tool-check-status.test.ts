// @module-tag sampled
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const schema = {
  name: "slow",
  description: "Starts slowly",
  parameters: { type: "object", properties: {} },
  ikigai: { service: "slow", agent: true, timeoutMS: 1 },
};

/** A service that takes a while to start. */
const slow = `#!/bin/sh
if [ "$1" = --schema ]; then echo '${JSON.stringify(schema)}'; exit; fi
[ "$IKIGAI_SERVE" = 1 ] || exit 1
sleep 1.5
echo '{"ready":true}'
cat > /dev/null
`;

async function slowTool() {
  return join(await tempDir({ "slow-tool": slow }), "slow-tool");
}

test("shows on a terminal which check is running, and removes it at the end", async () => {
  const terminal = await openTerminal(["tool", "check", await slowTool(), "--only", "service-ready"]);
  await terminal.waitFor(/Checking service-ready \(\d of \d\)/);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).toContain("service-ready: says once that it is ready");
  expect(terminal.screen()).not.toContain("Checking");
});

test("shows no check that is running when stderr is not a terminal", async () => {
  const { stdout, stderr } = await ikigai(["tool", "check", await slowTool(), "--only", "service-ready"]);
  expect([stdout.includes("Checking"), stderr]).toEqual([false, ""]);
});

test("prints what is wrong with the keys of a schema in one line each", async () => {
  const { stdout } = await ikigai(["tool", "check", await slowTool(), "--only", "schema-keys"]);
  expect(stdout).toContain(`FAILED  should schema-keys: has no unknown keys and no invalid values in its schema
               "ikigai.timeoutMS" is unknown; perhaps you mean "timeoutMs".
               "ikigai.agent" never works with "ikigai.service": a host lets only a process with one call start agents.
               Hosts may ignore`);
});

test("doctor says how to test a tool that is not loaded", async () => {
  const HOME = await tempDir({ ".ikigai/tools/odd-tool": { content: "#!/bin/sh\nexit 3\n", mode: 0o755 } });
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(stdout).toMatch(/^~ odd ~\/\.ikigai\/tools\/odd-tool: .*\. To test it: ikigai tool check odd$/m);
});
