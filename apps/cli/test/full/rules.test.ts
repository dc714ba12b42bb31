import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
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
  await sleep(100);
  terminal.type("bash(make\r");
  await terminal.waitFor("edit it");
  terminal.type("edit\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type("\u0015bash(make:*)\r");
  await terminal.waitFor('":" is part of the text here.');
});
