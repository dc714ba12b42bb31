import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);
const session = "20200101-000000-00000000";
const grant = { session, slot: 1, mode: "ask", rules: [], model: "x/m", tokens: 50_000, agents: [] };

/** What an agent prints, line by line. */
const events = [
  { type: "session", session_id: "child" },
  { type: "user", text: "x" },
  { type: "text", text: "Found it: " },
  { type: "text", text: "42" },
  { type: "step_end", finish: "stop", usage: { input_tokens: 100, output_tokens: 10 } },
  { type: "result", reason: "done", result: "Found it: 42" },
];

const killed = { error: "The agent was killed (SIGKILL)", error_code: "AGENT_FAILED" };
const known = { ...killed, session_id: "child", calls: 0 };

test.each([
  [0, killed],
  [1, { ...known, turns: 0 }],
  [3, { ...known, output: "Found it: ", turns: 0 }],
  [5, { ...known, output: "Found it: 42", turns: 1, usage: { input_tokens: 100, output_tokens: 10 } }],
  // Whatever happens afterwards, it has finished.
  [6, { output: "Found it: 42", session_id: "child", turns: 1 }],
])("an agent that is killed after %i of its lines is answered with what it had said", async (count, answer) => {
  const lines = events.slice(0, count).map((event) => `${JSON.stringify(event)}\n`);
  const dir = await tempDir({
    said: lines.join(""),
    // Half a line more, which says nothing.
    agent: { content: `#!/bin/sh\ncat > /dev/null; cat said; printf '{"type":"text","te'; kill -9 $$\n`, mode: 0o755 },
  });
  const env = { IKIGAI_HOME: `${dir}/home`, IKIGAI_BIN: `${dir}/agent`, IKIGAI_AGENT_GRANT: JSON.stringify(grant) };
  const { result } = await call(bin, { task: "x" }, { cwd: dir, env });
  expect(result).toMatchObject(answer);
  expect("error_code" in (result as object)).toBe(count < events.length);
});
