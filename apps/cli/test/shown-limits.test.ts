// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { changeText } from "../src/lines/event-view.ts";
import { todoLines } from "../src/render/call/render-brief.ts";
import { renderResult } from "../src/render/call/render-result.ts";
import { taskAdvice, turnAdvice } from "../src/render/failures.ts";
import { createLineOutput } from "../src/render/line-output.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const look = createLineOutput({
  isTerminal: false,
  hasEscapes: false,
  isAscii: false,
  isFull: false,
  hasColours: false,
});

test("in lines a change of 31 rows is shown whole, and 30 of a longer one", () => {
  const added = (count: number) => ({
    lines: Array.from({ length: count }, (_, at) => ({
      sign: "+" as const,
      text: `line ${at + 1}`,
      number: at + 1,
    })),
    path: "a.txt",
  });
  const rows = (count: number) => changeText(added(count), look).trimEnd().split("\n");
  expect([rows(31).length, rows(31).at(-1)]).toEqual([31, expect.stringContaining("line 31")]);
  expect(rows(32)).toHaveLength(31);
  expect(rows(32).slice(-2)).toEqual([expect.stringContaining("line 30"), expect.stringContaining("… 2 lines")]);
});

test("a list of 21 tasks that are done is shown whole, and 20 of a longer one", () => {
  const rows = (count: number) => {
    const output = Array.from({ length: count }, (_, at) => `[x] Task ${at + 1}`).join("\n");
    const result = { notes: [], envelope: { tool_success: true, result: { open: 0, done: count, output } } };
    return todoLines({ name: "todo", arguments: "{}" } as never, result as never, look, "ctrl-o") ?? [];
  };
  expect([rows(21).length, rows(21).at(-1)]).toEqual([22, "  [x] Task 21"]);
  expect(rows(22)).toHaveLength(22);
  expect(rows(22).slice(-2)).toEqual(["  [x] Task 20", "  … 2 lines   ctrl-o"]);
});

test.each([
  ["", "… 94 lines   ctrl-o"],
  ["… 22185 bytes left out …\n", "… more than 95 lines   ctrl-o"],
])("says that a tool has left out lines, too: %j", (note, expected) => {
  const output = `${"line\n".repeat(50)}${note}${"line\n".repeat(51)}`;
  const result = { notes: [], envelope: { tool_success: true, result: { output, exit_code: 0 } } };
  const text = renderResult(result as never, look, { withOutput: true, key: "ctrl-o" });
  expect(text.split("\n").map((row) => row.trim())).toContain(expected);
});

test.each(["print", "conversation"] as const)(
  "in %s an end is followed by what to do about it, if anything helps",
  (place) => {
    const endAdvice = (code: Parameters<typeof turnAdvice>[0]) =>
      place === "print" ? taskAdvice(code, "ID") : turnAdvice(code);
    expect(endAdvice("max_steps")).toMatch(/^ To (?:allow|continue)/);
    expect(endAdvice("context_too_long")).toMatch(place === "print" ? /--model/ : /\/compact/);
    expect(endAdvice("request_too_large")).not.toMatch(/model/);
    expect(endAdvice("request_too_large")).toMatch(place === "print" ? /raise the limit/ : /\/compact/);
    expect(endAdvice("network")).toBe("");
  },
);

test("in lines the last row says how to resume, if there is something to resume", async () => {
  const { env } = await startModel([{ text: "Well." }, { text: "Well." }]);
  const open = async () => {
    const terminal = await openTerminal(["--model", "openai-compatible/m"], {
      cwd: await tempDir(),
      env: { HOME: await tempDir(), ...env },
    });
    await terminal.waitForPrompt();
    return terminal;
  };
  const used = await open();
  used.type("go\r");
  await used.waitFor("Well.");
  used.type("/quit\r");
  await used.exitCode;
  expect(used.screen()).toMatch(/To resume: ikigai --resume \d{8}-\d{6}-[0-9a-f]+/);
  const interrupted = await open();
  interrupted.type("go\r");
  await interrupted.waitFor("Well.");
  await interrupted.waitForPrompt();
  interrupted.type("\u0003");
  await interrupted.waitFor("Ctrl-C again");
  await interrupted.waitForPrompt();
  interrupted.type("\u0003");
  await interrupted.exitCode;
  expect(interrupted.screen()).toMatch(/\n› \^C\nTo resume: /);
  const unused = await open();
  unused.type("/quit\r");
  await unused.exitCode;
  expect(unused.screen()).not.toContain("To resume");
});
