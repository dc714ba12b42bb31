import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { gitUse } from "../src/decision/call-facts.ts";
import { readShell } from "../src/shell/shell.ts";

const projectDir = await tempDir({ "sub/": "", "other/.git/": "" });

test.each([
  "git add -A && git commit -m 'Add a product'",
  'git add . && git commit -qm "$(cat <<\'EOF\'\nAdd a product\n\nIt\'s (not) "much".\nEOF\n)" && git status',
  "git commit -am x 2>&1 | tail -3; git log --oneline -1",
  `cd ${projectDir} && git add src/*.ts a.txt`,
  "git commit --amend --no-edit --author='A <a@b>'",
  "git stash && git stash pop",
  "git stash push -m wip -u",
  "git switch -c next && git branch other && git tag -a v1 -m v1",
  "git checkout -b next",
  "git checkout -- a.txt && git restore --staged b.txt && git reset -q HEAD~1",
  "git rm --cached a.txt && git mv b.txt c.txt",
  "cd sub && git add . && git commit -m x",
])("is nothing but git that records work: %s", (command) => {
  expect(gitUse(readShell(command), projectDir)).toBe("commits");
});

test.each([
  "git push",
  "git pull && git status",
  "git merge main",
  "git checkout main",
  "git switch main",
  "git branch -D old",
  "git stash drop",
  "git reset --hard",
  "git add -f dist",
  "git add -p",
  "git add --for dist",
  "git add *",
  "git add ~/x",
  "git commit -S -m x",
  "git commit -e",
  "git commit -m x --template=x",
  "git -c core.hooksPath=x commit -m x",
  "git -C sub commit -m x",
  "git add a && git -C sub status",
  "git add a | xxd",
  "grep -n x * && git add a",
  "sed -n p a && git add a",
  "git add a; git grep x *",
  "git config user.name x",
  "git worktree add ../x",
])("needs to write to the repository from outside of the sandbox: %s", (command) => {
  expect(gitUse(readShell(command), projectDir)).toBe("writes");
});

test.each([
  "git status && git diff",
  "git branch -a; git stash list; git tag",
  "npm test && git add -A",
  "echo x > a && git add a",
  "git add a & git add b",
  "git add $(ls)",
  "X=1 git add a",
  "./git add a",
  "/usr/bin/git add a",
  "git init -q x && cd x && git add -A",
  "cd other && git add -A",
  "git -C other commit -m x",
  "cd /usr && git init",
  "git -C /usr add x",
  "git clone https://example.com/x",
  "git hash-object -w a",
  "git commit -F - < message > out",
  'git commit -m "$(cat <<EOF\nx\nEOF\n)"',
  "git commit -m \"$(cat <<'EOF'\nx\nEOF\n touch y\nEOF\n)\"",
  "git commit -m \"$(cat <<'EOF' > y\nx\nEOF\n)\"",
  "",
])("is something else, or only reads: %s", (command) => {
  expect(gitUse(readShell(command), projectDir)).toBeUndefined();
});
