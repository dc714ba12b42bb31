import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

test("only an answer that ends as a plan asks whether to carry it out, and words about a plan go to the model", async () => {
  const files = "- a.txt\n- b.txt\n\nAnything else?";
  const plan = "1. write a.txt\n2. look at it\n\n**The plan is complete.**\n";
  const { terminal, model } = await openFull([{ text: files }, { text: plan }, { text: "Better." }], {
    args: ["--permission-mode", "plan"],
  });
  terminal.type("what files are there?\r");
  await terminal.waitFor("Anything else?");
  terminal.type("make one\r");
  await terminal.waitFor(/Carry out this plan\?.*\n› y {2}yes, and ask before each change\n/);
  expect(model.requests).toHaveLength(2);
  terminal.type("e");
  await terminal.waitFor("What to change?");
  terminal.type("use b");
  terminal.type(keys.escape);
  await terminal.waitFor("Carry out this plan?");
  terminal.type("e");
  await terminal.waitFor("What to change? use b");
  terminal.type(".txt\r");
  await terminal.waitFor("Better.");
  expect(terminal.screen()).toContain("› use b.txt");
  expect(terminal.screen()).toMatch(/\nplan · /);
});
