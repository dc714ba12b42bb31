// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

test("opens with the version, the model, the directory and a prompt", async () => {
  const cwd = await tempDir();
  const terminal = await openTerminal([], { cwd });
  await terminal.waitForPrompt();
  // A long path is on a line of its own.
  const screen = terminal.screen().replace(/^ikigai[\s\S]*?\/help$/m, (header) => header.replaceAll("\n", "   "));
  expect(screen).toBe(`ikigai 0.1.0   offline/plain-requests   ${cwd}   /help
Offline: only simple commands work, for example: run npm test (help lists them). To use a model: run
ikigai setup in a shell, set ANTHROPIC_API_KEY (or OPENAI_API_KEY, GEMINI_API_KEY), set
OPENAI_COMPATIBLE_BASE_URL, or start Ollama with a model (ollama pull qwen3).

›`);
  terminal.type("help\r");
  await terminal.waitFor("export ANTHROPIC_API_KEY=…");
  terminal.type("\u0004");
  expect(await terminal.exitCode).toBe(0);
});

test("sends a message that begins with #, and says where to keep it", async () => {
  const terminal = await openTerminal(["--model", "offline"], { cwd: await tempDir() });
  await terminal.waitForPrompt();
  terminal.type("# use tabs\r");
  await terminal.waitFor(
    /To keep it for later sessions,\s+add it to AGENTS\.md\.[\s\S]*I do not understand "# use tabs"/,
  );
});

test("says which conversation is resumed", async () => {
  const [cwd, home] = [await tempDir(), await tempDir()];
  const { env } = await startModel([{ text: "One." }, { text: "Two." }]);
  const open = (...args: string[]) =>
    openTerminal(["--model", "openai-compatible/m", ...args], { cwd, env: { ...env, HOME: home } });
  const first = await open();
  await first.waitForPrompt();
  first.type("paint the shed\r");
  await first.waitFor("One.");
  first.type("and the fence\r");
  await first.waitFor("Two.");
  first.type("\u0004");
  expect(await first.exitCode).toBe(0);
  expect(first.screen()).not.toContain("Resumed:");
  await (await open("-c")).waitFor("Resumed: paint the shed (2 messages)");
});

test("shows answers, calls with their scope, and the ends of a long output", async () => {
  const { env } = await startModel([
    { text: "I look first.", calls: [{ name: "bash", arguments: { command: "seq 1 30; exit 3" } }] },
    { text: "Thirty lines." },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "bash"], { env });
  await terminal.waitForPrompt();
  terminal.type("look\r");
  await terminal.waitFor("Thirty lines.");
  await terminal.waitForPrompt();
  expect(terminal.steadyScreen().replace(/^[\s\S]*?\/help\n\n/, "")).toBe(`› look

I look first.

● bash  seq 1 30; exit 3
  1
  … 15 lines
  17
  18
  19
  20
  21
  22
  23
  24
  25
  26
  27
  28
  29
  30
  exit 3 · N ms

Thirty lines.

›`);
});

test("shows the progress that a tool reports", async () => {
  const home = await tempDir({
    ".ikigai/tools/slow-tool": `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"slow","description":"Be slow","parameters":{"type":"object","properties":{}}}'; exit; fi
cat > /dev/null
echo '{"progress":1,"total":4,"message":"\\u001b[2Junpacking"}' >&3
sleep 0.1
echo '{"done":true}'
`,
  });
  const { env } = await startModel([{ calls: [{ name: "slow", arguments: {} }] }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "slow"], {
    env: { ...env, HOME: home },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(terminal.steadyScreen()).toContain(`● slow (user)
  … ␛[2Junpacking 25 %
  {"done":true}
  N ms
`);
});

test("joins a character that arrives in halves", async () => {
  const { env } = await startModel([{ text: "a😀b", pieceLength: 2 }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("a😀b");
});

test("labels twenty parallel calls", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `echo call-${index}`);
  const { env } = await startModel([
    { calls: names.map((command) => ({ name: "bash", arguments: { command } })) },
    { text: "All done." },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "bash"], { env, rows: 150 });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("All done.");
  const screen = terminal.steadyScreen();
  for (const command of names) {
    const output = command.replace("echo ", "");
    expect(screen).toContain(`● bash  ${command}\n  ${output}\n  exit 0 · N ms\n`);
  }
});

test("reports a failed request, and the next message works", async () => {
  const home = await tempDir({ ".ikigai/config.json": '{"patience":{"maxRetries":0}}' });
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    env: { HOME: home, OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1" },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("127.0.0.1:9");
  await terminal.waitForPrompt();
  terminal.type("/model offline\r");
  await terminal.waitForPrompt();
  terminal.type("help\r");
  await terminal.waitFor("I am the built-in interpreter");
});

test("says that an editor gets no terminal, and how to stop it", async () => {
  const terminal = await openTerminal(["--model", "offline"], { cwd: await tempDir() });
  await terminal.waitForPrompt();
  terminal.type("!watch --version\r");
  await terminal.waitForPrompt();
  terminal.type("!ssh -V; sleep 60\r");
  await terminal.waitFor("If this program needs the terminal: it gets it only on the full screen");
  expect(terminal.screen().match(/needs the terminal/g)).toHaveLength(1);
  terminal.type("\u0003");
  await terminal.waitForPrompt();
  terminal.type("\u0004");
  expect(await terminal.exitCode).toBe(0);
});
