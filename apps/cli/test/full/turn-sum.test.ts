// @module-tag sampled
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asciiSigns } from "@ikigai/screen";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { nothingDone, sumParts } from "../../src/tui/app/turn-sum.ts";
import { startModel } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
const edit = (old_string: string, new_string: string) => ({
  calls: [{ name: "file_edit", arguments: { file_path: "a.txt", old_string, new_string } }],
});

test.each([
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 15 },
])("a turn that changed a file ends with what it did, and quitting with the sum ($columns x $rows)", async (size) => {
  const steps = [edit("one", "1\nI"), edit("nothing", "x"), edit("two", "2"), { text: "First." }, edit("2", "zwei")];
  const { terminal } = await openFull([...steps, { text: "Second." }], {
    ...{ cwd: await tempDir({ "a.txt": "one\ntwo\n" }), args: ["--permission-mode", "edits"], ...size },
  });
  terminal.type("go\r");
  await terminal.waitFor(/First\.\n\nworked\s\d+\.?\d*\sm?s\s·\s3\scalls\s·\s1\sfile\s\+3\s−2\s·\s\d\d:\d\d\n/);
  terminal.type("on\r");
  await terminal.waitFor(/Second\.\n\nworked\s.*\s·\s1\scall\s·\s1\sfile\s\+1\s−1\s·\s\d\d:\d\d\n/);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  expect(terminal.screen()).toMatch(
    /To resume: ikigai --resume\s\S+\s·\sworked\s[\s\S]*\s·\s4\scalls\s·\s1\sfile\s\+4\s−3$/,
  );
});

test("a short turn without a change has no such line, and a longer one does", async () => {
  const { terminal } = await openFull([bash("true"), { text: "First." }, bash("sleep 3.2"), { text: "Second." }], {
    args: ["--allow", "bash"],
  });
  terminal.type("go\r");
  await terminal.waitFor(/First\.[\s\S]*\n›\n─/);
  // A busy machine may need as long for the first one.
  const isShort = !/exit 0 · [3-9]\.\d s/.test(terminal.screen());
  if (isShort) expect(terminal.screen()).not.toContain("worked");
  terminal.type("on\r");
  await terminal.waitFor(/Second\.\n\nworked (?:[3-9]|\d\d)\.\d s · 1 call · \d\d:\d\d\n/);
});

test("the time in which a question is open is not work", async () => {
  const { terminal } = await openFull([bash("true"), { text: "First." }]);
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  await sleep(4_000);
  terminal.type("y");
  await terminal.waitFor(/First\.[\s\S]*\n›\n─/);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  const [, amount, unit] = /worked (\d+\.?\d*) (m?s)/.exec(terminal.screen()) ?? [];
  expect(Number(amount) * (unit === "s" ? 1_000 : 1)).toBeLessThan(4_000);
});

test("names the cost if the price is known, of the turn and of the session", async () => {
  const { env } = await startModel([{ text: "?" }, bash("sleep 3.2"), { text: "Not cheap." }]);
  const { OPENAI_COMPATIBLE_BASE_URL: url = "" } = env;
  const terminal = await openFullScreen(["--model", "openai/gpt-5", "--allow", "bash"], {
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-test-not-a-key" },
  });
  await terminal.waitFor(/openai\/gpt-5$/);
  terminal.type("go\r");
  await terminal.waitFor("Not cheap.");
  await terminal.waitFor(/worked .* · 1 call · \$0\.00\d · \d\d:\d\d/);
  await terminal.waitFor(/context 0 % of \d+ k · \$0\.00\d · openai\/gpt-5/);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  expect(terminal.screen()).toMatch(/--resume \S+ · worked .* · 1 call · \$0\.00\d$/);
});

test.each([
  [0, []],
  [0.0004, ["$0.000"]],
  [0.0006, ["$0.001"]],
  [0.25, ["$0.25"]],
])("names a cost only if something was charged: %d", (cost, expected) => {
  const parts = sumParts({ ...nothingDone, cost }, { signs: asciiSigns });
  expect(parts.filter((part) => part.startsWith("$"))).toEqual(expected);
});

test("a resumed session has the durations and the changes, as far as they are known", async () => {
  const [cwd, home] = [await tempDir({ "a.txt": "one\ntwo\n" }), await tempDir({})];
  const { terminal, model } = await openFull([bash("sleep 1.2"), edit("one", "1\nI"), { text: "Done." }], {
    ...{ cwd, env: { HOME: home }, args: ["--permission-mode", "allow"] },
  });
  terminal.type("go\r");
  await terminal.waitFor(/Done\.\n\nworked /);
  const took = /exit 0 · (\d+\.\d s)/.exec(terminal.screen())?.[1] ?? "";
  expect(took).not.toBe("");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  await writeFile(join(cwd, "a.txt"), "changed since\n");
  const again = await openFullScreen(["--model", "openai-compatible/m", "--continue"], {
    ...{ cwd, env: { HOME: home, ...model.env } },
  });
  await again.waitFor("Done.");
  expect(again.screen()).toContain(`exit 0 · ${took}`);
  expect(again.screen()).toMatch(/file_edit {2}a\.txt {2}\+2 −1 {2}\d/);
  expect(again.screen()).toMatch(/ 1 - one\n +1 \+ 1\n +2 \+ I\n +3 {3}two/);
});

test("a resumed session shows the command that ran, not the one that the user changed", async () => {
  const [cwd, home] = [await tempDir(), await tempDir({})];
  const { terminal, model } = await openFull([bash("touch wrong"), { text: "Done." }], { cwd, env: { HOME: home } });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("t\r");
  await terminal.waitFor("Command: touch wrong");
  terminal.type(`\u0015touch right\r`);
  expect(await terminal.waitFor("Done.")).toContain("● bash  touch right\n");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  const again = await openFullScreen(["--model", "openai-compatible/m", "--continue"], {
    ...{ cwd, env: { HOME: home, ...model.env } },
  });
  await again.waitFor("Done.");
  expect(again.screen()).toContain("● bash  touch right\n");
  expect(again.screen()).not.toContain("touch wrong");
});

test("a resumed session shows a command after ! with its output", async () => {
  const [cwd, home] = [await tempDir(), await tempDir({})];
  const { terminal, model } = await openFull([{ text: "Done." }], { cwd, env: { HOME: home } });
  terminal.type("!printf 'a\\nb'\r");
  await terminal.waitFor(/ {2}a\n {2}b\n {2}exit 0 · /);
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  const again = await openFullScreen(["--model", "openai-compatible/m", "--continue"], {
    ...{ cwd, env: { HOME: home, ...model.env } },
  });
  await again.waitFor("Done.");
  expect(again.screen()).toMatch(/printf 'a\\nb'\n {2}a\n {2}b\n {2}exit 0 · [\s\S]*› go\n\n◆ Done\./);
});
