// @module-tag sampled
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

test("/help explains and completes a topic, and lists the topics for an unknown one", async () => {
  const { terminal } = await openFull();
  terminal.type("/help perm");
  await terminal.waitFor("permissions");
  terminal.type(`${keys.tab}\r`);
  // A long text is in the pager.
  await terminal.waitFor(/What runs without asking: modes and rules[\s\S]*q closes/);
  terminal.type("q");
  terminal.type("/help nix\r");
  await terminal.waitFor(/No command or topic "nix"\. Topics: tools, /);
  terminal.type("/help tool add\r");
  await terminal.waitFor("ikigai tool add SOURCE [--project]");
});

test("Ctrl-P does what its help says: with one model it shows the list, else it goes through those used", async () => {
  const { terminal } = await openFull();
  terminal.type("/help keys\r");
  await terminal.waitFor("switch to the next model used so far; with only one, choose from the list");
  terminal.type("q\u0010");
  await terminal.waitFor(/\n› openai-compatible\/m {2}current\n/);
  terminal.type(`${keys.escape}`);
  await terminal.waitFor(/─\n›\n─/);
  for (const name of ["b", "c"]) {
    terminal.type(`/model openai-compatible/${name}\r`);
    await terminal.waitFor(new RegExp(`openai-compatible/${name}$`));
  }
  for (const name of ["m", "b", "c"]) {
    terminal.type("\u0010");
    await terminal.waitFor(new RegExp(`openai-compatible/${name}$`));
  }
});

test("the help wraps in its second column, or below the first on a narrow terminal", async () => {
  const { terminal } = await openFull([], { columns: 80, rows: 240 });
  terminal.type("/help\r");
  await terminal.waitFor(/exit-codes +Exit codes/);
  expect(terminal.screen()).toMatch(/\n {2}esc twice {25}go back .*\n {36}\S/);
  expect(terminal.screen()).toMatch(/\n {2}The last line, from left to right\n {2}mode +what runs without asking/);
  expect(terminal.screen()).toMatch(/\n {2}\/help TOPIC explains\n {2}tools +\S/);
  const { terminal: narrow } = await openFull([], { columns: 40, rows: 440 });
  narrow.type("/help\r");
  await narrow.waitFor(/\n {2}esc twice\n {4}go back/);
});

test("accepts aliases of commands, and suggests the nearest one for a typo", async () => {
  const { terminal } = await openFull();
  terminal.type("/hlep\r");
  await terminal.waitFor("There is no command /hlep. Did you mean /help?");
  terminal.type("/tools\r");
  await terminal.waitFor("Available tools:");
  terminal.type("exit\r");
  expect(await terminal.exitCode).toBe(0);
});
