import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { drawingBug, openTerminal } from "./terminal.ts";

test("a bug while something is drawn restores the terminal, prints the error and exits with 70", async () => {
  const cwd = await tempDir({ "fault.cjs": drawingBug });
  const { env } = await startModel([
    {
      calls: [
        { name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } },
        { name: "file_write", arguments: { file_path: "a.txt", content: "x\n" } },
      ],
    },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "bash"], {
    cwd,
    env: { ...env, NODE_OPTIONS: `--require=${join(cwd, "fault.cjs")}` },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  expect(await terminal.exitCode).toBe(70);
  await terminal.waitFor("This is a bug in ikigai, please report it.\nTypeError: drawn wrongly");
  await until(() => !isRunning(terminal.pid), "the end");
});
