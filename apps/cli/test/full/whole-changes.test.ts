// @module-tag sampled
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const lines = (count: number, what: string) => Array.from({ length: count }, (_, n) => `const ${what}${n} = ${n};`);

/** Opens a session in which the model calls a tool without being asked. */
async function openCall(call: object, options: Parameters<typeof openFull>[1] = {}) {
  const cwd = await tempDir({ "a.ts": `${lines(60, "old").join("\n")}\n` });
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ screen: { theme: "dark" } }) });
  const steps = [{ calls: [call as { name: string; arguments: object }] }, { text: "Changed." }];
  const args = ["--permission-mode", "edits"];
  const { terminal, model } = await openFull(steps, {
    ...{ cwd, args, rows: 60 },
    ...options,
    env: { HOME: home, ...options.env },
  });
  terminal.type("go\r");
  await terminal.waitFor("Changed.");
  return { terminal, model, cwd, home };
}

const replaced = (count: number) => ({
  name: "file_edit",
  arguments: {
    file_path: "a.ts",
    old_string: lines(count, "old").join("\n"),
    new_string: lines(count, "now").join("\n"),
  },
});

test("a change shows 30 rows, and how to see the rest", async () => {
  const { terminal } = await openCall(replaced(22));
  const screen = terminal.screen();
  expect(screen).toContain("22 - const old21 = 21;\n     1 + const now0 = 0;");
  expect(screen).toContain("     8 + const now7 = 7;\n    … 16 lines   ctrl-o\n");
});

test("a change of 30 rows is whole", async () => {
  const { terminal } = await openCall(replaced(14));
  expect(terminal.screen()).toContain("const now13 = 13;\n    15   const old14 = 14;");
  expect(terminal.screen()).not.toContain("ctrl-o");
});

test("Ctrl-O shows the whole change as the block does, without the raw arguments", async () => {
  const { terminal } = await openCall(replaced(22));
  const before = terminal.raw().length;
  terminal.type(keys.ctrlO);
  const screen = await terminal.waitFor(/const now21 = 21;\n[\s\S]*q closes/);
  expect(screen).toContain("● file_edit  a.ts  +22 −22\n     1 - const old0 = 0;\n");
  expect(screen).toContain("    22 + const now21 = 21;\n    23   const old22 = 22;\n");
  expect(screen).not.toMatch(/old_string|new_string/);
  // The ground of an added line, the colour of a keyword on it, and that of a changed word.
  const raw = terminal.raw().slice(before).replaceAll("\u001b", "␛");
  expect(raw).toMatch(/␛\[48;5;22;38;5;231m {4}22 \+ ␛\[38;5;219mconst␛\[48;5;22;38;5;231m ␛\[48;5;28;38;5;231mnow21/);
});

test("without colours the viewer shows the plain change", async () => {
  const { terminal } = await openCall(replaced(22), { env: { NO_COLOR: "1", FORCE_COLOR: undefined } });
  const before = terminal.raw().length;
  terminal.type(keys.ctrlO);
  expect(await terminal.waitFor(/q closes/)).toContain("    22 + const now21 = 21;\n    23   const old22 = 22;\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for colours
  expect(terminal.raw().slice(before)).not.toMatch(/\u001b\[(?:[34]8;5;|3[1-7]m)/);
});

test("the viewer shows a new file, and the changes of a resumed session", async () => {
  const write = { name: "file_write", arguments: { file_path: "new.ts", content: "const one = 1;\nlet two;\n" } };
  const { terminal, model, cwd, home } = await openCall(write);
  const written = "    1 + const one = 1;\n    2 + let two;\n";
  terminal.type(keys.ctrlO);
  expect(await terminal.waitFor("q closes")).toContain(`● file_write  new.ts  +2 −0, new file\n${written}`);
  terminal.type("q");
  await terminal.waitFor(/› *\n─/);
  terminal.type("/quit\r");
  await terminal.exitCode;
  const viewed = async () => {
    const place = { cwd, rows: 60, env: { HOME: home, ...model.env } };
    const again = await openFullScreen(["--model", "openai-compatible/m", "--continue"], place);
    await again.waitFor("Changed.");
    again.type(keys.ctrlO);
    const screen = await again.waitFor("q closes");
    again.type("q\u0004");
    await again.exitCode;
    return screen;
  };
  expect(await viewed()).toContain(`● file_write  new.ts  +2 −0, new file\n${written}`);
  // The old content is not known without the line of the log that names its copy.
  const sessions = join(home, ".ikigai/sessions");
  const log = join(sessions, readdirSync(sessions).find((name) => name.endsWith(".jsonl")) ?? "");
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.filter((line) => !line.includes('"type":"checkpoint"')).join("\n"));
  expect(await viewed()).toContain(`● file_write  new.ts  +2 −0, the whole file\n${written}`);
});

test("a change that fails is shown as it was meant", async () => {
  const { terminal } = await openCall({
    name: "file_edit",
    arguments: { file_path: "a.ts", old_string: "not there", new_string: "anything" },
  });
  terminal.type(keys.ctrlO);
  const screen = await terminal.waitFor("q closes");
  expect(screen).toMatch(
    /● file_edit {2}a\.ts {2}\+1 −1, old text found 0 times\n {4}1 - not there\n {4}1 \+ anything/,
  );
});
