import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);
const session = "20200101-000000-00000000";
const grant = { session, slot: 1, mode: "ask", rules: [], model: "x/m", tokens: 50_000, agents: [] };

test("an agent that could not start does not keep the next one of its number from starting", async () => {
  const dir = await tempDir({
    [`home/sessions/${session}.agents/`]: "",
    agent: { content: "#!/bin/sh\necho 'ikigai: not today' >&2\nexit 2\n", mode: 0o755 },
  });
  const env = { IKIGAI_HOME: `${dir}/home`, IKIGAI_BIN: `${dir}/agent`, IKIGAI_AGENT_GRANT: JSON.stringify(grant) };
  for (const _ of [1, 2]) {
    const { result } = await call(bin, { task: "x", background: true }, { cwd: dir, env });
    expect(result).toMatchObject({ error: "The agent could not work: not today", error_code: "AGENT_FAILED" });
  }
});
