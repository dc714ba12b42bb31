// @module-tag sampled
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { some } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";

const background = (command: string) => ({ calls: [{ name: "bash", arguments: { command, background: true } }] });

test.each(
  some(2, [
    { columns: 120, rows: 40 },
    { columns: 40, rows: 15 },
  ]),
)("the footer counts background jobs at $columns columns, and a message says when one ends", async (size) => {
  const { terminal } = await openFull(
    [background("sleep 60"), background("sleep 3"), { text: "Both run." }, { text: "One ended." }],
    {
      ...size,
      args: ["--allow", "bash"],
    },
  );
  terminal.type("go\r");
  const screen = await terminal.waitFor("Both run.");
  expect(screen).toMatch(/runs as job 2 · \/jobs shows it/);
  await terminal.waitFor(/ 2 jobs/);
  // The model learns that a job has ended, and the row that says so to the user is its message.
  await terminal.waitFor("[ikigai] job 2 (sleep 3) ended: exit 0");
  await terminal.waitFor("One ended.");
  await terminal.waitFor(/ 1 job(?!s)/);
  // Once, and nothing more is written while the other one runs.
  await new Promise((settle) => setTimeout(settle, 1_500));
  const bytes = terminal.raw().length;
  await new Promise((settle) => setTimeout(settle, 2_500));
  expect(terminal.raw().length).toBe(bytes);
  expect(terminal.screen()).not.toContain("job ended");
  terminal.type(keys.ctrlD);
  await terminal.waitFor("Still running in the background:");
  terminal.type("e");
  await terminal.exitCode;
});

test("a new session does not lose sight of the jobs of the one before", async () => {
  const { terminal } = await openFull();
  terminal.type("!sleep 60 &\r");
  await terminal.waitFor(/ 1 job(?!s)/);
  terminal.type("/new\r");
  await terminal.waitFor(
    "New session. Use /resume to return to the previous one. What runs in the background keeps running: /jobs.",
  );
  await terminal.waitFor(/ 1 job(?!s)/);
  terminal.type("/jobs\r");
  await terminal.waitFor(/sleep 60 +pid \d+, started .*, earlier session/);
  terminal.type(keys.escape);
  await terminal.waitFor(/^›$/m);
  terminal.type(keys.ctrlD);
  await terminal.waitFor(
    /Still running in the background:\n +sleep 60 \(pid \d+; listed in its session: ikigai --resume \w+/,
  );
  terminal.type("e");
  await terminal.waitFor("Ended: sleep 60");
  await terminal.exitCode;
});

test("a copy of a session counts a job once", async () => {
  const { terminal } = await openFull([{ text: "Hello." }]);
  terminal.type("!sleep 60 &\r");
  await terminal.waitFor(/ 1 job(?!s)/);
  terminal.type("hi\r");
  await terminal.waitFor("Hello.");
  terminal.type("/fork\r");
  await terminal.waitFor("(the end of the session)");
  await new Promise((settle) => setTimeout(settle, 600));
  terminal.type(keys.enter);
  await terminal.waitFor("Forked into a new session.");
  // As it is shown for a call that has just started.
  await terminal.waitFor(/runs as job 1 · \/jobs shows it[\s\S]*runs as job 1 · \/jobs shows it/);
  terminal.type("/jobs\r");
  await terminal.waitFor(/sleep 60 +pid \d+/);
  expect(terminal.screen().match(/sleep 60 +pid/g)).toHaveLength(1);
  expect(terminal.screen()).toMatch(/ 1 job(?!s)/);
  terminal.type(keys.escape);
  await terminal.waitFor(/^›$/m);
  terminal.type(keys.ctrlD);
  await terminal.waitFor("Still running in the background:");
  terminal.type("e");
  await terminal.exitCode;
});

test("/jobs lists a command after !!, which is not in the conversation", async () => {
  const { terminal } = await openFull();
  terminal.type("!!sleep 60 &\r");
  await terminal.waitFor(/runs as job 1 · \/jobs shows it/);
  await terminal.waitFor(/ 1 job(?!s)/);
  terminal.type("/jobs\r");
  await terminal.waitFor(/1 {2}sleep 60 +pid \d+/);
});

test("/model says why a provider lists no models", async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { terminal } = await openFull([], { env: { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}` } });
  terminal.type("/model\r");
  await terminal.waitFor(/has no list of models at this URL \(404\)/);
  await terminal.waitFor(/› openai-compatible\/m/);
});

test("/tool says what each tool does", async () => {
  const { terminal } = await openFull([], { columns: 80, rows: 60 });
  terminal.type("/tool\r");
  await terminal.waitFor(/ {2}grep \(.*grep-tool\)\n {4}\S+ \S+ \S+/);
});
