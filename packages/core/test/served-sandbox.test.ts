// Promise 2 of SECURITY.md.
import { describe, expect, test } from "vitest";
import type { SandboxSettings } from "../src/index.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { type ServingStage, servingStage } from "./serving-tool.ts";

/** A pool, and calls in the sandbox of a project. */
async function stage(): Promise<ServingStage & { readonly sandbox: SandboxSettings; readonly projectDir: string }> {
  const { sandbox, projectDir } = await sandboxStage();
  const serving = await servingStage({ PID_FILE: "" });
  const inside = { sandbox, projectDir, cwd: projectDir };
  return {
    ...serving,
    ...{ sandbox, projectDir },
    call: (args, different) => serving.call(args, { ...inside, ...different }),
    answer: (args, different) => serving.answer(args, { ...inside, ...different }),
  };
}

describe.skipIf(!hasBubblewrap)("a tool that is served in its sandbox (needs bwrap)", () => {
  test("answers calls of its place, and of no other", async () => {
    const { answer, sandbox } = await stage();
    const reading = { sandbox: { ...sandbox, isReadOnly: true } };
    const outside = { sandbox: undefined };
    const calls = [{}, reading, outside, {}, reading, outside];
    const counts = [];
    for (const place of calls) counts.push((await answer({ mode: "environment" }, place)).calls);
    expect(counts).toEqual([1, 1, 1, 2, 2, 2]);
    expect((await answer({}, { sandbox: { ...sandbox, hidden: [sandbox.userHome] } })).calls).toBe(1);
  });

  test("ends with a call that has left something running, whatever its environment", async () => {
    const { call, answer } = await stage();
    for (const mode of ["group", "session", "no-environment", "double-fork", "background"]) {
      const { envelope, notes } = await call({ mode });
      expect({ mode, envelope, notes }).toMatchObject({
        envelope: { tool_success: true },
        notes: ["It left processes running; they were killed."],
      });
      expect(await answer()).toMatchObject({ calls: 1 });
    }
    expect(await answer({ mode: "passing" })).toMatchObject({ calls: 2 });
    expect(await answer()).toMatchObject({ calls: 3 });
  });
});
