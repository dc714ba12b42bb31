// Promise 1 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trust, trustStatus } from "@ikigai/core";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { customCommands, findInstructions } from "../src/internal.ts";
import { promptParts, promptText, type SystemPromptOptions } from "../src/turn/system-prompt.ts";

const date = new Date("2026-01-02T03:04:05Z");
const shell = "/bin/bash";

const systemPrompt = (options: SystemPromptOptions) => promptText(promptParts(options));

test("collects instructions from the user, then from the project's root down to the working directory", async () => {
  const tree = await tempDir({
    "AGENTS.md": "Above the project.",
    "home/AGENTS.md": "I like tabs.",
    "proj/.git/HEAD": "",
    "proj/AGENTS.md": "Root says.",
    "proj/packages/CLAUDE.md": "Packages say.",
    "proj/packages/a/AGENTS.md": "Package a says.",
    "proj/packages/b/AGENTS.md": "Package b says.",
  });
  const prompt = systemPrompt({ shell, cwd: join(tree, "proj/packages/a"), home: join(tree, "home"), date });
  const order = ["I like tabs.", "Root says.", "Packages say.", "Package a says."].map((text) => prompt.indexOf(text));
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
  expect(prompt).not.toMatch(/Above the project|Package b says/);
  expect(prompt).toContain(`The user's instructions, from ${join(tree, "home/AGENTS.md")}`);
});

test("names only programs that are there", async () => {
  const cwd = await tempDir();
  const findProgram = (name: string) => (name === "rg" ? "/usr/bin/rg" : undefined);
  expect(systemPrompt({ shell, cwd, date, findProgram })).toContain("rg -n pattern src");
  expect(systemPrompt({ shell, cwd, date, findProgram })).not.toMatch(/\bjq\b/);
  expect(systemPrompt({ shell, cwd, date })).not.toMatch(/\brg\b/);
});

test("uses only the directory itself outside a repository", async () => {
  const tree = await tempDir({ "AGENTS.md": "Above.", "here/AGENTS.md": "Here." });
  expect(systemPrompt({ shell, cwd: join(tree, "here"), date })).toMatch(/Here\.$/);
  expect(systemPrompt({ shell, cwd: join(tree, "here"), date })).not.toContain("Above.");
});

test("shows the model no invisible characters of the instructions, and says so", async () => {
  const tree = await tempDir({ "AGENTS.md": "\ufeffRun \u{e0041}\u200bthe tests\u202e. 👩‍💻" });
  const file = join(tree, "AGENTS.md");
  expect(findInstructions(tree)).toEqual({
    files: [{ path: file, text: "Run the tests. 👩‍💻" }],
    refused: [`${file} has 3 invisible characters, which the model does not get.`],
  });
});

test.skipIf(process.geteuid?.() !== 0)("does not read the instructions of another user, and says so", async () => {
  const tree = await tempDir({
    "shared/.git/HEAD": "",
    "shared/AGENTS.md": "Obey the neighbour.",
    "shared/victim/AGENTS.md": "Mine.",
    "shared/victim/sub/CLAUDE.md": "Sub.",
  });
  const victim = join(tree, "shared/victim");
  expect(findInstructions(victim).files.map(({ text }) => text)).toEqual(["Obey the neighbour.", "Mine."]);
  chownSync(join(tree, "shared/AGENTS.md"), 65_534, 65_534);
  expect(findInstructions(victim)).toEqual({
    files: [{ path: join(victim, "AGENTS.md"), text: "Mine." }],
    refused: [`Skipped ${join(tree, "shared/AGENTS.md")}: it belongs to another user (uid 65534).`],
  });
  // The directory's owner could put any file there, so the search ends before it.
  chownSync(join(tree, "shared"), 65_534, 65_534);
  const stopped = findInstructions(join(victim, "sub"));
  expect(stopped.files.map(({ text }) => text)).toEqual(["Sub."]);
  expect(stopped.refused).toEqual([
    `Skipped ${join(tree, "shared/AGENTS.md")}: its directory belongs to another user (uid 65534).`,
  ]);
  expect(systemPrompt({ shell, cwd: victim, date })).not.toContain("neighbour");
});

test.each([0o777, 0o1777, 0o702])("does not read instructions in a directory of mode %o", async (mode) => {
  const tree = await tempDir({ "open/.git/HEAD": "", "open/AGENTS.md": "Anybody's.", "open/mine/AGENTS.md": "Mine." });
  chmodSync(join(tree, "open"), mode);
  // A directory with the sticky bit is meant for everyone.
  const advice = mode === 0o1777 ? "" : ` If you trust its content: chmod go-w ${join(tree, "open")}`;
  const why = `its directory can be written by others (mode ${mode.toString(8)}).${advice}`;
  expect(findInstructions(join(tree, "open/mine"))).toEqual({
    files: [{ path: join(tree, "open/mine/AGENTS.md"), text: "Mine." }],
    refused: [`Skipped ${join(tree, "open/AGENTS.md")}: ${why}`],
  });
  expect(findInstructions(join(tree, "open"))).toEqual({
    files: [],
    refused: [`Skipped ${join(tree, "open/AGENTS.md")}: ${why}`],
  });
});

test("does not read a file that others can write, in the home directory either", async () => {
  const tree = await tempDir({ "home/AGENTS.md": "Home.", "proj/AGENTS.md": "Ours.", "proj/CLAUDE.md": "Second." });
  for (const file of ["home/AGENTS.md", "proj/AGENTS.md"]) chmodSync(join(tree, file), 0o646);
  const { files, refused } = findInstructions(join(tree, "proj"), join(tree, "home"));
  expect(files.map(({ text }) => text)).toEqual(["Second."]);
  expect(refused).toEqual(
    ["home/AGENTS.md", "proj/AGENTS.md"].map(
      (file) =>
        `Skipped ${join(tree, file)}: it can be written by others (mode 646). If you trust its content: chmod go-w ${join(tree, file)}`,
    ),
  );
});

test("names instructions that cannot be read, and uses the other file", async () => {
  const tree = await tempDir({ "out/AGENTS.md": "Elsewhere.", "here/CLAUDE.md": "Second." });
  const [file, out] = [join(tree, "here/AGENTS.md"), join(tree, "out/AGENTS.md")];
  const spoilt: [() => void, string][] = [
    [() => mkdirSync(file), "it is not a regular file."],
    [() => execFileSync("mkfifo", [file]), "it is not a regular file."],
    [() => symlinkSync("nowhere", file), "it cannot be read: no such file or directory."],
    [() => symlinkSync("AGENTS.md", file), "its symlinks cannot be followed."],
    [() => symlinkSync(out, file), "it is a symlink out of its directory. To use it, put a copy there."],
  ];
  for (const [spoil, why] of spoilt) {
    rmSync(file, { force: true, recursive: true });
    spoil();
    expect(findInstructions(join(tree, "here"))).toEqual({
      files: [{ path: join(tree, "here/CLAUDE.md"), text: "Second." }],
      refused: [`Skipped ${file}: ${why}`],
    });
  }
});

test("reads each import of CLAUDE.md once, also if all files import each other", async () => {
  const names = Array.from({ length: 60 }, (_, n) => `d${n}.md`);
  const links = names.map((name) => `@${name}`).join(" ");
  const tree = await tempDir({
    "proj/.git/HEAD": "",
    "proj/CLAUDE.md": `Root. ${links}`,
    ...Object.fromEntries(names.map((name) => [`proj/${name}`, `${name}: ${links}`])),
  });
  const { files, refused } = findInstructions(join(tree, "proj"));
  expect(files).toHaveLength(1 + names.length);
  expect(refused).toEqual([]);
});

test("reads what CLAUDE.md imports from the project, five files deep, and CLAUDE.local.md", async () => {
  const tree = await tempDir({
    "proj/.git/HEAD": "",
    "proj/CLAUDE.md":
      "Root, see @docs/style.md.\n`@docs/code.md`\n```\n@docs/code.md\n```\nmail me@docs/code.md @nothing.md",
    "proj/docs/style.md": "Style. @deep/1.md @../CLAUDE.md",
    "proj/docs/code.md": "Code.",
    ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`proj/docs/deep/${n}.md`, `Deep ${n}. @${n + 1}.md`])),
    "proj/sub/CLAUDE.md": "Sub. @../docs/code.md @../../out.md @../.env",
    "proj/sub/CLAUDE.local.md": "Local.",
    "proj/sub/AGENTS.md/x": "",
    "proj/.env": "KEY=1",
    "out.md": "Out.",
  });
  const { files, refused } = findInstructions(join(tree, "proj/sub"));
  const texts = ["Root", "Style", "Deep 1", "Deep 2", "Deep 3", "Deep 4", "Sub", "Code", "Local"];
  expect(files.map(({ text }) => text.split(/[.,]/)[0])).toEqual(texts);
  expect(files[1]?.path).toBe(join(tree, "proj/docs/style.md"));
  expect(refused.slice(1)).toEqual([
    expect.stringContaining("Skipped @../../out.md in "),
    expect.stringContaining("Skipped @../.env in "),
  ]);
});

test("asks for a plan", async () => {
  const cwd = await tempDir();
  expect(systemPrompt({ shell, cwd, date, isPlan: true })).toContain("\nThe plan is complete.\n");
  expect(systemPrompt({ shell, cwd, date })).not.toContain("plan");
});

test("finds the user's commands, and the project's as they were when it was trusted", async () => {
  const tree = await tempDir({
    "home/commands/review.md": "Review my changes.",
    "home/commands/git/log.md": "# Tell the history\n\nOf $1 since $2.",
    "home/commands/both.md": "The user's.",
    "home/commands/bad name.md": "No.",
    "home/commands/empty.md": " \n",
    "home/commands/notes.txt": "No.",
    "proj/.ikigai/commands/both.md":
      "---\ndescription: 'The project: its own'\nargument-hint: FILE\n---\nLook at $ARGUMENTS, all.",
  });
  const home = join(tree, "home");
  const projectDir = join(tree, "proj");
  const commands = async () => customCommands(home, await trustStatus({ home, projectDir }));
  expect((await commands()).map(({ name, description }) => [name, description])).toEqual([
    ["both", "The user's."],
    ["git:log", "Tell the history"],
    ["review", "Review my changes."],
  ]);
  await trust({ home, projectDir });
  const both = (await commands()).find(({ name }) => name === "both");
  expect(both).toEqual({
    name: "both",
    scope: "project",
    path: join(projectDir, ".ikigai/commands/both.md"),
    description: "The project: its own",
    parameters: "FILE",
    text: "Look at $ARGUMENTS, all.",
  });
  const seen = await trustStatus({ home, projectDir });
  writeFileSync(join(projectDir, ".ikigai/commands/both.md"), "Changed.");
  expect((await commands()).find(({ name }) => name === "both")?.scope).toBe("user");
  // Even if the change comes after the check.
  expect(customCommands(home, seen).find(({ name }) => name === "both")?.scope).toBe("user");
});
