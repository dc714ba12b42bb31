import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

test("/help explains a topic, completes it, and says which there are", async () => {
  const { terminal } = await openFull();
  terminal.type("/help perm");
  await terminal.waitFor("permissions");
  terminal.type(`${keys.tab}\r`);
  await terminal.waitFor("What runs without a question: modes and rules");
  terminal.type("/help nix\r");
  await terminal.waitFor(/Expected a command or one of tools, [\s\S]*, got "nix"\./);
  terminal.type("/help tool add\r");
  expect(await terminal.waitFor("Install scripts are not run.")).toContain("ikigai tool add SOURCE [--project]");
});
