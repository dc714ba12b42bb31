// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { some } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
const text = words.join(" ");

/** Columns and rows of a window. */
type Size = readonly [columns: number, rows: number];

const first: Size = [80, 24];

const sizes: readonly (readonly [how: string, steps: readonly Size[]])[] = [
  ["narrower", [[60, 24]]],
  ["wider", [[100, 24]]],
  ["lower", [[80, 12]]],
  ["higher", [[80, 40]]],
  ["narrower and lower", [[50, 15]]],
  ["narrower and higher", [[60, 40]]],
  [
    "narrower and lower, then wider",
    [
      [60, 14],
      [90, 24],
    ],
  ],
];

/** tmux tells a program of a second change only after a while, in which the program draws for the first one. */
const betweenMs = 400;

/** Resizes a window in the middle of a streaming answer. */
async function resize(steps: readonly Size[], to: (size: Size) => void): Promise<void> {
  for (const step of steps) {
    to(step);
    await new Promise((settle) => setTimeout(settle, steps.length > 1 ? betweenMs : 0));
  }
}

/** What must hold after any resize: no text is lost, and the input line with its rules is on the screen once. */
function expectWhole(all: string, visible: string): void {
  const shown = new Set(all.split(/\s+/));
  expect(words.filter((word) => !shown.has(word))).toEqual([]);
  expect(visible).toMatch(/\n─+\n›\n─+\n[^\n─]+$/);
  expect(visible.match(/^›$/gm)).toHaveLength(1);
  expect(visible.match(/^─+$/gm)).toHaveLength(2);
}

const atEnd = /w299\s*\n\n(?:worked .*\n\n)?─/;

test.each(some(2, sizes))("in xterm.js, an answer that streams in a window that becomes %s", async (_, steps) => {
  const options = { columns: first[0], rows: first[1], isAnswering: true };
  const { terminal } = await openFull([{ text, pieceLength: 12, pieceMs: 10 }], options);
  terminal.type("go\r");
  await terminal.waitFor("w100");
  await resize(steps, ([columns, rows]) => terminal.resize(columns, rows));
  await terminal.waitFor(atEnd);
  expectWhole(terminal.screen(), terminal.visible().join("\n").trimEnd());
});

/** Each look starts a process. */
const rarely = { interval: 150 };

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

test.skipIf(!hasTmux).each(some(3, sizes))(
  "in tmux, an answer that streams in a window that becomes %s",
  async (_, steps) => {
    const directory = await tempDir();
    const config = join(directory, "tmux.conf");
    writeFileSync(config, "set -g status off\nset -g default-terminal tmux-256color\nset -g history-limit 5000\n");
    const server = ["-S", join(directory, "socket")];
    onTestFinished(() => {
      // It has ended if its only program has.
      spawnSync("tmux", [...server, "kill-server"]);
    });
    const within = ["tmux", "-u", ...server, "-f", config, "new-session"];
    const { terminal } = await openFull([{ text, pieceLength: 12, pieceMs: 10 }], {
      columns: first[0],
      rows: first[1],
      within,
    });
    const capture = (...options: string[]) =>
      execFileSync("tmux", [...server, "capture-pane", "-p", ...options], { encoding: "utf8" });
    terminal.type("go\r");
    await expect.poll(() => capture("-S", "-"), rarely).toContain("w100");
    await resize(steps, ([columns, rows]) => terminal.resize(columns, rows));
    await expect.poll(() => capture("-J", "-S", "-"), rarely).toMatch(atEnd);
    expectWhole(capture("-J", "-S", "-"), capture().trimEnd());
  },
);
