// Promise 1 of SECURITY.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { keys, openFull } from "./full/open-full.ts";
import { ikigai, some } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";
import { world } from "./tool-world.ts";

/** Every word in a source that starts programs, or looks for one: the names of all of ikigai's programs are among them. */
const names = [...new Set(["node", "sh", "env", "cp", "my-editor", ...wordsOfStarters()])];

function wordsOfStarters(): string[] {
  const root = join(import.meta.dirname, "../../..");
  return ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name, "src")))
    .filter((dir) => existsSync(dir))
    .flatMap((dir) => readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name)))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(path, "utf8"))
    .filter((text) => /startProgram|runProgram|runUserProgram|findProgram|child_process|EDITOR|program: "/.test(text))
    .flatMap((text) => [...text.matchAll(/"([a-z][a-z0-9-]+)"/g)].map(([, word = ""]) => word));
}

/** A project with programs of these names in directories that users put on the PATH, and a directory around it. */
async function projectOnPath() {
  const { root, cwd, env } = await world({ "pack/": "", "project/file.txt": "inside\n" });
  const mark = join(root, "mark");
  const stub = join(root, "stub");
  writeFileSync(stub, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`, { mode: 0o755 });
  for (const place of ["project", "project/node_modules/.bin", "node_modules/.bin"]) {
    mkdirSync(join(root, place), { recursive: true });
    for (const name of names) symlinkSync(stub, join(root, place, name));
  }
  return { root, cwd, env, mark };
}

test("ikigai never runs a program of the project instead of its own, whatever the PATH", {
  timeout: 120_000,
}, async () => {
  const { root, cwd, env, mark } = await projectOnPath();
  const places = [".", join(cwd, "node_modules/.bin"), "", "node_modules/.bin", join(root, "node_modules/.bin")];
  for (const place of some(2, places)) {
    const run = (...args: string[]) => ikigai(args, { cwd, env: { ...env, PATH: `${place}:${process.env.PATH}` } });
    expect((await run("tool", "list")).stdout).toContain("file_read");
    expect((await run("tool", "call", "file_read", '{"file_path":"file.txt"}')).stdout).toContain("inside");
    expect((await run("-p", "read file.txt", "--model", "offline")).stdout).toContain("inside");
    const fetched = await run("tool", "add", `file://${join(root, "pack")}`);
    expect(fetched.stderr).toContain("does not appear to be a git repository");
    await run("doctor");
    expect({ place, hasRun: existsSync(mark) }).toEqual({ place, hasRun: false });
  }
});

test("the names that the project takes are those of ikigai's programs", () => {
  expect(names).toEqual(expect.arrayContaining(["git", "npm", "vi", "xdg-open", "secret-tool", "xclip"]));
});

describe.each([{}, { EDITOR: "my-editor" }, { VISUAL: "my-editor -x" }])("with the editor of %j", (editor) => {
  /** Editors of the user, behind those of the project on the PATH. */
  async function editors() {
    const { root, cwd, env, mark } = await projectOnPath();
    const [bin, opened] = [join(root, "bin"), join(root, "opened")];
    mkdirSync(bin);
    for (const name of ["vi", "my-editor"])
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> '${opened}'\n`, { mode: 0o755 });
    const path = [".", "", cwd, join(cwd, "node_modules/.bin"), join(root, "node_modules/.bin"), bin, process.env.PATH];
    const expected = "VISUAL" in editor || "EDITOR" in editor ? "my-editor\n" : "vi\n";
    const hasOpened = () => existsSync(opened) && readFileSync(opened, "utf8") === expected;
    return { cwd, env: { ...env, ...editor, PATH: path.join(":") }, mark, hasOpened };
  }

  test("config edit opens the user's, never the project's", async () => {
    const { cwd, env, mark, hasOpened } = await editors();
    const terminal = await openTerminal(["config", "edit"], { cwd, env });
    expect(await terminal.exitCode).toBe(0);
    expect([hasOpened(), existsSync(mark)]).toEqual([true, false]);
  });

  test("Ctrl-G opens the user's, never the project's", async () => {
    const { cwd, env, mark, hasOpened } = await editors();
    const { terminal } = await openFull([], { cwd, env: { ...editor, PATH: env.PATH } });
    terminal.type(`a thought${keys.ctrlG}`);
    await expect.poll(hasOpened).toBe(true);
    expect(existsSync(mark)).toBe(false);
  });
});

test.each([[undefined], [""], ["."]])("config edit opens an editor of the system with the PATH %j", async (PATH) => {
  const { cwd, env, mark } = await projectOnPath();
  const terminal = await openTerminal(["config", "edit"], { cwd, env: { ...env, PATH, EDITOR: "true" } });
  expect(await terminal.exitCode).toBe(0);
  expect([terminal.screen().includes("Nothing was changed."), existsSync(mark)]).toEqual([true, false]);
});

test("a tool does not run if only the project has its interpreter", async () => {
  const { cwd, env, mark } = await projectOnPath();
  const tool = join(env.HOME, ".ikigai/tools/odd-tool");
  mkdirSync(dirname(tool), { recursive: true, mode: 0o700 });
  writeFileSync(tool, "#!/usr/bin/env odd-program\n", { mode: 0o755 });
  writeFileSync(join(cwd, "odd-program"), `#!/bin/sh\necho odd >> '${mark}'\n`, { mode: 0o755 });
  const { stdout, stderr } = await ikigai(["tool", "list"], {
    cwd,
    env: { ...env, PATH: `${cwd}:${process.env.PATH}` },
  });
  expect(`${stdout}${stderr}`).toContain("is not on your PATH outside the project");
  expect(existsSync(mark)).toBe(false);
});

test.each(["-S VAR=1 node", '-S node --title="a b"'])("a user's tool may be started by env %s", async (words) => {
  const { cwd, env, mark } = await projectOnPath();
  const tool = join(env.HOME, ".ikigai/tools/odd-tool");
  mkdirSync(dirname(tool), { recursive: true, mode: 0o700 });
  const schema = { name: "odd", description: "x", parameters: { type: "object", properties: {} } };
  const text = `#!/usr/bin/env ${words}\nconsole.log('${JSON.stringify(schema)}');\n`;
  writeFileSync(tool, text, { mode: 0o755 });
  const PATH = `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`;
  expect((await ikigai(["tool", "list"], { cwd, env: { ...env, PATH } })).stdout).toMatch(/^ *odd\b/m);
  expect(existsSync(mark)).toBe(false);
});

test("programs on the PATH below the home are the user's, even if ikigai starts in the home", async () => {
  const { env } = await world({});
  const bin = join(env.HOME, "own/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexport BY_OWN_NODE=yes\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  const own = { ...env, PATH: `${bin}:/usr/bin:/bin` };
  for (const cwd of [env.HOME, "/"]) {
    const { stdout } = await ikigai(["tool", "call", "bash", '{"command":"echo $BY_OWN_NODE"}'], { cwd, env: own });
    expect(stdout).toContain('"output":"yes"');
  }
});
