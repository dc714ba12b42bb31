// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = fileURLToPath(new URL("../dist/create-tool.js", import.meta.url));
const dependencies = fileURLToPath(new URL("../node_modules", import.meta.url));

/** Runs the command in this directory. */
function create(cwd: string, ...args: string[]) {
  const env = { ...process.env, npm_config_init_author_name: "A. Author" };
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("makes a package that builds, passes its tests and is packed as one executable", {
  timeout: 120_000,
}, async () => {
  const cwd = await tempDir();
  expect(create(cwd, "@acme/line-count")).toMatchObject({ status: 0, stderr: "" });
  const folder = join(cwd, "line-count-tool");
  // What `npm install` would install. These are sources, so their types differ.
  symlinkSync(dependencies, join(folder, "node_modules"));
  const npm = (...args: string[]) =>
    execFileSync("npm", args, { cwd: folder, env: ownEnvironment(), encoding: "utf8" });
  npm("run", "build");
  expect(npm("exec", "--", "vitest", "run")).toMatch(/Tests +\d{2,} passed/);
  const packed = join(
    cwd,
    JSON.parse(npm("pack", "--json", "--pack-destination", cwd).replace(/^[^[]*/, ""))[0].filename,
  );
  const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n").sort();
  expect(files).toEqual(
    ["LICENSE", "README.md", "dist/line-count-tool", "dist/package.json", "package.json"].map(
      (file) => `package/${file}`,
    ),
  );
  const alone = await tempDir();
  execFileSync("tar", ["-xzf", packed, "-C", alone, "--strip-components=2", "package/dist/line-count-tool"]);
  const schema = JSON.parse(execFileSync(join(alone, "line-count-tool"), ["--schema"], { encoding: "utf8" }));
  expect(schema).toMatchObject({ name: "line_count", ikigai: { version: "0.1.0" } });
});

/** The environment without the variables that vitest sets for its own processes. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|FORCE_COLOR|npm_)/i.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: "1" };
}

test("fills in the names, the author and the current versions", async () => {
  const cwd = await tempDir();
  create(cwd, "@acme/line-count-tool");
  const read = (path: string) => readFileSync(join(cwd, "line-count-tool", path), "utf8");
  expect(read("LICENSE")).toContain(`Copyright (c) ${new Date().getFullYear()} A. Author\n`);
  const manifest = JSON.parse(read("package.json"));
  expect(manifest).toMatchObject({
    name: "@acme/line-count-tool",
    bin: { "line-count-tool": "dist/line-count-tool" },
    ikigai: { tools: ["./dist/line-count-tool"] },
  });
  const installed = (name: string) =>
    JSON.parse(readFileSync(join(dependencies, name, "package.json"), "utf8")).version;
  for (const [name, range] of Object.entries(manifest.devDependencies)) expect(range).toBe(`^${installed(name)}`);
  for (const file of readdirSync(join(cwd, "line-count-tool"), { recursive: true, withFileTypes: true }))
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toContain("{{");
});

test("leaves a folder alone that is not empty", async () => {
  const cwd = await tempDir({ "x-tool/note": "mine" });
  const end = create(cwd, "x");
  expect(end).toMatchObject({
    status: 1,
    stderr: "create-tool: x-tool is not empty. Nothing was written. Choose another folder with --dir.\n",
  });
  expect(readdirSync(join(cwd, "x-tool"))).toEqual(["note"]);
});

test.each([
  ["full", "full is not empty."],
  ["file", "file is not a folder."],
])("refuses --dir %s", async (dir, reason) => {
  const cwd = await tempDir({ "full/note": "mine", file: "" });
  const stderr = `create-tool: ${reason} Nothing was written. Choose another folder with --dir.\n`;
  expect(create(cwd, "x", "--dir", dir)).toEqual({ status: 1, stdout: "", stderr });
});

test.runIf(process.platform === "linux")("fails instead of looping below /proc", async () => {
  const cwd = await tempDir();
  // A loop makes the shell kill it.
  const end = spawnSync(bin, ["x", "--lang", "bash", "--dir", "/proc/x"], {
    cwd,
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  expect(end).toMatchObject({
    status: 1,
    stderr: "create-tool: Cannot write to /proc/x: no such file or directory. Choose another folder with --dir.\n",
  });
});

test.each([
  [
    ["x", "--dri", "y"],
    'Unknown option "--dri". Known: --help, --lang, --dir, --git. Try: npm create @ikigai/tool -- --help',
  ],
  [["x", "--dir"], "Missing the value of --dir. Try: npm create @ikigai/tool -- --help"],
  // npm drops the name of an option before `--`.
  [
    ["x", "here"],
    'Unexpected "here". Only a language may follow NAME: bash, python, node, go, typescript. npm needs -- before the options: npm create @ikigai/tool NAME -- --dir DIR',
  ],
  [
    ["x", "node", "y"],
    'Unexpected "y". Only a language may follow NAME: bash, python, node, go, typescript. npm needs -- before the options: npm create @ikigai/tool NAME -- --dir DIR',
  ],
])("says in its own words what is wrong with %j", async (args, problem) => {
  expect(create(await tempDir(), ...args)).toEqual({ status: 2, stdout: "", stderr: `create-tool: ${problem}\n` });
});

test("takes a language after the name for that of --lang, whose name npm drops", async () => {
  const cwd = await tempDir();
  expect(create(cwd, "x", "node")).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(join(cwd, "x-tool"))).toContain("x-tool");
  expect(create(cwd, "y", "node", "--lang", "bash")).toMatchObject({ status: 2 });
});

test("writes nothing with --git where git is not installed", async () => {
  const cwd = await tempDir();
  const PATH = await tempDir({ node: { link: process.execPath } });
  const end = spawnSync(process.execPath, [bin, "x", "--git"], { cwd, env: { PATH }, encoding: "utf8" });
  expect(end).toMatchObject({ status: 1, stderr: expect.stringMatching(/^create-tool: git is not on your PATH\. /) });
  expect(readdirSync(cwd)).toEqual([]);
});

test("says in one line that the name is missing, and how to give one", async () => {
  const stderr = "create-tool: Missing NAME. Usage: npm create @ikigai/tool NAME -- --lang LANGUAGE\n";
  expect(create(await tempDir())).toEqual({ status: 2, stdout: "", stderr });
});

test("writes into --dir, and runs git init there with --git", async () => {
  const cwd = await tempDir();
  const { status, stdout } = create(cwd, "x", "--lang", "node", "--dir", "tools/mine", "--git");
  expect({ status, next: stdout.includes("  cd tools/mine\n") }).toEqual({ status: 0, next: true });
  expect(readdirSync(join(cwd, "tools/mine")).sort()).toEqual(
    [".git", ".gitignore", "LICENSE", "README.md", "package.json", "x", "x-tool"].sort(),
  );
  expect(readFileSync(join(cwd, "tools/mine/.gitignore"), "utf8")).toMatch(/^__pycache__\/$/m);
});

test.each([
  [["Weather"]],
  [["../x"]],
  [["@a/b/c"]],
  [["-tool"]],
  [[]],
  [["--lang", "bash"]],
  [["a", "b"]],
  [["a", "--template", "b"]],
  [["a", "--lang", "perl"]],
])("rejects the command line %j, and writes nothing", async (args) => {
  const cwd = await tempDir();
  const { status, stderr } = create(cwd, ...args);
  expect(stderr).toMatch(/^create-tool: /);
  expect(status).toBe(2);
  expect(readdirSync(cwd)).toEqual([]);
  expect(existsSync(join(cwd, "../x-tool"))).toBe(false);
});

test("ends quietly when its reader has gone, with the package written", async () => {
  const cwd = await tempDir();
  const script = 'set -o pipefail; "$0" words-tool --lang bash | true';
  const { status, stderr } = spawnSync("bash", ["-c", script, bin], { cwd, encoding: "utf8" });
  expect([0, 141]).toContain(status);
  expect(stderr).toBe("");
  expect(existsSync(join(cwd, "words-tool/package.json"))).toBe(true);
});
