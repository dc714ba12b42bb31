// @module-tag sampled
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { type FullOptions, keys, openFull } from "./open-full.ts";

const script = "for n in 1 2; do\n\techo $n >> out\ndone";

/** Opens the question about a script, and `t` of it. */
async function change(command: string, options: FullOptions = {}) {
  const cwd = await tempDir();
  const steps = [{ calls: [{ name: "bash", arguments: { command } }] }, { text: "Well." }];
  const { terminal } = await openFull(steps, { cwd, ...options });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  await sleep(1_000);
  terminal.type("t\r");
  await terminal.waitFor("Command:");
  return { terminal, cwd: options.cwd ?? cwd };
}

test.each([120, 40])(
  "a script is edited line by line, and runs exactly as it is shown (%i columns)",
  async (columns) => {
    const { terminal, cwd } = await change(script, { columns });
    // A tab is visible: it matters in a heredoc or a Makefile.
    await terminal.waitFor(/^Command:\n {2}for n in 1 2; do\n {2}␉echo \$n >> out\n {2}done$/m);
    expect(terminal.screen().replace(/\s+/g, " ")).toContain(
      "Enter runs the edited command and tells the model, ctrl-j adds a line, ctrl-g opens your editor, esc goes back.",
    );
    // To the end of the line above, in front of its last word; then a line after the last one.
    terminal.type(`${keys.up}\u0005\u007f\u007f\u007f`);
    terminal.type("two");
    await terminal.waitFor(/^ {2}␉echo \$n >> two$/m);
    terminal.type(`${keys.down}\u0005${keys.ctrlJ}cat two > copy`);
    await terminal.waitFor(/^ {2}done\n {2}cat two > copy$/m);
    terminal.type("\r");
    await terminal.waitFor("Well.");
    expect(readFileSync(join(cwd, "copy"), "utf8")).toBe("1\n2\n");
    expect(existsSync(join(cwd, "out"))).toBe(false);
  },
);

test("a pasted script keeps its lines, also under the prompt of a single one", async () => {
  const { terminal, cwd } = await change("touch a");
  await terminal.waitFor("Command: touch a");
  terminal.type("\u0015\u001b[200~cat > file <<-END\r\n\tindented\r\n\tEND\r\necho é > other\u001b[201~");
  await terminal.waitFor(/^Command:\n {2}cat > file <<-END\n {2}␉indented\n {2}␉END\n {2}echo é > other$/m);
  terminal.type("\r");
  await terminal.waitFor("Well.");
  expect(readFileSync(join(cwd, "file"), "utf8")).toBe("indented\n");
  expect(existsSync(join(cwd, "a"))).toBe(false);
});

test("rows that continue a line have a mark, and what hides text is visible", async () => {
  const long = `echo ${"x".repeat(60)}\nprintf 'a\u202eb\u200d' > out`;
  const { terminal } = await change(long, { columns: 40 });
  await terminal.waitFor(/^Command:\n {2}echo x{33}\n↳ x{27}\n {2}printf 'a<U\+202E>b<U\+200D>' > out$/m);
});

test("Ctrl-G opens the command in the editor, and a command that is not saved stays", async () => {
  const cwd = await tempDir({
    "editor.sh": 'cat "$1" > seen; [ ! -e fail ] || exit 1; printf "echo new > made\\n" >> "$1"\n',
  });
  const { terminal } = await change("true\ntrue", { cwd, env: { EDITOR: `sh ${join(cwd, "editor.sh")}` } });
  writeFileSync(join(cwd, "fail"), "");
  terminal.type(keys.ctrlG);
  await terminal.waitFor("The text is unchanged.");
  expect(readFileSync(join(cwd, "seen"), "utf8")).toBe("true\ntrue");
  await terminal.waitFor(/^Command:\n {2}true\n {2}true$/m);
  writeFileSync(join(cwd, "editor.sh"), 'printf "\\necho new > made\\n" >> "$1"\n');
  terminal.type(keys.ctrlG);
  await terminal.waitFor(/^Command:\n {2}true\n {2}true\n {2}echo new > made$/m);
  // An Enter that was meant for the editor runs nothing.
  terminal.type("\r");
  expect(existsSync(join(cwd, "made"))).toBe(false);
  terminal.type("\r");
  await terminal.waitFor("Well.");
  expect(readFileSync(join(cwd, "made"), "utf8")).toBe("new\n");
});
