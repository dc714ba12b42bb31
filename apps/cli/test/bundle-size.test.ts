import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { budgetAdvice, budgetsOf, executableOf, shippedTools } from "./shipped-tools.ts";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const tools = fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
const kilobyte = 1_000;

/** The file of this part, and all files that load with it. */
function loadedWith(name: string): string[] {
  const start = readdirSync(dist).find((file) => file === name || new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file));
  if (start === undefined) throw new Error(`There is no part ${name}.`);
  const files = [start];
  for (const file of files) {
    const imports = readFileSync(join(dist, file), "utf8").matchAll(/\brequire_[\w$]+=require\("\.\/([\w.-]+)"\)/g);
    for (const [, found = ""] of imports) if (!files.includes(found)) files.push(found);
  }
  return files;
}

/** Kilobytes read at start. A budget is the current size and a little more. */
test.each([
  ["ikigai.js", 10],
  ["cli", 73],
  ["help-on", 163],
  ["tool-list", 429],
  ["run-print", 501],
  ["run-calls", 399],
  ["run-repl", 461],
  // Which `-p --allow` needs before its first request.
  ["rule-warnings", 76],
  ["run-tui", 1_058],
  ["openai-compatible", 516],
  ["anthropic", 750],
  ["openai", 824],
  ["google", 748],
])("%s loads at most %d kB", (name, most) => {
  const bytes = loadedWith(name).reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
  const advice = "Find out what made it grow. If it is worth that, raise the budget here";
  expect(bytes / kilobyte, advice).toBeLessThanOrEqual(most);
  // A budget far above the size would prove nothing.
  expect(bytes / kilobyte).toBeGreaterThan(most / 2);
});

test.each(shippedTools.map((name) => [name, budgetsOf(name).executableKilobytes] as const))(
  "%s has at most %d kB",
  (name, most) => {
    const kilobytes = statSync(join(tools, executableOf(name))).size / kilobyte;
    expect(kilobytes, budgetAdvice(name, "executableKilobytes", kilobytes)).toBeLessThanOrEqual(most);
  },
);
