import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { openFull } from "./open-full.ts";

test("/permissions warns about a rule that names no tool, also of one of this session", async () => {
  const { terminal } = await openFull([], { args: ["--allow", "bash(make)"], columns: 160 });
  terminal.type("/permissions\r");
  await terminal.waitFor("add a deny rule");
  terminal.type("add a deny\r");
  await terminal.waitFor("Rule (deny)");
  terminal.type("mytool(domain:docs.rs)\r");
  await terminal.waitFor("The rule mytool(domain:docs.rs): no tool is called mytool. /tool lists the tools.");
  terminal.type("\r");
  await terminal.waitFor("Saved for all projects: deny mytool(domain:docs.rs)");
  terminal.type("bash(make\r");
  await terminal.waitFor("edit it");
  terminal.type("edit\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type("\u0015bash(make:*)\r");
  await terminal.waitFor('":" is part of the text here.');
});

test.skipIf(!hasBubblewrap)(
  "a rule about a place that is added in a session counts for the next call (needs bwrap)",
  async () => {
    const cat = { calls: [{ name: "bash", arguments: { command: "cat plans/secret.txt" } }] };
    const cwd = await tempDir({ "plans/secret.txt": "the plan" });
    const args = ["--permission-mode", "auto"];
    const { terminal, model } = await openFull([cat, { text: "One." }, cat, { text: "Two." }], {
      args,
      cwd,
      columns: 160,
    });
    const result = () => String(model.requests.at(-1)?.messages.at(-1)?.content);
    terminal.type("go\r");
    await terminal.waitFor("One.");
    expect(result()).toContain("the plan");
    terminal.type("/permissions\r");
    await terminal.waitFor("add a deny rule");
    terminal.type("add a deny\r");
    await terminal.waitFor("Rule (deny)");
    terminal.type("path(secret.txt)\r");
    await terminal.waitFor("for all projects: deny path(secret.txt)");
    terminal.type("\u001b");
    await terminal.waitFor(/\n› *\n/);
    terminal.type("again\r");
    await terminal.waitFor("Two.");
    expect(result()).not.toContain("the plan");
  },
);
