import { expect, test } from "vitest";
import { isPlan } from "../../src/tui/app/accept-plan.ts";
import { keys, openFull } from "./open-full.ts";

test.each([
  ["Hello.", false],
  ["I would write a.txt, then test it.", false],
  ["- only one", false],
  ["# Plan\n\n1. read\n2. write", true],
  ["First:\n  * read\n  * write", true],
])("of %j, a plan is %s", (text, expected) => {
  expect(isPlan(text)).toBe(expected);
});

test("an answer that proposes nothing asks nothing, and words about a plan go to the model", async () => {
  const plan = "1. write a.txt\n2. look at it";
  const { terminal, model } = await openFull([{ text: "Hello." }, { text: plan }, { text: "Better." }], {
    args: ["--permission-mode", "plan"],
  });
  terminal.type("hi\r");
  await terminal.waitFor("Hello.");
  terminal.type("make one\r");
  await terminal.waitForQuestion("Carry out this plan?");
  expect(model.requests).toHaveLength(2);
  terminal.type("e");
  await terminal.waitFor("What to change?");
  terminal.type("use b");
  terminal.type(keys.escape);
  await terminal.waitForQuestion("Carry out this plan?");
  terminal.type("e");
  await terminal.waitFor("What to change? use b");
  terminal.type(".txt\r");
  await terminal.waitFor("Better.");
  expect(terminal.screen()).toContain("› use b.txt");
  expect(terminal.screen()).toMatch(/\nplan · /);
});
