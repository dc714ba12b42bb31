import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { output } from "../src/schema.ts";
import { answer, bin } from "./run.ts";

/** Fast and slow, long and empty, successful and not, with processes left running. */
const calls = ["echo a", "seq 5000", "exit 3", "sleep 60 &", "sleep 1"].map((command) => ({ command }));

describeTool(bin, { test, calls });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/bash-tool`);
  expect(await call(`${dir}/bash-tool`, { command: "echo a" })).toEqual(answer("a"));
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "bash",
    description: expect.stringMatching(/^Run a shell command \(bash; sh where bash is missing\)/),
    parameters: { required: ["command"], properties: { command: { type: "string" } } },
    outputSchema: output,
    annotations: { destructiveHint: true },
    ikigai: { timeoutArgument: "timeout_ms", prestart: true, access: { kind: "run-command", command: "command" } },
  });
});
