// @module-tag sampled
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everyCheck } from "../src/checks/check-tool.ts";
import { conformance, isRunning, tempDir } from "../src/index.ts";
import { rules } from "../src/report/check-command.ts";

const bin = join(import.meta.dirname, "../dist/ikigai-testing.js");
const good = fixture("good/served-node-tool");
const mustFail = fixture("answer-once/two-objects-tool");
const shouldFail = fixture("refuses-null/takes-null-tool");

function fixture(path: string): string {
  return join(import.meta.dirname, "fixtures", path);
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(bin, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("prints a line per check, and exits with 0 if the tool conforms", () => {
  const { status, stdout, stderr } = run(good);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "ok      must   executable: is an executable file",
    "ok      must   file-name: has a file name that ends in -tool and gives a name that every model provider accepts",
  ]);
  expect(stdout).toMatch(
    /\n +it does not declare "service"\nConforms to the protocol: \d+ checks passed, 8 skipped\.\n$/,
  );
});

test("the numbers in the README's example add up to all checks", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const [, passed, all, skipped] = /^(\d+) of (\d+) checks passed, (\d+) skipped; failed: 1 must/m.exec(readme) ?? [];
  expect(Number(all)).toBe(conformance.length);
  expect(Number(passed) + Number(skipped) + 1).toBe(conformance.length);
});

test("exits with 1 if a MUST fails", () => {
  const { status, stdout } = run(mustFail);
  expect(status).toBe(1);
  expect(stdout).toContain(
    'FAILED  must   answer-once: answers with one object, not several\n               Called with {"text":"sample"}: it printed 2 JSON objects, expected one.\n               A host cannot tell which one is the answer. Collect the results, and print one object at the end.\n               Rule 1.4 of docs/protocol.md\n',
  );
  expect(stdout).toMatch(/failed: 1 must, 0 should\.\ndocs\/protocol\.md: https:.*\/docs\/protocol\.md\n$/);
});

test("counts SHOULD violations only with --strict", () => {
  expect(run(shouldFail, "--only", "refuses-null")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^0 of \d+ checks passed; failed: 0 must, 1 should; the others were not selected\.\n/m,
    ),
  });
  expect(run(shouldFail, "--only", "refuses-null", "--strict").status).toBe(1);
});

test("says at the end why checks were skipped, once per reason", () => {
  const { stdout } = run(fixture("good/sh-tool"));
  expect(stdout).toMatch(
    /\nskipped answers, answer-object, answer-once and \d+ more\n +needs a real call, and the schema does not declare readOnlyHint: true .* To make one: --call '\{…\}'\n/,
  );
  expect(stdout).toMatch(
    /\nConforms as far as it was tested: \d+ checks passed, \d+ skipped\.\nIts answers were not tested: no real call was made\. To make one: --call '\{…\}', or --examples if its schema has some\n$/,
  );
  const called = run(fixture("good/sh-tool"), "--call", "{}");
  expect(called.stdout).toMatch(/\nConforms to the protocol: \d+ checks passed, \d+ skipped\.\n$/);
});

test.each([
  ["--only", "name"],
  // All others, which take longer.
  ["--skip", conformance.flatMap(({ id }) => (id === "name" ? [] : [id])).join(",")],
])("does not say that a tool conforms with %s", (option, ids) => {
  const { status, stdout } = run(good, option, ids);
  expect(status).toBe(0);
  const sum = `1 of ${conformance.length} checks passed; the others were not selected.\n`;
  expect(stdout.endsWith(`\n${sum}`), stdout).toBe(true);
  expect(stdout).not.toContain("Conforms");
});

test("prints TAP", () => {
  const failing = run(mustFail, "--tap", "--only", "name,answer-once,schema-keys");
  expect(failing).toEqual({
    status: 1,
    stderr: "",
    stdout: `TAP version 14
ok 1 - name: has a name in its schema
ok 2 - schema-keys: has no unknown keys and no invalid values in its schema
not ok 3 - answer-once: answers with one object, not several
  ---
  level: must
  message: "Called with {\\"text\\":\\"sample\\"}: it printed 2 JSON objects, expected one."
  advice: "A host cannot tell which one is the answer. Collect the results, and print one object at the end."
  ...
1..3
`,
  });
  expect(run(shouldFail, "--tap", "--only", "refuses-null").stdout).toContain(
    "not ok 1 - refuses-null: treats null for a required parameter as missing # TODO should\n",
  );
  expect(run(fixture("good/sh-tool"), "--tap", "--only", "answers").stdout).toMatch(
    /^ok 1 - answers: .* # SKIP needs a real call/m,
  );
});

test("prints JSON", () => {
  const { status, stdout } = run(mustFail, "--json", "--only", "answer-once");
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    path: mustFail,
    name: "two_objects",
    ok: false,
    results: [
      {
        id: "answer-once",
        level: "must",
        title: "answers with one object, not several",
        status: "failed",
        problem: 'Called with {"text":"sample"}: it printed 2 JSON objects, expected one.',
        advice: "A host cannot tell which one is the answer. Collect the results, and print one object at the end.",
      },
    ],
  });
});

test("quotes a tool's output without control characters", async () => {
  const dir = await tempDir({ "evil-tool": "#!/bin/sh\nprintf '\\033]0;title\\007\\342\\200\\256'\n" });
  for (const format of ["--strict", "--tap"]) {
    const { stdout } = run(`${dir}/evil-tool`, format);
    expect(stdout).toContain("\u241b]0;title\u2407<U+202E>");
    expect(stdout).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  }
});

test("calls a tool with the given arguments", () => {
  const call = ["--call", '{"text":"a"}', "--call", '{"text":"b"}'];
  const { status, stdout } = run(mustFail, "--only", "answer-once", ...call);
  expect({ status, stdout }).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('Called with {"text":"a"}: it printed'),
  });
  expect(run(good, "--only", "answers", ...call)).toMatchObject({ status: 0 });
});

test("lists the checks", () => {
  expect(run("--list").stdout.split("\n")).toContain(
    "answer-once                must    1.4   answers with one object, not several",
  );
  const listed = JSON.parse(run("--list", "--json").stdout);
  expect(listed).toEqual(
    everyCheck.map(({ id, level, title, needs }) => ({ id, level, rule: rules[id], title, needs })),
  );
});

test.each([
  [[], "Missing PATH of a tool."],
  [["a-tool", "b-tool"], "Expected one path, got 2: a-tool b-tool."],
  [[good, "--tap", "--json"], "Expected --tap or --json, got both."],
  [[good, "--only", "nmae"], 'Unknown check "nmae"; --list prints the ids.'],
  [[good, "--skip", ""], 'Unknown check ""; --list prints the ids.'],
  [[good, "--call", "[]"], 'Expected --call to be a JSON object, got "[]".'],
  [
    [good, "--colour"],
    'Unknown option "--colour". Known: --call, --examples, --cwd, --only, --skip, --strict, --tap, --json, --list, --help.',
  ],
  [[good, "--only"], "Missing the value of --only."],
  [[good, "--cwd", "/no/where"], 'Expected --cwd to be a directory, got "/no/where".'],
])("exits with 2 for %j", (args, problem) => {
  expect(run(...args)).toEqual({
    status: 2,
    stdout: "",
    stderr: `ikigai-testing: ${problem} Try: ikigai-testing --help\n`,
  });
});

test("reports a missing file", () => {
  const { status, stdout } = run("no-tool");
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /^FAILED {2}must {3}executable: is an executable file\n +No file \/\S+\/no-tool\.\n +Check the path, or build the tool first\.\n +Rule 1\.1 of docs\/protocol\.md\n/,
  );
  expect(stdout).toMatch(/\nskipped starts, shebang, schema and \d+ more\n +needs executable, which failed\n/);
  expect(stdout.split("\n").length, stdout).toBeLessThan(11);
});

test("is one file that runs anywhere", async () => {
  const dir = await tempDir({ "package.json": '{ "type": "module" }' });
  copyFileSync(bin, `${dir}/check.js`);
  const { status } = spawnSync(process.execPath, [`${dir}/check.js`, good, "--only", "schema"], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("Exit codes: 0 it follows") });
});

test("kills the tool when it exits", async () => {
  const dir = await tempDir({ "hang-tool": '#!/bin/sh\necho $$ > "$PID_FILE"\nexec sleep 60\n' });
  const pidFile = join(dir, "pid");
  const child = spawn(bin, [`${dir}/hang-tool`], { env: { ...process.env, PID_FILE: pidFile }, stdio: "ignore" });
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/\d/);
  const exitCode = new Promise((settle) => child.once("exit", settle));
  child.kill("SIGINT");
  expect(await exitCode).toBe(130);
  await expect.poll(() => isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
});

test("exits quietly when its reader has gone", () => {
  const { stderr } = spawnSync("sh", ["-c", `"${bin}" "${good}" | head -n 1`], { encoding: "utf8" });
  expect(stderr).toBe("");
});
