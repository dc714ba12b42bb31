// @module-tag sampled
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const ctrlK = "\u000b";
const ctrlS = "\u0013";

test.each([
  { columns: 120, rows: 40, across: 3, env: {} },
  { columns: 80, rows: 24, across: 3, env: { NO_COLOR: "1" } },
  { columns: 40, rows: 15, across: 1, env: {} },
])(
  "? on an empty line shows the keys in $across columns at $columns x $rows, until the next key",
  async ({ across, ...size }) => {
    const { terminal } = await openFull([], size);
    terminal.type("?");
    await terminal.waitFor("run a command");
    const screen = terminal.screen();
    const row = screen.split("\n").find((line) => line.includes("run a command")) ?? "";
    expect(row.trim().split(/(?<=\S) {2,}/)).toHaveLength(2 * across);
    if (across === 1) expect(screen).toMatch(/… \d+ more: \/help/);
    else expect(screen).toContain("ctrl-o");
    // The key that closes it is typed.
    terminal.type("x");
    await terminal.waitFor(/› x\n─/);
    expect(terminal.screen()).not.toContain("run a command");
    terminal.type("?");
    await terminal.waitFor("› x?");
    expect(terminal.screen()).not.toContain("run a command");
  },
);

test("? and Esc close the keys", async () => {
  const { terminal } = await openFull();
  for (const close of ["?", keys.escape]) {
    terminal.type("?");
    await terminal.waitFor("run a command");
    terminal.type(close);
    await terminal.waitFor(/›\n─+\n.*openai-compatible\/m$/);
    expect(terminal.screen()).not.toContain("run a command");
  }
});

test("Ctrl-K on an empty line finds a command; on any other it deletes", async () => {
  const { terminal } = await openFull([], { columns: 80, rows: 24 });
  terminal.type(ctrlK);
  await terminal.waitFor(/Command\n/);
  terminal.type("thinki");
  await terminal.waitFor(/Command {2}thinki\n› \/thinking \[LEVEL\]/);
  terminal.type("\r");
  await terminal.waitFor(/Thinking\n/);
  terminal.type(`${keys.escape}`);
  await terminal.waitFor(/›\n─/);
  terminal.type("some words\u0001\u001bf");
  terminal.type(ctrlK);
  await terminal.waitFor(/› some\n─/);
});

test("a command that needs an argument goes from the list into the editor", async () => {
  const home = await tempDir({ ".ikigai/commands/ship.md": "---\nargument-hint: WHAT\n---\nShip $1." });
  const { terminal } = await openFull([], { env: { HOME: home } });
  terminal.type(ctrlK);
  await terminal.waitFor(/Command\n/);
  terminal.type("ship");
  await terminal.waitFor("› /ship WHAT");
  terminal.type("\r");
  await terminal.waitFor(/› \/ship\n─/);
});

test("keys.json binds keys, also while ikigai runs, and its mistakes are shown with their place", async () => {
  const home = await tempDir({ ".ikigai/keys.json": '{\n  // mine\n  "thinking": ["ctrl-s"]\n}\n' });
  const path = join(home, ".ikigai/keys.json");
  const { terminal } = await openFull([], { env: { HOME: home } });
  await expect
    .poll(() => {
      terminal.type("?");
      return terminal.screen();
    })
    .toMatch(/ctrl-s +thinking/);
  terminal.type(ctrlS);
  await terminal.waitFor("Thinking: ");
  writeFileSync(path, '{ "mode": ["ctrl-s"],\n  "thinking": ["enter"],\n  "modes": ["f5"] }\n');
  await terminal.waitFor(/keys\.json:2:16: Expected\s+"thinking\[0\]" to be a key like/);
  await terminal.waitFor(/keys\.json:3:3: Unknown\s+action\s+"modes"\. Did you mean "mode"\?/);
  terminal.type(ctrlS);
  await terminal.waitFor(/\n(?:auto|allow edits) · /);
  terminal.type("?");
  await terminal.waitFor(/ctrl-s +mode/);
  rmSync(path);
  await expect
    .poll(() => {
      terminal.type("?");
      return terminal.screen();
    })
    .toMatch(/shift-tab +mode/);
});

test("keys.json that is no file does not stop ikigai", async () => {
  const home = await tempDir({ ".ikigai/": "" });
  mkdirSync(join(home, ".ikigai/keys.json"));
  const { terminal } = await openFull([], { env: { HOME: home } });
  await terminal.waitFor(/keys\.json:\s+This\s+file\s+is\s+a\s+directory,\s+not a file\./);
  terminal.type("here");
  await terminal.waitFor("› here");
});

test("an editor's key can be changed", async () => {
  const home = await tempDir({ ".ikigai/keys.json": '{ "delete-to-end": ["ctrl-s"] }' });
  const { terminal } = await openFull([], { env: { HOME: home } });
  await new Promise((settle) => setTimeout(settle, 500));
  terminal.type("one two\u001bb");
  await terminal.waitFor("› one two");
  terminal.type(ctrlS);
  await terminal.waitFor(/› one\n─/);
});
