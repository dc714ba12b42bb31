// Promises 2 and 6 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { readingProblem } from "../src/shell/reading.ts";
import { readShell } from "../src/shell/shell.ts";

const tree = await tempDir({
  "proj/a.txt": "one\n",
  "proj/-": { link: "../elsewhere/key" },
  "proj/-F": "x\n",
  "proj/links/out": { link: "../../elsewhere" },
  "proj/by-link/in": { link: "../other" },
  "proj/other/key": { link: "../../elsewhere/key" },
  "proj/copy/in/key": "x\n",
  "proj/copy/key": "x\n",
  "proj/sub/b.txt": "b\n",
  "proj/%n": "",
  "proj/names/A": "",
  "proj/names/A2": "",
  'proj/names/BEGIN{system("touch pwned")}': "",
  "proj/names/-daystart": "",
  "proj/names/-delete": "",
  "proj/programs/grep": { content: "#!/bin/sh\n", mode: 0o755 },
  "elsewhere/key": "SECRET-OF-ELSEWHERE\n",
  "elsewhere/SECRET-NAME": "",
  "home/config.json": "",
});
const projectDir = join(tree, "proj");
const home = join(tree, "home");
const problem = (command: string, path = "/usr/bin:/bin") => readingProblem(command, { projectDir, home, path });

describe.skipIf(process.platform !== "linux")("what each process finds elsewhere", () => {
  test.each([
    ...[
      "/proc/self/cwd/a.txt",
      "/proc/thread-self/cwd/a.txt",
      "/proc/self/root/etc/hostname",
      "/dev/stdin",
      "/dev/fd/0",
    ],
    ...[`/proc/${process.pid}/cwd/a.txt`, "../proj/by-proc/a.txt", "by-proc/a.txt"],
  ])("needs a question: %s", async (path) => {
    symlinkSync("/proc/self/cwd", join(projectDir, "by-proc"));
    onTestFinished(() => rmSync(join(projectDir, "by-proc")));
    const commands = [`cat ${path}`, `cat < ${path}`, `head -n 1 ${path}`, `grep -r one ${path}`];
    if (path.startsWith("/")) commands.push(`cd sub && cat ${path}`);
    for (const command of commands) expect(problem(command), command).toBeDefined();
  });

  test("needs a question for git, too", () => {
    for (const command of [
      "git -C /proc/self/cwd status",
      "cd sub && git -C /proc/self/cwd log",
      "cd /proc/self/cwd && ls",
    ])
      expect(problem(command), command).toBeDefined();
  });
});

describe("a program that takes options only before its operands", () => {
  test.each([
    "awk 1 -F ../elsewhere/key",
    "awk 1 a.txt -v /etc/hostname",
    "sed 'w pwned' -e p a.txt",
    "xxd a.txt -u",
    "uniq a.txt -c",
    "command rm -v a.txt",
    "command -- touch -v",
    "cut -f1 a.txt -d ../elsewhere/key",
    "ls -- a.txt -- ../elsewhere",
  ])("needs a question: %s", (command) => {
    expect(problem(command)).toBeDefined();
  });
});

describe("a pattern that expands to several names", () => {
  test.each([
    "cd names && awk -F * 1",
    "cd names && find . -name -d*",
    "cd names && find . -name '-d'*",
    "cd names && uniq *",
    "cd names && uniq ./A*",
    "cd names && xxd A*",
    "cd names && sort -k -*",
    "cd names && head -n A* A",
    "cd names && date -d * +%s",
    "git branch --sort *",
    "git branch --sort=*",
    "git log -n *",
    "sed --expression=s,*,y, a.txt",
    "sed -n --expression=?,2p a.txt",
    "strings --bytes=* a.txt",
    "jq --indent=* . a.txt",
  ])("needs a question if it may be more than operands: %s", (command) => {
    expect(problem(command)).toBeDefined();
  });
});

describe("a word that a program may read otherwise", () => {
  test.each([
    "grep -e -f/etc/passwd a.txt",
    "sort -t --output=x a.txt",
    `sort -t ${home}/config.json a.txt`,
    "git log -S .git/hooks/x",
    "git log -- .ikigai",
    "xxd -pc /etc/passwd",
    "xxd -pc a.txt",
    "xxd -ac a.txt out",
    "xxd -cols a.txt",
    "tree -Lo 1 out.txt",
    "tree -Pno x out.txt",
    "tree --filelimit -- -o out.txt",
    "tree --charset -o out.txt",
  ])("needs a question: %s", (command) => {
    expect(problem(command)).toBeDefined();
  });
});

describe("a path that is inside only by its name", () => {
  test.each([
    "cat < -",
    "rev -",
    "column -",
    "hexdump -C -",
    "ls -L links",
    "ls -LR .",
    "tree -l links",
    "diff -r by-link copy",
    "cd sub && diff -r ../o* ../copy",
    "egrep one a.txt",
    "fgrep one a.txt",
  ])("needs a question: %s", (command) => {
    expect(problem(command, `${projectDir}/programs:/usr/bin:/bin`)).toBeDefined();
  });
});

describe("a builtin that sets a variable", () => {
  test.each(["printf '12345%ln' PATH; ls", "printf -- %n PATH", "printf *n PATH", "wait -np PATH"])("%s", (command) => {
    expect(readShell(command)).toBeUndefined();
  });

  test.each(["printf '%s\\n' *", "printf '%ld\\n' 1", "wait -n"])("is allowed otherwise: %s", (command) => {
    expect(readShell(command)).toBeDefined();
  });
});

test("prints nothing from elsewhere without a question, also with POSIXLY_CORRECT", () => {
  const operands = [
    "1",
    "-",
    "a.txt",
    "-F",
    "-n",
    "-L",
    "-r",
    "-v",
    "-u",
    "links",
    "by-link copy",
    "../elsewhere/key",
    ".",
  ];
  const env = { PATH: process.env.PATH, POSIXLY_CORRECT: "1" };
  const commands = ["awk", "sed", "cat", "rev", "ls", "diff", "head", "cut", "column", "command ls"].flatMap(
    (program) => operands.flatMap((one) => operands.map((other) => `${program} 1 ${one} ${other}`)),
  );
  const tried = commands.filter((_, index) => inject("isThorough") || index % 12 === 0);
  const leaking = tried.filter((command) => {
    if (problem(command, env.PATH) !== undefined) return false;
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: projectDir, env, input: "", encoding: "utf8" });
    return /SECRET/.test(stdout + stderr);
  });
  expect(leaking).toEqual([]);
  expect(readFileSync(join(projectDir, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(join(projectDir, "pwned"))).toBe(false);
}, 60_000);
