import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

const words = Array.from({ length: 300 }, (_, index) => `w${index}`);

function inGroups(size: number): string[] {
  return Array.from({ length: words.length / size }, (_, group) =>
    words.slice(group * size, (group + 1) * size).join(" "),
  );
}

const answers = {
  "a paragraph": words.join(" "),
  paragraphs: inGroups(30).join("\n\n"),
  "a list": inGroups(10)
    .map((group) => `- ${group}`)
    .join("\n"),
  code: `\`\`\`ts\n${inGroups(10).join("\n")}\n\`\`\``,
};

/** Columns and rows of a window. */
type Size = readonly [columns: number, rows: number];

const first: Size = [80, 24];

const sizes: readonly (readonly [how: string, ...sizes: Size[]])[] = [
  ["narrower", [60, 24]],
  ["wider", [100, 24]],
  ["lower", [80, 12]],
  ["higher", [80, 40]],
  ["narrower and lower", [50, 15]],
  ["narrower and higher", [60, 40]],
  ["narrower and lower, then wider", [60, 14], [90, 24]],
];

const cases = Object.entries(answers).flatMap(([what, text]) =>
  sizes.map(([how, ...steps]) => ({ what, text, how, steps })),
);

/** tmux tells a program of a second change only after a while, in which the program draws for the first one. */
const betweenMs = 400;

/** Resizes a window in the middle of a streaming answer. */
async function resize(steps: readonly Size[], to: (size: Size) => void): Promise<void> {
  for (const step of steps) {
    to(step);
    await new Promise((settle) => setTimeout(settle, steps.length > 1 ? betweenMs : 0));
  }
}

/** The words of the answer, which a terminal may have wrapped anywhere. */
function answerOf(screen: string): string {
  const start = screen.indexOf("◆");
  return screen.slice(start, screen.search(/\n\n(?:worked .*\n\n)?─+\n›\n/)).replace(/[\s◆-]/g, "");
}

test.each(cases)("in xterm.js, $what that streams in a window that becomes $how has each word once", async (one) => {
  const options = { columns: first[0], rows: first[1], isAnswering: true };
  const { terminal } = await openFull([{ text: one.text, pieceLength: 12, pieceMs: 10 }], options);
  terminal.type("go\r");
  await terminal.waitFor("w100");
  await resize(one.steps, ([columns, rows]) => terminal.resize(columns, rows));
  await terminal.waitFor(/w299 *\n\n(?:worked .*\n\n)?─/);
  expect(answerOf(terminal.screen())).toBe(words.join(""));
});

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

describe.skipIf(!hasTmux)("in tmux (needs tmux)", () => {
  test.each(cases)("$what that streams in a window that becomes $how has each word once", async (one) => {
    const directory = await tempDir();
    const config = join(directory, "tmux.conf");
    writeFileSync(config, "set -g status off\nset -g default-terminal tmux-256color\nset -g history-limit 5000\n");
    const server = ["-S", join(directory, "socket")];
    onTestFinished(() => {
      // It has ended if its only program has.
      spawnSync("tmux", [...server, "kill-server"]);
    });
    const within = ["tmux", "-u", ...server, "-f", config, "new-session"];
    const options = { columns: first[0], rows: first[1], within };
    const { terminal } = await openFull([{ text: one.text, pieceLength: 12, pieceMs: 10 }], options);
    // tmux may keep the spaces at the end of a line.
    const screen = () => execFileSync("tmux", [...server, "capture-pane", "-p", "-J", "-S", "-"], { encoding: "utf8" });
    terminal.type("go\r");
    await until(() => screen().includes("w100"), "the middle of the answer");
    await resize(one.steps, ([columns, rows]) => terminal.resize(columns, rows));
    await until(() => /w299 *\n\n(?:worked .*\n\n)?─/.test(screen()), "the end of the answer");
    expect(answerOf(screen())).toBe(words.join(""));
  });
});
