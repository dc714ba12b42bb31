// @module-tag sampled
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { drawingBug, openTerminal } from "./terminal.ts";

test("a bug while something is drawn restores the terminal, prints the error and exits with 70", async () => {
  const cwd = await tempDir({ "fault.cjs": drawingBug });
  const { env } = await startModel([
    {
      calls: [
        { name: "bash", arguments: { command: "echo $$ > pid; sleep 60", background: true } },
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
  const job = Number(readFileSync(join(cwd, "pid"), "utf8"));
  await until(() => !isRunning(terminal.pid) && !isRunning(job), "the end of ikigai and of the command");
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

test.each([
  ["of the environment", { DEPLOY_TOKEN: "t0ken-of-a-user" }, ["tool", "list"]],
  ["of a conversation", { IKIGAI_TEST: "sk-conf-123456789" }, ["--model", "openai-compatible/m", "-p", "hi"]],
])("the report of a bug has no key %s", async (_, env, args) => {
  const [name = "", key = ""] = Object.entries(env)[0] ?? [];
  const fault = `const timer = setInterval(() => {
  if (process.listenerCount("uncaughtException") === 0 || process.uptime() < 0.6) return;
  clearInterval(timer);
  throw new TypeError("drawn with " + process.env.${name} + ", " + Buffer.from(process.env.${name}).toString("hex"));
}, 5);
timer.unref();`;
  const settings = {
    providers: { "openai-compatible": { apiKey: "sk-conf-123456789", baseUrl: "http://127.0.0.1:9/v1" } },
  };
  const home = await tempDir({ "fault.cjs": fault, ".ikigai/config.json": JSON.stringify(settings) });
  const slow = { content: "#!/bin/sh\nsleep 1\n", mode: 0o755 };
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(settings), ".ikigai/tools/slow-tool": slow });
  const NODE_OPTIONS = `--require=${join(home, "fault.cjs")}`;
  const { exitCode, stderr } = await ikigai(args, { cwd: await tempDir(), env: { HOME, NODE_OPTIONS, ...env } });
  expect(exitCode).toBe(70);
  expect(stderr).toContain("TypeError: drawn with [key removed], [key removed]");
  expect(stderr).not.toContain(key);
});
