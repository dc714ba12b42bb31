// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkTool, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { isOnPath } from "./is-on-path.ts";
import { openTerminal } from "./terminal.ts";

/** Prints its arguments, one in each pair of brackets, and leaves a mark if a value was run. */
const show = `for one in "$@"; do printf '[%s]' "$one"; done\n`;

const getopts = `#!/bin/sh
# Deploy the app to a server.
# Usage: deploy.sh [-f] [-e ENV]
#   -e ENV   Where to
#   -f       Even if it is there
shown=$(${show.trim()})
while getopts fe:h option; do case $option in e) env=$OPTARG ;; f) force=1 ;; h) exit ;; esac; done
echo "env=$env force=$force $shown"
`;

const long = `#!/bin/bash
# Release a version
# --tag NAME     The tag to release
while [ $# -gt 0 ]; do
  case "$1" in
    -t|--tag) tag=$2; shift 2 ;;
    --dry-run) dry=1; shift ;;
    --to=*) to=\${1#*=}; shift ;;
    --help) exit ;;
    *) echo "unknown $1" >&2; exit 2 ;;
  esac
done
echo "tag=$tag dry=$dry"
`;

const branches = `#!/bin/bash
# Back it up
while getopts "d:kv:qz" opt; do
  case "$opt" in
    d) dir="$OPTARG" ;; # Where to put it
    # Keep the old ones
    k) KEEP=1 ;;
    v)
      log_level=$OPTARG
      ;;
    q|x) exec >/dev/null;;
  esac
done
`;

const sql = `-- Sales of a customer
-- :customer Their name
SELECT name, 'not :this' AS note, total FROM sales WHERE name = :customer AND total >= :least; -- :no
`;

const argparse = `#!/usr/bin/env python3
import argparse
parser = argparse.ArgumentParser(description="Resize pictures (all of them)")
parser.add_argument("files", nargs="+", help="The pictures, or 'one'")
parser.add_argument("--width", "-w", type=int, default=800, help="Pixels")
parser.add_argument("--fit", choices=["cover", "contain"], help="How")
parser.add_argument("--tag", action="append", help="Labels")
parser.add_argument("--dry-run", action="store_true",
    help="Only say it")
args = parser.parse_args()
print(args.files, args.width, args.fit, args.tag, args.dry_run)
`;

const argc = `#!/bin/sh
# @describe Greet a person
# @option --name! Whom
# @flag --loud Shout
${show}`;

const files = {
  "deploy.sh": { content: getopts, mode: 0o755 },
  "backup.sh": { content: branches, mode: 0o755 },
  "sales.sql": sql,
  "count.sql": "-- Count\nSELECT count(*) FROM sales WHERE name = :'customer' AND at > now()::date;\n",
  "release.sh": { content: long, mode: 0o755 },
  "resize.py": { content: argparse, mode: 0o755 },
  "greet.sh": { content: argc, mode: 0o755 },
  "odd one's": { content: `#!/bin/sh\n${show}`, mode: 0o755 },
  "package.json": '{"scripts":{"say":"node say.js","presay":"true","build:all":"node say.js all"}}',
  "say.js": "console.log(JSON.stringify(process.argv.slice(2)));",
  Makefile:
    ".PHONY: all test\nall: test ## Build all of it\n\t@echo built in $(CURDIR)\ntest: ## Test it\n\t@echo tested\nhidden:\n\t@echo no\n",
};

async function wrap(source: string, ...options: string[]) {
  const home = await tempDir();
  const cwd = await tempDir(files);
  const env = { HOME: home };
  const end = await ikigai(["tool", "wrap", source, "--yes", ...options], { cwd, env });
  const call = async (...words: string[]) => {
    const { stdout, stderr } = await ikigai(["tool", "call", ...words], { cwd, env });
    return stdout === "" ? stderr : JSON.parse(stdout).result;
  };
  const text = (file: string) => readFileSync(join(home, ".ikigai/tools", file), "utf8");
  return { end, call, text, cwd, tools: join(home, ".ikigai/tools") };
}

/** What would run if a value passed a shell. */
const evil = "a b $(touch ran) `touch ran` '; touch ran; \"";

describe("wraps what exists", () => {
  test("a shell script with getopts", async () => {
    const { end, call, text, cwd, tools } = await wrap("deploy.sh");
    expect(end).toMatchObject({ exitCode: 0 });
    expect(text("deploy-tool")).toBe(
      `#!/bin/sh\n# @describe Deploy the app to a server.\n# @flag -f Even if it is there\n# @option -e Where to\nexec ${cwd}/deploy.sh "$@"\n`,
    );
    expect(await call("deploy", `e=${evil}`, "f=true")).toMatchObject({
      output: `env=${evil} force=1 [-f][-e][${evil}]`,
    });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    const { results } = await checkTool(join(tools, "deploy-tool"));
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  });

  test("a shell script whose case says what its options are", async () => {
    const { text } = await wrap("backup.sh");
    expect(text("backup-tool").split("\n").slice(2, 7)).toEqual([
      "# @option -d Where to put it",
      "# @flag -k Keep the old ones",
      "# @option -v log level",
      "# @flag -q The option -q",
      "# @flag -z The option -z",
    ]);
  });

  test.skipIf(!isOnPath("sqlite3"))("a file of SQL for sqlite3", async () => {
    const { call, text, cwd } = await wrap("sales.sql");
    expect(text("sales-tool").split("\n").slice(1, 5)).toEqual([
      "# @describe Sales of a customer",
      "# @option --database! The file of the database",
      "# @option --customer! Their name",
      "# @option --least! The value of :least",
    ]);
    const odd = "O'Hara\n.shell touch ran\n; --";
    const rows = ["Ada", odd].map((name) => `INSERT INTO sales VALUES ('${name.replaceAll("'", "''")}', 7);`);
    const script = ["CREATE TABLE sales (name TEXT, total INTEGER);", ...rows].join("\n");
    execFileSync("sqlite3", [join(cwd, "shop.db"), script]);
    const sold = async (name: string, least: string) =>
      JSON.parse((await call("sales", "database=shop.db", `customer=${name}`, `least=${least}`)).output || "[]");
    expect(await sold("Ada", "7")).toEqual([{ name: "Ada", note: "not :this", total: 7 }]);
    expect(await sold(odd, "1")).toEqual([{ name: odd, note: "not :this", total: 7 }]);
    expect(await sold("Ada", "8")).toEqual([]);
    expect(await sold("' OR 1 --", "1")).toEqual([]);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("a file of SQL for psql", async () => {
    const { text, cwd } = await wrap("count.sql");
    expect(text("count-tool")).toContain(
      `# @option --customer! The value of :customer\nexec psql -X --csv -v ON_ERROR_STOP=1 -v customer="$argc_customer" -f ${cwd}/count.sql "$argc_database"\n`,
    );
  });

  test("a shell script with long options in a case", async () => {
    const { end, call, text, cwd } = await wrap("release.sh");
    expect(end.stderr).toContain("--to is left out: it takes its value only after =.");
    expect(text("release-tool")).toContain("# @option --tag The tag to release\n# @flag --dry-run dry\n");
    expect(await call("release", `tag=${evil}`, "dry_run=true")).toEqual({ output: `tag=${evil} dry=1` });
    expect(await call("release", "to=x")).toContain('release has no parameter "to"');
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test.skipIf(!isOnPath("python3"))("a Python script with argparse, which is not run", async () => {
    const { end, call, text } = await wrap("resize.py");
    expect(end.exitCode).toBe(0);
    expect(text("resize-tool")).toMatch(
      /^#!\/bin\/sh\n# @describe Resize pictures \(all of them\)\n# @arg files\+ The pictures, or 'one'\n# @option --width=800 <INT> Pixels\n# @option --fit\[cover\|contain\] How\n# @option --tag\* Labels\n# @flag --dry-run Only say it\nexec /,
    );
    expect(
      await call("resize", "files=-a", "files=b c", "width=5", "fit=cover", "tag[]=x", "tag[]=y", "dry_run=true"),
    ).toEqual({
      output: "['-a', 'b c'] 5 cover ['x', 'y'] True",
    });
  });

  test("a script for argc, by its comments", async () => {
    const { call } = await wrap("greet.sh");
    expect(await call("greet", `name=${evil}`, "loud=true")).toEqual({ output: `[--name][${evil}][--loud]` });
  });

  test("the scripts of package.json", async () => {
    const { end, call, text, cwd } = await wrap("package.json", "--name", "web");
    expect(end.exitCode).toBe(0);
    expect(text("web-tool")).not.toContain("presay");
    expect(await call("web_say", "arguments=one two", `arguments=${evil}`)).toEqual({
      output: JSON.stringify(["one two", evil]),
    });
    expect(await call("web_build_all", "arguments=x")).toEqual({ output: '["all","x"]' });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test.skipIf(!isOnPath("make"))("the described targets of a Makefile", async () => {
    const { call, text, cwd } = await wrap("Makefile", "--name", "tasks");
    expect(text("tasks-tool")).not.toContain("hidden");
    expect(await call("tasks_all")).toEqual({ output: `tested\nbuilt in ${cwd}` });
  });

  test("any other program, with a list of arguments and a note", async () => {
    const { end, call } = await wrap("odd one's");
    expect(end.stderr).toContain("The options of odd one's cannot be read.");
    expect(await call("odd_one_s", "arguments=--x", `arguments=${evil}`)).toEqual({ output: `[--x][${evil}]` });
  });

  test("for a project, by a path inside it, and trusts the new tool", async () => {
    const { end, cwd, call } = await wrap("deploy.sh", "--project");
    expect(end.exitCode).toBe(0);
    expect(readFileSync(join(cwd, ".ikigai/tools/deploy-tool"), "utf8")).toContain(
      'exec "$(dirname "$0")"/../../deploy.sh',
    );
    expect(await call("deploy", "e=here")).toMatchObject({ output: "env=here force= [-e][here]" });
  });
});

test("without a yes it only shows the tool", async () => {
  const cwd = await tempDir(files);
  const env = { HOME: await tempDir() };
  const { exitCode, stdout, stderr } = await ikigai(["tool", "wrap", "deploy.sh"], { cwd, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("pass --yes to confirm") });
  expect(stdout).toMatch(/^~\/\.ikigai\/tools\/deploy-tool:\n\n {2}#!\/bin\/sh\n {2}# @describe Deploy/);
  expect(existsSync(join(env.HOME, ".ikigai/tools/deploy-tool"))).toBe(false);
});

test.each([
  ["nowhere.sh", "Cannot read nowhere.sh: no such file or directory"],
  ["empty/package.json", "empty/package.json has no tasks to wrap."],
  ["notes.txt", "notes.txt cannot be run. Try: chmod +x notes.txt"],
])("refuses %s", async (source, problem) => {
  const cwd = await tempDir({ "empty/package.json": "{}", "notes.txt": "hello" });
  const { exitCode, stderr } = await ikigai(["tool", "wrap", source, "--yes"], { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(problem) });
});

test("the script that is shown wraps between words on a terminal", async () => {
  const script = `#!/bin/sh\n# Deploys the shop to a host, after it has asked the registry for the newest versions.\necho "$1"\n`;
  const cwd = await tempDir({ "deploy.sh": { content: script, mode: 0o755 } });
  const terminal = await openTerminal(["tool", "wrap", "./deploy.sh"], { cwd, columns: 80 });
  expect(await terminal.waitFor("Write it?")).toContain("asked the registry\n      for the newest versions.\n");
});
