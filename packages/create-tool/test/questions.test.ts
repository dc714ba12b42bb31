import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openTerminal } from "../../../apps/cli/test/terminal.ts";

const bin = fileURLToPath(new URL("../dist/create-tool.js", import.meta.url));
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The command on a terminal, with only Node and these programs on the PATH. */
async function start(cwd: string, args: readonly string[] = [], programs: readonly string[] = []) {
  const links = [["node", process.execPath], ...programs.map((program) => [program, `/usr/bin/${program}`])];
  const PATH = await tempDir(Object.fromEntries(links.map(([name, link]) => [name, { link }])));
  return openTerminal([], { cwd, env: { PATH }, command: [process.execPath, bin, ...args] });
}

test("asks for name, language, folder and git init, and suggests a valid name", { timeout: 60_000 }, async () => {
  const cwd = await tempDir({ "taken/file": "" });
  const terminal = await start(cwd, [], ["git", "python3"]);
  await terminal.waitFor("Name of the tool, for example weather:");
  terminal.type("\r");
  await terminal.waitFor(/Type a name: .*, for example weather\.\s+Name of the tool, for example weather:$/s);
  terminal.type("Foo Bar\r");
  await terminal.waitFor("Name of the tool (foo-bar):");
  terminal.type("\r");
  const list = await terminal.waitFor("Language (typescript):");
  expect(list).toContain(`
Language:
  1  bash        not installed: bash, jq
  2  python
  3  node
  4  go          not installed: go
  5  typescript  not installed: npm
`);
  terminal.type("perl\r");
  await terminal.waitFor(/Type a number from 1 to 5, or a name\.\nLanguage \(typescript\):$/);
  terminal.type("2\r");
  await terminal.waitFor("Folder (foo-bar-tool):");
  terminal.type("taken\r");
  await terminal.waitFor("taken is not empty.");
  terminal.type("\r");
  await terminal.waitFor("Run git init? (y/N):");
  expect(readdirSync(cwd)).toEqual(["taken"]);
  terminal.type("yep\r");
  await terminal.waitFor(/Type y or n\.\nRun git init\? \(y\/N\):$/);
  terminal.type("y\r");
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).toContain("Created foo-bar-tool in foo-bar-tool/. Next:");
  expect(readdirSync(join(cwd, "foo-bar-tool")).sort()).toEqual(
    [".git", ".gitignore", "LICENSE", "README.md", "foo-bar", "foo-bar-tool", "package.json"].sort(),
  );
});

test("asks only for what the command line leaves out, and not for git init inside a repository", {
  timeout: 60_000,
}, async () => {
  const cwd = await tempDir({ ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/": "", ".git/objects/": "" });
  const terminal = await start(cwd, ["@acme/x", "--dir", "here"], ["git"]);
  await terminal.waitFor("Language (typescript):");
  terminal.type("node\r");
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).not.toMatch(/Name|Folder|git init/);
  expect(JSON.parse(readFileSync(join(cwd, "here/package.json"), "utf8")).name).toBe("@acme/x-tool");
});

test("asks nothing when name and language are given", async () => {
  const cwd = await tempDir();
  const terminal = await start(cwd, ["x", "--lang", "node"], ["git"]);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).toMatch(/^Created x-tool/);
});

test("refuses a --dir that is not empty before it asks", async () => {
  const cwd = await tempDir({ "full/note": "mine" });
  const terminal = await start(cwd, ["--dir", "full"]);
  expect(await terminal.exitCode).toBe(1);
  expect(terminal.screen()).toBe(
    "create-tool: full is not empty. Nothing was written. Choose another folder with --dir.",
  );
});

test.each([
  ["Ctrl-C", "\u0003", 130],
  ["Ctrl-D", "\u0004", 1],
])("leaves nothing behind when %s ends the questions, and exits as the README says", async (key, code, exitCode) => {
  const cwd = await tempDir();
  const terminal = await start(cwd);
  await terminal.waitFor("Name of the tool, for example weather:");
  terminal.type("x\r");
  await terminal.waitFor("Language (typescript):");
  terminal.type("1\r");
  await terminal.waitFor("Folder (x-tool):");
  terminal.type(code);
  expect(await terminal.exitCode).toBe(exitCode);
  expect(terminal.screen()).toMatch(/Folder \(x-tool\):.*\ncreate-tool: Nothing was written\.$/);
  expect(readme).toMatch(new RegExp(`^Exit codes: .*\\b${exitCode} [^,]*${key} ended the questions`, "m"));
  expect(readdirSync(cwd)).toEqual([]);
});
