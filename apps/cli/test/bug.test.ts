import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, until } from "./ikigai.ts";
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

test("says that it was updated or removed while it ran, which is no bug", async () => {
  const place = await tempDir();
  cpSync(join(dirname(bin), ".."), place, {
    recursive: true,
    filter: (path) => !/[/\\](?:node_modules|test|src|code-cache)$/.test(path),
  });
  const dist = join(place, "dist");
  const terminal = await openTerminal([], {
    command: [process.execPath, join(dist, "ikigai.js"), "--plain", "--model", "offline"],
  });
  await terminal.waitForPrompt();
  for (const name of readdirSync(dist)) if (name.endsWith(".js")) rmSync(join(dist, name));
  terminal.type("run echo one\r");
  expect(await terminal.exitCode).toBe(1);
  await terminal.waitFor(
    /A part of ikigai is missing: it was updated or removed while it ran\. Sessions are saved; to\s+continue/,
  );
  expect(terminal.screen()).not.toContain("bug");
});
