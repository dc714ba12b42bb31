import type { RegisteredTool } from "@ikigai/core";
import { noUsage } from "@ikigai/models";
import { recordedModel } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { readingProblem } from "../../permission/src/shell/reading.ts";
import { readShell } from "../../permission/src/shell/shell.ts";
import { hookInput } from "../src/hooks/run-hooks.ts";

// Words from outside that a table of ikigai's must not find in Object.prototype.
const names = Object.getOwnPropertyNames(Object.prototype);
const projectDir = await tempDir();

test.each(names)("a program named %s is not known to only read", (name) => {
  expect(readingProblem(`${name} a`, { projectDir, home: projectDir })).toEqual(expect.any(String));
  expect(readShell(name)).toHaveLength(1);
});

test.each(names)("a hook learns the name of a tool that is named %s", (name) => {
  const conversation = { id: "1", log: {} };
  const tool = { name, scope: "user", path: "/t/x-tool", schema: {} } as unknown as RegisteredTool;
  const scene = { conversation, permission: { mode: "ask", projectDir, rules: [], home: projectDir } };
  const input = hookInput("before-call", scene as never, {}, { tool, args: {}, id: "1" } as never);
  expect(JSON.parse(input ?? "")).toMatchObject({ tool_name: name });
});

test.each(names)("a recorded response that ended with %s ended for an unknown reason", async (finish) => {
  const step = { parts: [], finish, usage: noUsage };
  const model = recordedModel({ id: "1", steps: [step] } as never);
  const events = [];
  for await (const event of model.stream({} as never)) events.push(event);
  expect(events).toEqual([{ type: "finish", reason: "other", usage: noUsage }]);
});
