import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { openFull } from "./open-full.ts";

const call = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

/**
 * Answers the question about a command with an edited rule; returns what is on the screen after the turn.
 *
 * @param warning what must be on the screen before the rule is saved.
 */
async function screenAfter(rule: string, warning?: RegExp) {
  const home = await askingHome();
  const options = { env: { HOME: home }, columns: 200 };
  const { terminal } = await openFull([call("echo one"), { text: "Kept." }], options);
  terminal.type("go\r");
  await terminal.waitForQuestion("Run bash?");
  terminal.type("r");
  await terminal.waitFor("Rule to save (* matches any text): bash(echo one)");
  terminal.type(`\u0015${rule}\r`);
  if (warning) {
    await terminal.waitForQuestion(warning);
    terminal.type("\r");
  }
  const screen = await terminal.waitFor("Kept.");
  const config = JSON.parse(readFileSync(join(home, ".ikigai/config.json"), "utf8"));
  expect(config.permission.rules).toEqual([{ allow: rule }]);
  return screen;
}

const notCovered = (rule: string) => `\`allow ${rule}\` does not cover this call, so ikigai will ask about it again.`;

test("warns about a rule of another agent that is saved at a question, and says that it does not cover the call", async () => {
  const screen = await screenAfter(
    "Bash(echo:*)",
    /The rule Bash\(echo:\*\): no tool is called Bash\. Did you mean bash\?[\s\S]*For all that begins with\s+"echo": bash\(echo\*\)[\s\S]*Enter\s+adds/,
  );
  expect(screen).toContain(notCovered("Bash(echo:*)"));
});

test("says that a rule for another tool does not cover the call", async () => {
  const screen = await screenAfter("file_edit");
  expect(screen).toContain(notCovered("file_edit"));
  expect(screen).not.toContain("no tool");
});

test("does not mention a rule that covers the call", async () => {
  const screen = await screenAfter("bash(echo *)");
  expect(screen).not.toContain("cover");
  expect(screen).not.toContain("no tool");
});

test("/permissions warns about a rule that names no tool, also of one of this session", async () => {
  const { terminal } = await openFull([], { args: ["--allow", "bash(make)"], columns: 160 });
  terminal.type("/permissions\r");
  await terminal.waitFor("add a deny rule");
  terminal.type("add a deny\r");
  await terminal.waitFor("Rule (deny)");
  terminal.type("mytool(domain:docs.rs)\r");
  await terminal.waitForQuestion("The rule mytool(domain:docs.rs): no tool is called mytool. /tool lists the tools.");
  terminal.type("\r");
  await sleep(100);
  terminal.type("bash(make\r");
  await terminal.waitFor("edit it");
  terminal.type("edit\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type("\u0015bash(make:*)\r");
  await terminal.waitFor('The rule bash(make:*): ":" is part of the text here.');
});
