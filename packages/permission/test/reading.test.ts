// Promises 2 and 6 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { maxScriptLength } from "../src/shell/programs.ts";
import { maxWords, readingProblem } from "../src/shell/reading.ts";

const tree = await tempDir({
  "proj/a.txt": "one\n",
  "proj/sub/b.txt": "",
  "proj/out": { link: "../elsewhere" },
  "proj/bin/cat": { content: "#!/bin/sh\n", mode: 0o755 },
  "elsewhere/key": "secret",
  "home/config.json": "",
});
const projectDir = join(tree, "proj");
const home = join(tree, "home");
spawnSync("git", ["init", "-q"], { cwd: projectDir });
const path = "/usr/bin:/bin";
const free = (command: string) => readingProblem(command, { projectDir, home, path });
const held = (command: string) => readingProblem(command, { projectDir, home, isHeld: true });

test.each([
  "cat a.txt",
  "cd sub && cat b.txt | wc -l",
  "head -n 5 a.txt 2>/dev/null",
  "grep -rn one . --include=x",
  "rg one sub",
  "find . -name x -type f",
  "sed -n 1,20p a.txt",
  "sed 's/a/b/g; 2d' a.txt",
  "ls -la sub; pwd && echo done",
  "git status --short && git diff --stat && git log --oneline -3",
  "git show HEAD",
  "sort -u a.txt | uniq -c < a.txt",
])("reads, in the sandbox and without: %s", (command) => {
  expect(held(command)).toBeUndefined();
  expect(free(command)).toBeUndefined();
});

test.each([
  "cat /etc/hosts *",
  "awk '{print $1}' a.txt",
  "jq -r .a b.json",
  "diff -r a b",
  "git -C sub blame a.txt",
  "git branch -a; git branch --list 'x*'; git stash list; git remote -v; git tag -l",
  "git config --get user.name && git worktree list",
  "cargo --version",
  "node --version",
  "command -v node",
  "du -sh node_modules/*",
])("reads in the sandbox only: %s", (command) => {
  expect(held(command)).toBeUndefined();
  for (const one of command.split(/; | && /))
    if (!one.startsWith("cargo") && !one.startsWith("command")) expect(free(one), one).toBeDefined();
});

test.each([
  "touch x",
  "cat a.txt > b.txt",
  "cat a.txt | tee b.txt",
  "find . -delete",
  "find . -exec rm {} +",
  "sed -i s/a/b/ a.txt",
  "sed -ni p a.txt",
  "sed 's/a/b/e' a.txt",
  "sed 'w x' a.txt",
  "awk 'BEGIN{system(\"x\")}'",
  "sort -o a.txt a.txt",
  "sort -uo a.txt a.txt",
  "sort --outp=x a.txt",
  "uniq a.txt b.txt",
  "rg --pre x y",
  "git commit -m x",
  "git branch new",
  "git branch -D x",
  "git -c core.pager=x log",
  "git log --output=x",
  "git log --outp x",
  "git grep -O x",
  "git stash",
  "git tag v1",
  "git config user.name x",
  "git reflog expire",
  "date -s 12:00",
  "hostname x",
  "npm test",
  "env x",
  "xargs cat",
  "command rm x",
  "$(echo cat) a.txt",
])("does not count as reading: %s", (command) => {
  expect(held(command)).toBeDefined();
  expect(free(command)).toBeDefined();
});

test.each([
  "cat ~/.bashrc",
  "find ~ -name a",
  "tail /tmp/x.log",
  "cat ../elsewhere/key",
  "ls ..",
  "cd /tmp",
  "ls /tmp/*",
  "grep x -f/tmp/p a",
])("does not count where the sandbox would hide the file: %s", (command) => {
  expect(held(command)).toContain("may be hidden in the sandbox");
  expect(free(command)).toBeDefined();
});

test("without the sandbox, a program of the project does not count, nor a path that a shell may read otherwise", () => {
  const own = readingProblem("cat a.txt", { projectDir, home, path: `${projectDir}/bin:${path}` });
  expect(own).toBe("cat may be a program from the project");
  expect(readingProblem("cat a.txt", { projectDir, home, path: `bin:${path}` })).toBe(own);
  for (const command of [
    "cat $HOME/x",
    "cat a.tx?",
    "cat {a,b}.txt",
    "cat out/key",
    "cat < out/key",
    "grep -f/etc/passwd a.txt",
  ])
    expect(free(command), command).toBeDefined();
});

test("without the sandbox, git does not count where the repository may run something", async () => {
  const inside = (files: Record<string, string>) => tempDir({ ".git/HEAD": "ref: refs/heads/main\n", ...files });
  for (const [files, counts] of [
    [{ ".git/config": '[core]\n\tbare = false\n[remote "o"]\n\turl = x\n' }, true],
    [{ ".git/config": "[core]\n\tfsmonitor = touch pwned\n" }, false],
    [{ ".git/config": "[include]\n\tpath = x\n" }, false],
    [{ ".git/config": '[filter "x"]\n\tclean = touch pwned\n' }, false],
    [{ ".git/config": "[core]\n\teditor = \\\n x\n" }, false],
    [{ ".git/hooks/post-index-change": "" }, false],
    [{ ".git/objects/info/alternates": "/x" }, false],
    [{ ".git/index": "broken" }, false],
    [{ ".git/commondir": "../x" }, false],
  ] as const) {
    const directory = await inside(files);
    const problem = readingProblem("git status", { projectDir: directory, home, path });
    expect(problem === undefined, `${JSON.stringify(files)}: ${problem}`).toBe(counts);
  }
});

test(`counts up to ${maxWords} words`, () => {
  const command = (count: number) => `echo ${Array.from({ length: count - 1 }, () => "x").join(" ")}`;
  expect([free(command(maxWords)), held(command(maxWords))]).toEqual([undefined, undefined]);
  expect(held(command(maxWords + 1))).toBe("it is too long");
});

test(`looks at sed scripts of up to ${maxScriptLength} characters`, () => {
  const script = (length: number) => `sed '${"p;".repeat(length / 2)}${length % 2 === 1 ? "p" : ""}' a.txt`;
  expect(held(script(maxScriptLength))).toBeUndefined();
  expect(held(script(maxScriptLength + 1))).toContain("may do more than read");
});
