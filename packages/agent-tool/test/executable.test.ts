// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { output } from "../src/schema.ts";

const bin = ownExecutable(import.meta.url);

// Without a host there is no right to start agents.
describeTool(bin, { test, calls: [{ task: "Count the files." }, { action: "list" }] });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/agent-tool`);
  expect((await call(`${dir}/agent-tool`, { task: "x" })).result).toMatchObject({ error_code: "NO_AGENTS" });
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "agent",
    outputSchema: { properties: output.properties },
    ikigai: {
      agent: true,
      timeoutMs: 600_000,
      // Of every provider: any of them may serve the agent's model.
      needs: { env: expect.arrayContaining(["ANTHROPIC_API_KEY", "GROQ_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"]) },
    },
  });
});

test.each([
  [{ task: " " }, "INVALID_ARG"],
  [{}, "INVALID_ARG"],
  [{ action: "wait", session_id: "20200101-000000-00000000" }, "NOT_FOUND"],
  [{ action: "kill" }, "NOT_FOUND"],
  [{ action: "send", session_id: "x", message: "Hello." }, "NOT_FOUND"],
])("answers %j with %s", async (args, code) => {
  expect((await call(bin, args)).result).toMatchObject({ error_code: code });
});
