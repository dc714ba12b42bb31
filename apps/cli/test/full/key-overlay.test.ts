// @module-tag sampled
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const paragraphs = Array.from({ length: 20 }, (_, index) => `paragraph ${index} has a few words`);

/** What clears the screen or its scrollback, or resets the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences
const clears = /\u001b\[[23]?J(?!\u001b8)|\u001bc/;

const size = { columns: 80, rows: 24 };

/** Asks for the paragraphs, which fill the screen. */
async function openFilled() {
  const { terminal } = await openFull(
    [{ text: paragraphs.join("\n\n") }, { text: "Second answer.", waitMs: 600 }],
    size,
  );
  terminal.type("go\r");
  await terminal.waitFor(/paragraph 19 [^\n]*\n\n(?:worked .*\n\n)?─/);
  return terminal;
}

test.each([
  ["the keys", "?", "alt-enter  send later", keys.escape],
  ["a list of completions", "/mo", "→ /model", "\u0015"],
  ["the palette", "\u000b", "type to filter", keys.escape],
])(
  "on a full screen, %s: the last lines are covered, and back in their rows afterwards",
  async (_, open, shown, close) => {
    const terminal = await openFilled();
    const before = { visible: terminal.visible(), all: terminal.screen(), bytes: terminal.raw().length };
    terminal.type(open);
    await terminal.waitFor(shown);
    expect(terminal.visible().at(-1)).toMatch(/^ask · /);
    expect(terminal.visible()[0]).toBe(before.visible[0]);
    terminal.type(close);
    await expect.poll(() => terminal.visible()).toEqual(before.visible);
    expect(terminal.screen()).toBe(before.all);
    const written = terminal.raw().slice(before.bytes);
    expect(written).not.toMatch(clears);
    expect(written.length).toBeLessThan(6_000);
  },
);

test("lines that come while the keys are shown appear once, in order", async () => {
  const terminal = await openFilled();
  terminal.type("more\r");
  await terminal.waitFor("› more");
  terminal.type("?");
  await terminal.waitFor(/alt-enter +send later[^\0]*\nask · /);
  // Some of it is covered.
  await terminal.waitFor(/\n›\n─+\n!/);
  await new Promise((settle) => setTimeout(settle, 1_200));
  terminal.type(keys.escape);
  const screen = await terminal.waitFor(/Second answer\.\n\n(?:worked .*\n\n)?─+\n›\n─+\nask · .*$/);
  const found = screen.match(/paragraph \d+ has a few words|Second answer\./g);
  expect(found).toEqual([...paragraphs, "Second answer."]);
  expect(terminal.visible().at(-1)).toMatch(/^ask · /);
});
