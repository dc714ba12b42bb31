// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkTool, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { isOnPath } from "./is-on-path.ts";
import { openTerminal } from "./terminal.ts";

/** A shared cache, since compiling Go's library takes longer than everything else. */
const goCache = join(import.meta.dirname, "../../../.turbo/go-build");

/** The output of the test command on success. */
const languages = [
  { lang: "bash", program: "jq", passed: /^All passed\.$/m },
  { lang: "python", program: "python3", passed: /^OK$/m },
  { lang: "node", program: "node", passed: /^(#|ℹ) fail 0$/m },
  { lang: "go", program: "go", passed: /^ok\s/m },
];

for (const { lang, program, passed } of languages) {
  describe.skipIf(!isOnPath(program))(`in ${lang} (needs ${program})`, () => {
    // Go may have to compile its library first.
    const options = { timeout: 180_000 };
    test("works at once, follows the whole protocol, and has a passing test", options, async () => {
      const home = await tempDir();
      const env = { HOME: home, GOCACHE: goCache, GOFLAGS: "-mod=mod" };
      const { exitCode, stdout, stderr } = await ikigai(["tool", "new", "word_count", "--lang", lang, "--json"], {
        env,
      });
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(lang === "go" ? /^Building: go build .*\n$/ : /^$/);
      const tools = join(home, ".ikigai/tools");
      // Only the tool is loaded, neither its source nor its test.
      expect(readdirSync(tools)).toEqual(["word-count", "word-count-tool"]);
      const call = await ikigai(["tool", "call", "word_count", '{"text":"one two\\nthree\\n"}'], { env });
      expect(JSON.parse(call.stdout)).toEqual({ tool_success: true, result: { lines: 2, words: 3 } });
      const { results } = await checkTool(join(tools, "word-count-tool"));
      expect(results.filter(({ status }) => status === "failed")).toEqual([]);
      expect(results.filter(({ status }) => status === "passed").length).toBeGreaterThan(30);
      const command = /^Test it: {2}(.*)$/m.exec(stdout)?.[1] ?? "";
      const testEnv = { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: "1" };
      expect(execFileSync("sh", ["-c", `${command} 2>&1`], { env: testEnv, encoding: "utf8" })).toMatch(passed);
    });
  });
}

describe("a plain tool", () => {
  test.each([
    ["sh", undefined],
    ["bash", "bash"],
    ["python", "python3"],
    ["ruby", "ruby"],
    ["perl", "perl"],
    ["node", "node"],
    ["awk", "awk"],
  ])("in %s is five lines, passes its checks and can be called at once", async (lang, program = "sh") => {
    const home = await tempDir();
    const env = { HOME: home };
    const { exitCode, stdout, stderr } = await ikigai(["tool", "new", "word-count", "--lang", lang], { env });
    const file = join(home, ".ikigai/tools/word-count-tool");
    expect(readFileSync(file, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(5);
    if (!isOnPath(program)) {
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Not usable yet") });
      return;
    }
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      "Wrote ~/.ikigai/tools/word-count-tool\nCall it:  ikigai tool call word_count text='one two'\nCheck it: ikigai tool check word_count\n",
    );
    for (const text of ["one two\nthree", "--help", "-v x=1", "$(touch ran) `id` ' \""]) {
      const call = await ikigai(["tool", "call", "word_count", `text=${text}`], { env });
      const output = String(text.split(/\s+/).length);
      expect(JSON.parse(call.stdout)).toEqual({
        tool_success: true,
        result: { output: expect.stringMatching(/^ *\d+$/) },
      });
      expect(JSON.parse(call.stdout).result.output.trim()).toBe(output);
    }
    expect((await checkTool(file)).results.filter(({ status }) => status === "failed")).toEqual([]);
  });

  test("is in sh without --lang, and the printed line calls it from any directory", async () => {
    const cwd = await tempDir();
    const { stdout } = await ikigai(["tool", "new", "count", "--dir", "."], { cwd });
    expect(readdirSync(cwd)).toEqual(["count-tool"]);
    const line = /^Call it: +(.*)$/m.exec(stdout)?.[1] ?? "";
    expect(execFileSync("/bin/sh", ["-c", line], { cwd, encoding: "utf8" }).trim()).toBe("2");
  });
});

test("the test of a new tool fails when the tool breaks", async () => {
  const home = await tempDir();
  await ikigai(["tool", "new", "broken", "--lang", "node", "--json"], { env: { HOME: home } });
  const run = () => spawnSync("node", ["--test"], { cwd: join(home, ".ikigai/tools/broken") }).status;
  expect(run()).toBe(0);
  writeFileSync(join(home, ".ikigai/tools/broken-tool"), "#!/bin/sh\necho '{}'\n");
  expect(run()).toBe(1);
});

test("in a project it is trusted at once, but no other file is", async () => {
  const home = await tempDir();
  const cwd = await tempDir();
  const options = { cwd, env: { HOME: home } };
  const args = ["--lang", "python", "--json", "--project"];
  const created = await ikigai(["tool", "new", "mine", ...args], options);
  expect(created).toMatchObject({ exitCode: 0, stderr: "" });
  expect(created.stdout).toContain("Check it: ikigai tool check .ikigai/tools/mine-tool\n");
  expect((await ikigai(["tool", "call", "mine", '{"text":"a"}'], options)).exitCode).toBe(0);
  writeFileSync(join(cwd, ".ikigai/tools/theirs-tool"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
  const { stderr } = await ikigai(["tool", "new", "more", ...args], options);
  expect(stderr).toContain("Not in use yet: the project has files that you have not trusted.");
  expect(existsSync(join(cwd, ".ikigai/tools/ran"))).toBe(false);
});

test("tool check of a project's tool that has changed says what to type, and runs nothing", async () => {
  const options = { cwd: await tempDir(), env: { HOME: await tempDir() } };
  await ikigai(["tool", "new", "mine", "--lang", "bash", "--json", "--project"], options);
  const file = join(options.cwd, ".ikigai/tools/mine-tool");
  writeFileSync(file, readFileSync(file, "utf8").replace("\n", "\ntouch ran\n"));
  const byName = await ikigai(["tool", "check", "mine"], options);
  expect(byName).toMatchObject({
    exitCode: 2,
    stderr:
      "ikigai: Not run: you have not trusted .ikigai/tools/mine-tool, or it has changed since. " +
      "To check it, which runs it: ikigai tool check .ikigai/tools/mine-tool\nTry: ikigai tool check --help\n",
  });
  expect(existsSync(join(options.cwd, "ran"))).toBe(false);
  const byPath = await ikigai(["tool", "check", ".ikigai/tools/mine-tool", "--only", "schema"], options);
  expect(byPath).toMatchObject({ exitCode: 0 });
});

test("in a project that was never trusted, says that the project is not trusted, not that it has changed", async () => {
  const options = { cwd: await tempDir({ ".ikigai/commands/hi.md": "Hi.\n" }), env: { HOME: await tempDir() } };
  const run = (...args: string[]) => ikigai(args, options);
  expect((await run("tool", "new", "mine", "--lang", "bash", "--project")).stderr).toContain("Not in use yet");
  const { stdout } = await run("trust", "--show");
  expect(stdout).toMatch(/\.ikigai is not trusted:\n/);
  expect(stdout).toMatch(/\n {2}commands\/hi\.md {2}file 644\n/);
  expect(stdout).toMatch(/\n {2}tools\/mine-tool {2}file 755 {2}added by you\n/);
  const list = await run("tool", "list");
  expect(list.stdout).toContain(
    "mine (.ikigai/tools/mine-tool): untrusted: to use it, review it and run: ikigai trust",
  );
  expect((await run("trust", "--yes")).stdout).toContain("Trusted until one of these files changes.");
  expect((await run("tool", "call", "mine", '{"text":"a"}')).exitCode).toBe(0);
});

test("says how to build it if the toolchain is missing, and creates no tool that cannot run", async () => {
  const home = await tempDir();
  const env = { HOME: home, PATH: await tempDir({ node: { link: process.execPath } }) };
  const { exitCode, stderr } = await ikigai(["tool", "new", "fast", "--lang", "go"], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    `Not usable yet: go is not on your PATH. Install it, then build the tool: cd ${home}/.ikigai/tools/fast && go build -buildvcs=false -o ../fast-tool .\nTo start over, remove it: rm -r ${home}/.ikigai/tools/fast\n`,
  );
  expect(readdirSync(join(home, ".ikigai/tools"))).toEqual(["fast"]);
});

test("overwrites nothing, and says what it overrides", async () => {
  const cwd = await tempDir({ "tools/old-tool": "mine" });
  const run = (...args: string[]) => ikigai(["tool", "new", ...args, "--lang", "bash", "--dir", "tools"], { cwd });
  expect(await run("old")).toMatchObject({
    exitCode: 1,
    stderr: `ikigai: ${cwd}/tools/old-tool already exists. Nothing was written. Choose another name, or remove it: rm -r ${cwd}/tools/old-tool\n`,
  });
  expect(readdirSync(join(cwd, "tools"))).toEqual(["old-tool"]);
  expect((await run("bash")).stderr).toMatch(/^Another tool is called bash: \S+ \(system\)\.$/m);
  expect(lstatSync(join(cwd, "tools/bash-tool")).mode & 0o777).toBe(0o755);
  const home = await tempDir();
  const write = (...args: string[]) => ikigai(["tool", "new", ...args, "--lang", "node"], { cwd, env: { HOME: home } });
  const { stderr } = await write("glob", "--project");
  expect(stderr).toMatch(/^It overrides \S+ \(system\): every call of glob now runs the new tool\. To undo: ikigai /m);
  expect((await write("glob")).stderr).toMatch(
    /^Not used here: \.ikigai\/tools\/glob-tool \(project\) overrides it\.$/m,
  );
  const dry = await ikigai(["tool", "remove", "glob", "--project", "--dry-run"], { cwd, env: { HOME: home } });
  expect(dry).toMatchObject({ exitCode: 0, stdout: "Files to remove:\n  .ikigai/tools/glob-tool\n" });
  const [, undo = ""] = /To undo: ikigai (.*)$/m.exec(stderr) ?? [];
  expect(undo).toBe("tool remove glob --project --yes");
  expect((await ikigai(undo.split(" "), { cwd, env: { HOME: home } })).exitCode).toBe(0);
  expect(existsSync(join(cwd, ".ikigai/tools/glob-tool"))).toBe(false);
});

test("the printed line calls the new tool from the current directory", async () => {
  const cwd = await tempDir();
  const { stdout } = await ikigai(["tool", "new", "count", "--lang", "node", "--json", "--dir", "."], { cwd });
  const line = /^Call it: +(.*)$/m.exec(stdout)?.[1] ?? "";
  expect(JSON.parse(execFileSync("/bin/sh", ["-c", line], { cwd, encoding: "utf8" }))).toEqual({ lines: 0, words: 2 });
});

test("the printed lines are right for a directory with a space and a quote in its name", async () => {
  const home = await tempDir({ "o'ne two/": "" });
  const cwd = await tempDir();
  const env = { HOME: home, IKIGAI_HOME: join(home, "o'ne two") };
  for (const args of [
    ["--lang", "node", "--json"],
    ["--lang", "bash", "--json", "--dir", "a & b"],
  ]) {
    const { stdout } = await ikigai(["tool", "new", "count", ...args], { cwd, env });
    const [, line = ""] = /^Test it: +(.*)$/m.exec(stdout) ?? [];
    const shell = { cwd, env: { ...process.env, ...env }, encoding: "utf8" } as const;
    expect(execFileSync("/bin/sh", ["-c", line], shell)).toMatch(/fail 0|All passed/);
    const [, call = ""] = /^Call it: +(.*)$/m.exec(stdout) ?? [];
    if (args.includes("--dir")) expect(execFileSync("/bin/sh", ["-c", call], shell)).toContain('"words":2');
  }
  const missing = { ...env, PATH: await tempDir({ node: { link: process.execPath } }) };
  const { stderr } = await ikigai(["tool", "new", "fast", "--lang", "go", "--dir", "a & b"], { cwd, env: missing });
  expect(stderr).toContain(`then build the tool: cd '${cwd}/a & b/fast' && go build`);
});

test.each([
  [
    ["My Weather"],
    'Invalid name "My Weather": use up to 64 lowercase letters, digits and hyphens, starting with a letter. Try: my-weather',
  ],
  [
    ["@acme/weather"],
    "Only a package can have a scope. To create one: npm create @ikigai/tool @acme/weather-tool -- --lang bash",
  ],
])("refuses the name %j with advice", async (args, advice) => {
  const home = await tempDir();
  const { exitCode, stderr } = await ikigai(["tool", "new", ...args, "--lang", "bash"], { env: { HOME: home } });
  expect(stderr).toContain(advice);
  expect(exitCode).toBe(2);
  expect(existsSync(join(home, ".ikigai/tools"))).toBe(false);
});

test.each([
  ["Weather", 2],
  ["../x", 2],
  ["-tool", 2],
  ["@a/b/c", 2],
  ["", 2],
  ["a".repeat(65), 2],
  ["weather", 0],
])("the name %j ends with the same exit code as in npm create @ikigai/tool: %i", async (name, exitCode) => {
  const cwd = await tempDir();
  const env = { HOME: await tempDir() };
  expect(await ikigai(["tool", "new", name, "--lang", "node"], { env })).toMatchObject({ exitCode });
  const creator = join(import.meta.dirname, "../../../packages/create-tool/dist/create-tool.js");
  expect(spawnSync(creator, [name, "--lang", "node"], { cwd })).toMatchObject({ status: exitCode });
  expect(readdirSync(cwd)).toEqual(exitCode === 0 ? ["weather-tool"] : []);
});

test("refuses a name that is taken before it asks for the language", async () => {
  const cwd = await tempDir({ "x-tool": "mine" });
  const terminal = await openTerminal(["tool", "new", "x", "--json", "--dir", "."], { cwd });
  expect(await terminal.exitCode).toBe(1);
  expect(terminal.screen()).toMatch(/^ikigai: \S+x-tool already exists\. Nothing was written\. Choose another name/);
});

test("reports an unreachable registry quickly, and what to do", async () => {
  const home = await tempDir();
  const env = { HOME: home, npm_config_registry: "http://127.0.0.1:9/", npm_config_cache: `${home}/cache` };
  const { exitCode, stdout, stderr } = await ikigai(["tool", "new", "far", "--lang", "typescript"], { env });
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain("Call it");
  expect(stderr).toMatch(/^To start over, remove it: rm -r \S+\/tools\/far$/m);
  const removal = await ikigai(["tool", "remove", "far", "--yes"], { env });
  expect(removal).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/, but its folder exists. To remove it: rm -r \S+\/tools\/far$/m),
  });
  expect(stderr).toMatch(
    /^Using the libraries of \S+ instead .*\nBuilding: node \S+ packages .* && npm install .*\nNot built: node failed: .*ECONNREFUSED.* To try again: cd /,
  );
  // This command runs from a clone, so it does not depend on what is published.
  const { devDependencies } = JSON.parse(readFileSync(join(home, ".ikigai/tools/far/package.json"), "utf8"));
  const ours = Object.entries<string>(devDependencies).filter(([name]) => name.startsWith("@ikigai/"));
  expect(ours.map(([name]) => name)).toEqual(["@ikigai/protocol", "@ikigai/testing", "@ikigai/tool-sdk"]);
  for (const [, range] of ours) expect(range).toMatch(/^file:packages\/ikigai-[-a-z]+-[\d.]+\.tgz$/);
  // It is in use already, so its README neither adds nor publishes it.
  const readme = readFileSync(join(home, ".ikigai/tools/far/README.md"), "utf8");
  expect(readme).not.toMatch(/tool add|npm publish|\{\{/);
  expect(readme).toContain("`../far-tool` is a link to it");
});

test("asks for name and language on a terminal", { timeout: 60_000 }, async () => {
  const cwd = await tempDir();
  const terminal = await openTerminal(["tool", "new", "--json", "--dir", "."], { cwd });
  await terminal.waitFor("Name of the tool, for example weather:");
  terminal.type("Foo\r");
  await terminal.waitFor("Name of the tool (foo):");
  terminal.type("\r");
  await terminal.waitFor("Language (typescript):");
  terminal.type("3\r");
  expect(await terminal.exitCode).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(["foo", "foo-tool"]);
});

test.each([
  ["Ctrl-C", "\u0003", 130],
  ["Ctrl-D", "\u0004", 1],
])("writes nothing when %s ends its questions", async (_, key, exitCode) => {
  const cwd = await tempDir();
  const terminal = await openTerminal(["tool", "new", "x", "--json", "--dir", "."], { cwd });
  await terminal.waitFor("Language (typescript):");
  terminal.type(key);
  expect(await terminal.exitCode).toBe(exitCode);
  expect(terminal.screen()).toMatch(/Language \(typescript\):.*\n(ikigai: )?Nothing was written\.$/);
  expect(readdirSync(cwd)).toEqual([]);
});

test.runIf(process.platform === "linux")("fails instead of looping below /proc", async () => {
  const { exitCode, stderr } = await ikigai(["tool", "new", "x", "--lang", "bash", "--dir", "/proc/x"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "ikigai: Nothing was changed: /proc/x: no such file or directory.\n",
  });
});
