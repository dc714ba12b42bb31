// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

test("shows the tokens of a summary, also after a resume; /copy still copies the last answer", async () => {
  const home = await tempDir();
  const cwd = await tempDir();
  const { terminal } = await openFull([{ text: "Forty-two." }, { text: "They asked; it was 42." }], {
    cwd,
    env: { HOME: home },
    contextWindow: 10_000,
  });
  terminal.type("what?\r");
  await terminal.waitFor(/context 1 % of 10 k/);
  terminal.type("/compact\r");
  await terminal.waitFor("Compacted ");
  terminal.type("/status\r");
  await terminal.waitFor("200 in, 20 out");
  terminal.type("/copy\r");
  await terminal.waitFor("Sent 10 characters to the clipboard.");
  expect(terminal.raw()).toContain(Buffer.from("Forty-two.").toString("base64"));
  const shown = /context (\d+) %/.exec(terminal.screen())?.[1];
  expect(Number(shown)).toBeGreaterThan(3);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  const { terminal: again } = await openFull([], { cwd, env: { HOME: home }, args: ["-c"], contextWindow: 10_000 });
  await again.waitFor(`context ${shown} % of 10 k`);
  again.type("/status\r");
  await again.waitFor("200 in, 20 out");
});

test("the context counts instructions and schemas after the whole conversation is rewound", async () => {
  const { terminal } = await openFull([{ text: "Fine." }], { contextWindow: 10_000 });
  terminal.type("go\r");
  await terminal.waitFor(/context 1 %/);
  terminal.type("/rewind\r");
  await terminal.waitFor("Rewind to before");
  terminal.type("\r");
  await terminal.waitFor(/context ([4-9]|\d\d) %/);
});

test("the picker of thinking levels starts at the current one", async () => {
  const { terminal } = await openFull();
  terminal.type("/thinking medium\r");
  await terminal.waitFor("Thinking: medium");
  terminal.type("/thinking\r");
  await terminal.waitFor(/› medium +current/);
  terminal.type(`${keys.down}\r`);
  await terminal.waitFor("Thinking: high");
  terminal.type("/thinking default\r");
  await terminal.waitFor("Thinking: provider default");
  terminal.type("/thinking\r");
  await terminal.waitFor(/› default +current/);
});

test.each([
  ["a\n".repeat(12), "[Pasted 12 lines]"],
  ["a\n".repeat(11).trimEnd(), "[Pasted 11 lines]"],
])("a final newline does not count as a pasted line", async (text, shown) => {
  const { terminal, model } = await openFull([{ text: "Read." }]);
  terminal.type(`\u001b[200~${text}\u001b[201~`);
  await terminal.waitFor(shown);
  terminal.type("\r");
  await terminal.waitFor("Read.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe(text.trim());
});

test.each([
  ["before its first word", { text: "Never.", waitMs: 20_000 }],
  ["in the middle", { text: "Half of a summary.".repeat(40), pieceMs: 200 }],
  ["when it stalls", { text: "Half of a summary.", hangs: true }],
])("a summary interrupted %s changes nothing", async (_, step) => {
  const { terminal, model } = await openFull([{ text: "Forty-two." }, step, { text: "Still here." }]);
  terminal.type("what?\r");
  await terminal.waitFor("context 110 ·");
  terminal.type("/compact\r");
  await expect.poll(() => model.requests.length).toBe(2);
  await new Promise((settle) => setTimeout(settle, 300));
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted. The conversation is unchanged.");
  terminal.type("and now?\r");
  await terminal.waitFor("Still here.");
  expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
});
