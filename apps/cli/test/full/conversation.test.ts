import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull, rule } from "./open-full.ts";

test("the built-in interpreter shows tool output verbatim", async () => {
  const cwd = await tempDir({ "out.txt": "# tests 1\n# pass 1\n* _a_ `b`\n    indented\n" });
  const terminal = await openFullScreen(["--model", "offline"], { cwd });
  await terminal.waitFor(/offline\/plain-requests$/);
  terminal.type("read out.txt\r");
  await terminal.waitFor("# tests 1\n# pass 1\n* _a_ `b`\n    indented\n");
});

test("code of one language inside another is highlighted without changing its text", async () => {
  const code = "<style>a { color: red }</style>";
  const { terminal } = await openFull([{ text: `\`\`\`html\n${code}\n\`\`\`\nThe end.` }]);
  terminal.type("style\r");
  await terminal.waitFor(/The end\.\n\n(?:worked .*\n\n)?─/);
  expect(terminal.screen()).toMatch(/^◆ {3}<style>a \{ color: red \}<\/style>$/m);
  expect(terminal.raw()).toContain("\u001b[36mcolor\u001b[39m: red }");
});

test("shows an answer in Markdown with the editor and the footer below it", async () => {
  const cwd = await tempDir({ ".git/HEAD": "ref: refs/heads/topic/one\n" });
  const text = [
    "# Title",
    "",
    "Some **bold** words and `code`.",
    "",
    "1. one",
    "2. two",
    "",
    "```js",
    "const a = 1; // note",
    "```",
    "",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "",
    "The end.",
  ].join("\n");
  const { terminal } = await openFull([{ text }], { cwd });
  terminal.type("say it\r");
  await terminal.waitFor("The end.");
  const screen = await terminal.waitFor(/context \d+/);
  const shown = screen.slice(screen.indexOf("› say it"));
  expect(shown.replace(/\n[^\n]*$/, "")).toBe(
    [
      "› say it",
      "",
      "◆ Title",
      "",
      "  Some bold words and code.",
      "",
      "  1. one",
      "  2. two",
      "",
      "    const a = 1; // note",
      "",
      "  ┌───┬───┐",
      "  │ a │ b │",
      "  ├───┼───┤",
      "  │ 1 │ 2 │",
      "  └───┴───┘",
      "",
      "  The end.",
      "",
      rule,
      "›",
      rule,
    ].join("\n"),
  );
  expect(shown.split("\n").at(-1)).toMatch(/^ask · .* · topic\/one +context 110 · openai-compatible\/m$/);
});

test("asks about a whole call, then shows its output, exit code and duration", async () => {
  const { terminal, model } = await openFull([
    { text: "I look.", calls: [{ name: "bash", arguments: { command: "seq 1 30; exit 3" } }] },
    { text: "Seen." },
  ]);
  terminal.type("look\r");
  const asked = await terminal.waitFor("Run bash?");
  expect(asked).toContain("● bash  seq 1 30; exit 3");
  expect(asked).toMatch(
    /› y {2}once\n {2}s {2}this session .*\n {2}r {2}always in this project: bash\(seq 1 30\) and bash\(exit 3\)\n {2}g {2}always, in all projects\n {2}t {2}change the command first\n {2}n {2}no\n/,
  );
  terminal.type("y");
  await terminal.waitFor("Seen.");
  expect(terminal.steadyScreen()).toContain(
    "✗ bash  seq 1 30; exit 3\n  1\n  … 15 lines   ctrl-o\n  17\n  18\n  19\n  20\n  21\n  22\n  23\n  24\n  25\n  26\n  27\n  28\n  29\n  30\n  exit 3 · N ms\n\n◆ Seen.",
  );
  expect(model.requests).toHaveLength(2);
});

test("shows a change as a diff, and does not make it when it is denied with a reason", async () => {
  const cwd = await tempDir({ "a.txt": "one\ntwo\nthree\n" });
  const args = { file_path: "a.txt", old_string: "two", new_string: "2" };
  const { terminal, model } = await openFull([{ calls: [{ name: "file_edit", arguments: args }] }, { text: "Well." }], {
    cwd,
  });
  terminal.type("edit\r");
  const asked = await terminal.waitFor("Run file_edit?");
  expect(asked).toContain("● file_edit  a.txt  +1 −1\n    1   one\n    2 - two\n    2 + 2\n    3   three");
  expect(terminal.raw()).toContain("\u001b[48;5;52;");
  terminal.type("e");
  await terminal.waitFor("Why, or what instead?");
  terminal.type("use three\r");
  await terminal.waitFor("Well.");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("use three");
});

test("a denial and its reason may arrive at once, and do not answer the next question", async () => {
  const calls = [1, 2].map((n) => ({ name: "bash", arguments: { command: `echo no${n}` } }));
  const { terminal, model } = await openFull([{ calls }, { text: "Well." }]);
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("enot now\r");
  await terminal.waitFor("says: not now");
  await terminal.waitFor("Run bash?");
  terminal.type("n");
  await terminal.waitFor("Well.");
  const told = JSON.stringify(model.requests[1]?.messages);
  expect(told).toContain("The user denied this call and says: not now");
  expect(told).not.toContain('tool_success\\":true');
});

test("each call of a step has its own block", async () => {
  const { terminal } = await openFull(
    [
      {
        calls: [
          { name: "bash", arguments: { command: "sleep 1; echo first" } },
          { name: "bash", arguments: { command: "echo second" } },
        ],
      },
      { text: "Both." },
    ],
    { args: ["--allow", "bash"] },
  );
  terminal.type("both\r");
  await terminal.waitFor(/● bash {2}sleep 1; echo first\n {2}(running|\d s)\n\n● bash {2}echo second/);
  await terminal.waitFor("Both.");
  expect(terminal.screen()).toMatch(
    /echo first\n {2}first\n {2}exit 0 · [^\n]*\n\n● bash {2}echo second\n {2}second\n {2}exit 0/,
  );
});

test("the call in question is right above the question, whatever calls follow", async () => {
  const script = (name: string) => `cat > ${name} <<'EOF'\n${"true\n".repeat(8)}EOF`;
  const calls = ["first", "second", "third"].map((name) => ({ name: "bash", arguments: { command: script(name) } }));
  const { terminal } = await openFull([{ calls }, { text: "Well." }], { rows: 24 });
  terminal.type("go\r");
  for (const name of ["first", "second", "third"]) {
    await terminal.waitFor(
      new RegExp(`cat > ${name} <<'EOF'\n( +[0-9] {2}true\n){8} +10 {2}EOF\n\n${rule}\n +Run bash\\?`),
    );
    terminal.type("n");
  }
  await terminal.waitFor("Well.");
});

test.each([
  ["Esc", keys.escape],
  ["Ctrl-C", keys.ctrlC],
])("%s stops an answer, and keeps its text and the draft", async (_, key) => {
  const { terminal, model } = await openFull([{ text: "It begins", hangs: true }, { text: "Fine." }]);
  terminal.type("go\r");
  await terminal.waitFor("It begins");
  terminal.type("next words");
  await terminal.waitFor("› next words");
  const beforeMs = performance.now();
  terminal.type(key);
  await terminal.waitFor("Interrupted.\n");
  expect(performance.now() - beforeMs).toBeLessThan(20_000);
  await terminal.waitFor("› next words");
  terminal.type("\r");
  await terminal.waitFor("Fine.");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("It begins");
});

test("asks about a project before anything in it runs, and defaults to no", async () => {
  const cwd = await tempDir();
  const marker = join(cwd, "ran");
  const content = `#!/bin/sh\ntouch ${marker}\n`;
  const project = await tempDir({ ".ikigai/tools/x-tool": { content, mode: 0o755 } });
  const { terminal } = await openFull([{ text: "Fine." }], { cwd: project });
  await terminal.waitFor("Trust this?");
  terminal.type(keys.escape);
  await terminal.waitFor("Not trusted: ikigai uses none of it.");
  terminal.type("go\r");
  await terminal.waitFor("Fine.");
  expect(existsSync(marker)).toBe(false);
});

test("Ctrl-C clears the editor; twice on an empty line it quits and restores the terminal", async () => {
  const { terminal } = await openFull([]);
  terminal.type("words");
  await terminal.waitFor("› words");
  terminal.type(keys.ctrlC);
  await terminal.waitFor(`${rule}\n›\n`);
  terminal.type(keys.ctrlC);
  await terminal.waitFor("Ctrl-C again, or Ctrl-D, to quit");
  terminal.type("x");
  await terminal.waitFor("› x");
  terminal.type(`\u007f${keys.ctrlC}`);
  await terminal.waitFor("Ctrl-C again, or Ctrl-D, to quit");
  terminal.type(keys.ctrlC);
  expect(await terminal.exitCode).toBe(0);
  await expect.poll(() => terminal.screen()).not.toContain(rule);
  for (const [on, off] of [
    ["[?2004h", "[?2004l"],
    ["[>1u", "[<u"],
    ["[?25l", "[?25h"],
    ["[?7l", "[?7h"],
    ["[?2026h", "[?2026l"],
  ]) {
    expect(terminal.raw().lastIndexOf(`\u001b${off}`)).toBeGreaterThan(terminal.raw().lastIndexOf(`\u001b${on}`));
  }
});

test("shows reasoning while it streams, then its duration", async () => {
  const reasoning = "First this.\nThen that.\nPerhaps the other.\nNo, that.";
  const { terminal } = await openFull([{ reasoning, reasoningMs: 1_500, text: "That." }]);
  terminal.type("what?\r");
  await terminal.waitFor("› what?\n\n  Then that.\n  Perhaps the other.\n  No, that.\n\n");
  await terminal.waitFor(/› what\?\n\nthought for \d\.\d s\n\n◆ That\.\n/);
  expect(terminal.screen()).not.toContain("Perhaps");
});
