// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const call = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

const printed = "\\033[32m+2\\033[0m\\n\\033[38;2;0;0;0;40mnot hidden\\033[8m at all\\033[2J\\n";

test.each([{}, { NO_COLOR: "1" }])(
  "shows a program's colours while it runs, and none of its sequences (%j)",
  async (env) => {
    const calls = [call(`printf '${printed}'; sleep 2`), { text: "Seen." }];
    const { terminal } = await openFull(calls, { args: ["--allow", "bash"], rows: 40, env });
    terminal.type("go\r");
    await terminal.waitFor("not hidden at all␛[2J");
    expect(terminal.raw().includes("\u001b[32m+2\u001b[39m")).toBe(!("NO_COLOR" in env));
    await terminal.waitFor("Seen.");
    // A model gets no sequences, and what is shown then is what it got.
    expect(terminal.screen()).toMatch(/\n {2}\+2\n {2}not hidden at all\n {2}exit 0/);
  },
);

test("shows output and overwritten progress once", async () => {
  const command = "ls --color=always -d /etc; printf '\\r10 %%\\r50 %%\\r100 %%\\n\\033[32mok\\033[0m\\r\\n'";
  const { terminal } = await openFull([call(command), { text: "Seen." }], { args: ["--allow", "bash"] });
  terminal.type("go\r");
  await terminal.waitFor("Seen.");
  expect(terminal.screen()).toMatch(/\n {2}\/etc\n {2}100 %\n {2}ok\n {2}exit 0/);
  terminal.type(keys.ctrlO);
  const viewed = await terminal.waitFor("q closes");
  expect(viewed).toMatch(/\n {2}\/etc\n {2}100 %\n {2}ok\n {2}exit 0/);
});

test("shows an unfinished line of output while the command runs", async () => {
  const { terminal } = await openFull([call("printf 'one\\rtwo'; sleep 20")], { args: ["--allow", "bash"] });
  terminal.type("go\r");
  await terminal.waitFor(/\n {2}two\n {2}(running|\d+ s)\n/);
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted.");
});

test("long lines of a question and of a change continue below their text", async () => {
  const cwd = await tempDir();
  const content = `${"word ".repeat(20).trim()}\n`;
  const write = { calls: [{ name: "file_write", arguments: { file_path: "a-rather-long-name.md", content } }] };
  const { terminal } = await openFull([write], { cwd, columns: 60 });
  terminal.type("go\r");
  await terminal.waitFor("Run file_write?");
  const screen = await terminal.waitFor("e no, and say why");
  expect(screen).toContain("\n    1 + word word");
  expect(screen).toContain("\n  ↳     word");
  expect(screen).toMatch(
    /\n {2}Run file_write\?\n› y {2}once\n {2}s {2}this session .*\n {2}r {2}always in this project: .*\n {5}.*\n {2}g {2}always, in all projects\n {2}m {2}allow edits in the project {3}also with shift-tab\n {2}n {2}no\n {2}e {2}no/,
  );
  terminal.type("y");
  await terminal.waitFor("Done.");
  expect(terminal.screen()).toContain("\n  ↳     word");
});

test("a question leaves room for its call on a small terminal, and the viewer leaves no trace", async () => {
  const command = `for i in ${Array.from({ length: 60 }, (_, n) => n).join(" ")}; do echo $i; done`;
  const { terminal } = await openFull([call(command), { text: "Counted." }], { columns: 40, rows: 12 });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  expect(await terminal.waitFor("v view all")).toMatch(
    /● bash {2}for i in 0 1 2[\s\S]*\n {4}… v shows \d more lines\n/,
  );
  terminal.type("v");
  await terminal.waitFor("q back");
  terminal.type("q");
  await terminal.waitFor(/ask +\S+/);
  await terminal.waitFor("Run bash?");
  expect(terminal.screen().match(/──\n/g)).toHaveLength(2);
  expect(terminal.raw()).not.toMatch(/\r.\[J/);
  expect(await terminal.waitFor("r always in this project: bash(for")).toMatch(/r always in this project: bash\(.*…\n/);
  terminal.type("y");
  await terminal.waitFor("Counted.");
});

test("a yes counts only after the end of the command was visible", async () => {
  const cwd = await tempDir();
  const command = ["touch ran", ...Array.from({ length: 160 }, (_, n) => `true ${n}`)].join("\n");
  const { terminal } = await openFull([call(command), { text: "Well." }], { cwd });
  terminal.type("go\r");
  await terminal.waitFor(/Run bash\?\n› v {2}view all, then answer\n {2}n {2}no\n {2}e {2}no, and say why/);
  for (const letter of "ysr") {
    terminal.type(letter);
    // So that they are no text.
    await sleep(1_000);
  }
  await terminal.waitFor("Part of the call is not visible yet; v shows all of it.");
  // A look at the beginning is not enough.
  terminal.type("v");
  await terminal.waitFor(/bash · 123 more lines · .*q goes back to the question/);
  terminal.type("q");
  await terminal.waitFor("v view all, then answer");
  terminal.type("y");
  await terminal.waitFor("Part of the call is not visible yet; v shows all of it.");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type("v");
  await terminal.waitFor(/bash · 123 more lines · .*q goes back to the question/);
  terminal.type(" ".repeat(4));
  await terminal.waitFor(/bash · the end · .*q goes back to the question/);
  terminal.type("q");
  await terminal.waitFor(/Run bash\?\n› y {2}once/);
  terminal.type("y");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(true);
});

test("approves nothing unseen on a terminal with room only for the choices", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([call("touch ran"), { text: "Well." }], { cwd, rows: 5 });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("y");
  // So that the letters are no text.
  await sleep(1_000);
  await terminal.waitFor("v view all");
  terminal.type("v");
  await terminal.waitFor(/bash · the end · .*q goes back to the question/);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type("q");
  await terminal.waitFor("y once");
  terminal.type("y");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(true);
});

test("cuts a long pasted message on the screen, and sends it in full", async () => {
  const { terminal, model } = await openFull([{ text: "Read." }], { rows: 60 });
  const text = Array.from({ length: 100 }, (_, n) => `pasted ${n}`).join("\n");
  terminal.type(`\u001b[200~${text}\u001b[201~\r`);
  const screen = await terminal.waitFor("Read.");
  expect(screen).toMatch(/› pasted 0\n[\s\S]* {2}pasted 19\n {2}… 70 lines\n {2}pasted 90\n[\s\S]*pasted 99\n/);
  expect(model.requests[0]?.messages.at(-1)?.content).toBe(text);
});

test("output is dim, and the answer is not", async () => {
  const { terminal } = await openFull([call("echo printed; echo failed >&2; exit 3"), { text: "Answered." }], {
    args: ["--allow", "bash"],
  });
  terminal.type("go\r");
  await terminal.waitFor("Answered.");
  expect(terminal.raw()).toContain("  \u001b[2mprinted\u001b[22m");
  expect(terminal.raw()).not.toContain("\u001b[2mAnswered.");
});
