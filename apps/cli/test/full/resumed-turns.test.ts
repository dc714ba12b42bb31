// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { Step } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });
const bash = (command: string) => call("bash", { command });
const allowed = ["--permission-mode", "allow"];

/** Plays a turn, quits, and returns what was shown from the message on, live and resumed. */
async function twice(steps: readonly Step[], play: (terminal: Awaited<ReturnType<typeof open>>) => Promise<void>) {
  const [cwd, home] = [await tempDir({ "a.txt": "one\ntwo\n" }), await tempDir({})];
  const { terminal, model } = await openFull(steps, { cwd, env: { HOME: home }, args: allowed });
  terminal.type("go\r");
  await play(terminal);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  writeFileSync(join(cwd, "a.txt"), "changed since\n");
  const again = await open(cwd, { HOME: home, ...model.env });
  await again.waitFor(/› go[\s\S]*\n─/);
  const shown = (screen: string) => /› go\n[\s\S]*?(?=\n+(?:To resume|─))/.exec(screen)?.[0];
  return { live: shown(terminal.screen()), resumed: shown(again.screen()), again };
}

const open = (cwd: string, env: Readonly<Record<string, string>>) => {
  return openFullScreen(["--model", "openai-compatible/m", "--continue"], { cwd, env });
};

/** The time is that of the log, which a turn's own clock may miss by a little. */
const withoutWorked = (text = "") => text.replace(/worked \d+\.?\d* m?s/, "worked");

test("a resumed session shows the end of each turn, with its changes, as it was", async () => {
  const steps = [
    bash("sleep 1.2"),
    call("file_edit", { file_path: "a.txt", old_string: "one", new_string: "1\nI" }),
    call("file_write", { file_path: "b.txt", content: "new\nfile\n" }),
    call("file_read", { file_path: "a.txt" }),
    call("file_write", { file_path: "a.txt", content: "1\nI\n2\n" }),
    { text: "Done." },
  ];
  const { live, resumed } = await twice(steps, async (terminal) => {
    await terminal.waitFor(/worked \d.* · 5 calls · 2 files \+5 −2 · \d\d:\d\d\n/);
  });
  expect(resumed).toMatch(/worked \d+\.\d s · 5 calls · 2 files \+5 −2 · \d\d:\d\d$/);
  expect(withoutWorked(resumed)).toBe(withoutWorked(live));
});

test("a resumed session says which turns were interrupted, and whether they may have changed something", async () => {
  const { resumed } = await twice([bash("echo out; sleep 60")], async (terminal) => {
    await terminal.waitFor(/^ {2}out/m);
    terminal.type(keys.escape);
    await terminal.waitFor("Interrupted. Changes made so far are kept.");
  });
  expect(resumed).toContain("\nInterrupted. Changes made so far are kept.");
  const early = await twice([{ text: "I begin", hangs: true }], async (terminal) => {
    await terminal.waitFor("I begin");
    terminal.type(keys.escape);
    await terminal.waitFor("Interrupted.");
  });
  expect(early.resumed).toMatch(/◆ I begin\n\nInterrupted\.$/);
});

test("a resumed session says why a turn failed, and --resume and /resume show the same", async () => {
  const { resumed, again } = await twice([{ text: "I stop here", finish: "length" }], async (terminal) => {
    await terminal.waitFor("reached the model's output limit");
  });
  expect(resumed).toMatch(/I stop here\n\nThe response is incomplete: it reached the model's output limit/);
  again.type("/new\r");
  await again.waitFor("New session.");
  again.type("/resume\r");
  await again.waitFor("esc cancels");
  again.type("\r");
  await again.waitFor(/New session\.[\s\S]*› go\n\n◆ I stop here\n\nThe response is incomplete/);
});
