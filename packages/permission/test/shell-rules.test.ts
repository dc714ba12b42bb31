// Promise 6 of SECURITY.md.
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import type { Permission } from "../src/index.ts";
import { permissionModes } from "../src/permission.ts";
import { rules, verdictOn } from "./decide-call.ts";

const tree = await tempDir({
  "proj/src/a.ts": "",
  "proj/in": { link: "src" },
  "proj/out": { link: "../elsewhere" },
  "elsewhere/key": "",
});
const projectDir = join(tree, "proj");

function bash(command: string, permission: Partial<Permission>): string {
  return verdictOn("bash", { command }, { projectDir, ...permission });
}

describe("an allow rule with a star", () => {
  const allowed = rules(["allow", "bash(git status*)"], ["allow", "bash(head *)"]);

  test.each([
    "git status # '\ntouch x #'",
    "git status # don't\nrm -rf ~\n# isn't",
    "git status \\\\\ntouch x",
    "git status # \\\ntouch x",
    "git status 2>&1;touch x",
    "git status \\\n; touch x",
    "git status; \u00A0git status",
    "\u00A0git status",
    "git status &>/dev/null touch x",
    "PATH=. git status",
    "git status >x",
    "git status 2>x",
    "git status &> x",
    "git status &>>x",
    "git status >& x",
    "git status {a,b}",
    "head {a,../../b}",
    "head $'\\x2d-x'",
    "head <(rm x)",
    "head x |& rm y",
    "head <<< $(rm x)",
    "head $[$(rm x)]",
    'git status "$(touch x)"',
    "git status <<x\nx\ntouch x",
    "git status; alias git=touch; git status",
    "git status; export PATH=.; git status",
    ">x",
  ])("does not allow %j", (command) => {
    expect(bash(command, allowed)).toBe("ask");
  });

  test.each([
    "git status 2>&1; git status",
    "git status >/dev/null;git status",
    "git status >/dev/null 2>&1 | head -5",
    "git status 2>/dev/null | head -5",
    "git status|head -5&&git status",
    "git status # don't\ngit status # isn't",
    "git \\\n  status",
    "git   status",
    "git status 'a;b' \"c|d\" e\\&f",
    "2>/dev/null git status",
  ])("allows %j", (command) => {
    expect(bash(command, allowed)).toBe("allow");
  });

  test("allows a redirection for a part that a rule matches exactly", () => {
    const all = rules(["allow", "bash(date > x)"], ["allow", "bash(git status*)"]);
    expect(bash("date > x && git status", all)).toBe("allow");
    expect(bash("date > y && git status", all)).toBe("ask");
  });
});

describe("a star of an allow rule does not cover", () => {
  test.each([
    ["rm build/*", "rm build/../keep.txt"],
    ["rm build/*", "rm build/a ../keep.txt"],
    ["cat ../*", "cat ../../key"],
    ["git add *", "git add .."],
    ["cc *", "cc -I../elsewhere a.c"],
    ["find *", "find . -maxdepth 0 -exec touch M \\;"],
    ["find *", "find . -ok rm {} \\;"],
    ["find *", "find . -name victim -delete"],
    ["find *", "find . -fprintf out %p"],
    ["find . *", "find . -execdir sh -c 'touch x' \\;"],
    ["find *", "find . -del*"],
    ["sort *", "sort -o out a"],
    ["sort *", "sort -uo out a"],
    ["sort *", "sort --outp=out a"],
    ["sed *", "sed -n 'w F' a"],
    ["sed *", "sed 's/a/touch x/e' a"],
    ["sed *", "sed -ni 1p a"],
    ["sed -n *", "sed -n -e 1p --expression='w F' a"],
    ["awk *", "awk '{system(\"touch x\")}' a"],
    ["awk *", "awk -F , '{print > \"x\"}' a"],
    ["rg *", "rg --pre sh x"],
    ["tar *", "tar -cf a.tar --checkpoint-action=exec=sh ."],
    ["git fetch *", "git fetch --upload-pack='touch X;' ."],
    ["git fetch *", "git fetch --upload-pa 'touch X;' ."],
    ["git push *", "git push --receive-pack=x"],
    ["git grep *", "git grep -Oless x"],
    ["git diff *", "git diff --output=x"],
    ["git log *", "git log --outp x"],
    ["git *", "git rebase -x 'touch x' HEAD~1"],
    ["git *", "git clone -c a.b=x a b"],
    ["make test *", "make test --eval='$(shell touch x)'"],
    ["go test *", "go test -exec sh ./..."],
    ["cargo test *", "cargo test --config x"],
  ])("with bash(%s): %s", (pattern, command) => {
    expect(bash(command, rules(["allow", `bash(${pattern})`]))).toBe("ask");
    expect(bash(command, rules(["allow", `bash(${command.replace(/[\\*]/g, "\\$&")})`]))).toBe("allow");
    expect(bash(command, rules(["deny", `bash(${pattern})`]))).toBe("deny");
    expect(bash(command, rules(["allow", "bash"]))).toBe("allow");
  });

  test.each([
    ["cat ../*", "cat ../key"],
    ["find . -exec *", "find . -exec wc {} \\;"],
    ["find *", "find . -name '*.ts' -printf '%p'"],
    ["sed -i *", "sed -i s/a/b/ a.txt"],
    ["sed -n 'w F' *", "sed -n 'w F' a"],
    ["sort -o out *", "sort -o out a"],
    ["sort *", "sort -t o -k 2 a"],
    ["awk *", "awk -F o '{print $1}' a"],
    ["git push *", "git push -u origin main"],
    ["git diff *", "git diff -Oorder a..b"],
    ["git log *", "git log main..x -- *.ts"],
    ["git fetch --upload-pack=*", "git fetch --upload-pack=x ."],
    ["make *", "make -j4 test V=1"],
    ["rm build/*", "rm build/a..b build/..x"],
    ["npm *", "npm run build -- --output=x"],
  ])("but with bash(%s) it does: %s", (pattern, command) => {
    expect(bash(command, rules(["allow", `bash(${pattern})`]))).toBe("allow");
  });
});

test("a star of an allow rule covers no pattern that the shell may replace with ..", () => {
  expect(bash("rm build/.?/keep.txt", rules(["allow", "bash(rm build/*)"]))).toBe("ask");
});

test("a star of an allow rule covers no .. in the arguments of another tool", () => {
  const allowed = rules(["allow", 'files({"path":"src/*)']);
  expect(verdictOn("files", { path: "src/a" }, allowed)).toBe("allow");
  expect(verdictOn("files", { path: "src/../key" }, allowed)).toBe("ask");
  expect(verdictOn("files", { path: "src/a", text: "see ../key" }, allowed)).toBe("allow");
});

describe("a leading cd", () => {
  const allowed = rules(["allow", "bash(git status*)"]);

  test.each([
    "cd src && git status",
    "cd src; git status",
    "cd in && git status 2>&1",
    `cd ${projectDir} && git status`,
    "cd src && git status & git status",
    "cd src; git status &>/dev/null",
  ])("needs no rule to a directory in the project: %s", (command) => {
    expect(bash(command, allowed)).toBe("allow");
  });

  test.each([
    "cd out && git status",
    "cd .. && git status",
    "cd / && git status",
    "cd && git status",
    "cd - && git status",
    "cd none; git status",
    "cd src/a.ts; git status",
    "cd src || git status",
    "cd src | git status",
    "cd src & git status",
    "cd src &>/dev/null && git status",
    "git status & cd src",
    "git status; cd src; git status",
    "cd src && rm x",
  ])("does not count in %s", (command) => {
    expect(bash(command, allowed)).toBe("ask");
  });

  test("can still be denied", () => {
    expect(bash("cd src && git status", rules(["deny", "bash(cd *)"], ["allow", "bash(git *)"]))).toBe("deny");
    // The strictest verdict of the parts wins, in any order.
    for (const command of ["rm x; git push", "echo; git push; rm x"]) {
      expect(bash(command, rules(["ask", "bash(git *)"], ["deny", "bash(rm *)"])), command).toBe("deny");
    }
  });
});

describe("a rule that denies or asks", () => {
  const denied = rules(["deny", "bash(touch *)"]);

  test.each([
    "touch x",
    "git status \\\\\ntouch x",
    "git status # '\ntouch x #'",
    "t''ouch x",
    "\\touch x",
    '"touch" x',
    "/bin/touch x",
    "./touch x",
    "TOUCH x",
    "touch \\\nx",
    "touch",
    "env touch x",
    "nice -n 5 touch x",
    "command touch x",
    "exec touch x",
    ". touch x",
    "source touch x",
    "xargs touch x",
    "find . -exec touch {} \\;",
    "sudo /usr/bin/touch x",
    "sh -c 'touch x'",
    "$(touch x)",
    "if touch x; then y; fi",
    "A=b touch x # y",
  ])("finds its command in %j", (command) => {
    for (const mode of permissionModes) {
      expect(bash(command, { mode, ...denied })).toBe("deny");
    }
  });

  test.each([
    "t$(echo)ouch x",
    "a=touch; $a x",
    "eval 'tou''ch x'",
    "alias a=touch\na x",
    "tou?h x | cat `y`",
    "sh -c 'tou\"\"ch x'",
    "echo 'x' | sh",
    "bash -lc x",
    "env tou?h x",
    "xargs env",
    "env -S 'tou\"\"ch x'",
    "python -c 'os.system(\"touch x\")'",
    "echo touch x",
    "<<x cat\nx",
    "a \r b",
  ])("asks about %j, in which it could be", (command) => {
    for (const mode of permissionModes) {
      expect(bash(command, { mode, ...denied })).toBe(mode === "deny" || mode === "plan" ? "deny" : "ask");
      if (mode === "plan") continue;
      expect(bash(command, { mode, ...rules(["deny", "bash(touch *)"], ["allow", "bash"]) })).toBe(
        mode === "deny" ? "deny" : "ask",
      );
    }
  });

  test.each(["ls -l", "git status && ls", "sh run.sh", "find . -name '*.ts'", "xargs grep x", "touchy x", "a 'b c'"])(
    "ignores %s",
    (command) => {
      expect(bash(command, { mode: "allow", ...denied })).toBe("allow");
    },
  );

  test("lets a command pass that a rule allows exactly", () => {
    const command = "a=$(b) && echo $a";
    expect(bash(command, rules(["deny", "bash(touch *)"], ["allow", `bash(${command})`]))).toBe("allow");
    expect(bash(`${command} x`, rules(["deny", "bash(touch *)"], ["allow", `bash(${command})`]))).toBe("ask");
  });

  test("applies to bash with a name that ends in a star", () => {
    const all = rules(["deny", "ba*(touch *)"]);
    expect(bash("touch x", { mode: "allow", ...all })).toBe("deny");
    expect(bash("$x", { mode: "allow", ...all })).toBe("ask");
    expect(bash("$x", { mode: "allow", ...rules(["deny", "file_*(touch *)"]) })).toBe("allow");
  });

  test("decides about every command without a pattern, parsed or not", () => {
    expect(bash("$x", rules(["ask", "bash(a *)"], ["deny", "bash"]))).toBe("deny");
    expect(bash("$x", { mode: "allow", ...rules(["allow", "bash"], ["ask", "*"]) })).toBe("allow");
  });
});

describe("beside parts that a rule allows", () => {
  const free = {
    readOnlyCommands: true,
    ...rules(["allow", "bash(npm *)"], ["allow", "bash(ln *)"], ["deny", "bash(pwd)"]),
  };

  test.each([
    "npm test | tail -5",
    "npm test 2>&1 | grep -v ok | head -n 3; echo done",
    "cd src && npm test | wc -l",
    "echo start && npm test",
  ])("needs no rule for read-only parts: %s", (command) => {
    expect(bash(command, free)).toBe("allow");
    expect(bash(command, { ...free, readOnlyCommands: false })).toBe("ask");
    expect(bash(command, { ...free, mode: "deny" })).toBe("deny");
  });

  test.each([
    "ln -s / x && cat x/etc/passwd",
    "cat src/a.ts | ln -s / src/x",
    "ln -s / x; ls x",
    "ln -s / x; grep -r root .",
    "npm x; git status",
    "npm test | tail -5 | sh",
    "npm test | sort -o src/a.ts",
  ])("needs one for parts that may be led outside: %s", (command) => {
    expect(bash(command, free)).toBe("ask");
  });

  test("respects a rule that denies one of them", () => {
    expect(bash("npm test; pwd", free)).toBe("deny");
  });
});

test.each([
  "git -C . push",
  "git -C 'a b' push x",
  "git --no-pager push origin",
  "/usr/bin/git -c a=b --git-dir x -P push",
])("does not let git options bypass a deny rule: %s", (command) => {
  const permission = { mode: "allow" as const, ...rules(["deny", "bash(git push *)"]) };
  expect(verdictOn("bash", { command }, permission)).toBe("deny");
  expect(verdictOn("bash", { command: "git -C push status" }, permission)).toBe("allow");
});

describe("an allow rule about a program by its relative path", () => {
  const literal = rules(
    ["allow", "bash(./run.sh)"],
    ["allow", "bash(cd src && tools/it)"],
    ["allow", "bash(npm test)"],
  );
  const star = rules(["allow", "bash(./run.sh *)"], ["allow", "bash(tools/*)"]);

  test.each([
    ["./run.sh", literal],
    ["npm test && ./run.sh", literal],
    ["cd . && ./run.sh", literal],
    ["cd src && cd .. && ./run.sh", literal],
    ["cd src && tools/it", literal],
    ["cd src && npm test", literal],
    ["./run.sh x; tools/it y", star],
    ["cd src/.. && ./run.sh x", star],
  ])("means the project's directory: %s", (command, permission) => {
    expect(bash(command, permission)).toBe("allow");
  });

  test.each([
    ["cd src && ./run.sh", literal],
    ["cd in && ./run.sh", literal],
    ["npm test; cd src; ./run.sh", literal],
    ["cd src && npm test && ./run.sh", literal],
    ["cd nothing || ./run.sh", literal],
    ["pushd src; ./run.sh", literal],
    ["cd src && ./run.sh x", star],
    ["cd src && tools/it", star],
    ["cd src & ./run.sh x", star],
  ])("and in another directory it does not: %s", (command, permission) => {
    expect(bash(command, permission)).toBe("ask");
    // What denies counts everywhere.
    const denied = permission.rules.map(({ rule }) => ({ verdict: "deny" as const, rule }));
    expect(bash(command, { rules: denied })).toBe("deny");
  });
});

describe("a star covers a number or the home directory in a variable", () => {
  const permission = rules(
    ["allow", "bash(echo *)"],
    ["allow", "bash(git fetch *)"],
    ["allow", "bash(mkdir -p /tmp/*)"],
  );

  test.each([
    ["echo $HOME", "allow"],
    ['echo "$HOME/x" $\x7bHOME}/y', "allow"],
    ["mkdir -p /tmp/x-$PPID /tmp/y-$$", "allow"],
    ['mkdir -p /tmp/x; echo "exit: $?"', "allow"],
    ["echo $HOMER", "ask"],
    ["echo $\x7bHOME:-x}", "ask"],
    ["echo $x", "ask"],
    // If the variable is empty, what follows it is the word.
    ["git fetch $HOME--upload-pack=x", "ask"],
    ['git fetch "$HOME"--upload-pack=x', "ask"],
    ["git fetch $x--upload-pack=x", "ask"],
    ["git fetch --upload-pack=$HOME/x", "ask"],
    ["git fetch -$?", "ask"],
    ["echo $HOME/../x", "ask"],
    ["echo x > $HOME/x", "ask"],
    ["$HOME/x", "ask"],
    ["HOME=x echo $HOME", "ask"],
  ])("%s: %s", (command, expected) => {
    expect(verdictOn("bash", { command }, permission)).toBe(expected);
  });
});

test.each([
  ["for f in *; do wc -l $f; done", "allow"],
  ["python3 - <<'END'\nprint(1)\nEND", "allow"],
  ["bash -c 'ls | head'", "allow"],
  ["grep -rn 'git push' docs", "allow"],
  ["for r in a b; do git -C $r push; done", "ask"],
  ["bash -c 'git push'", "ask"],
  ["x=$(git 'push')", "ask"],
  ["nice git push", "ask"],
  ["for f in a; do git push $f; done", "ask"],
] as const)("in the sandbox, a rule that asks counts where its words are: %s → %s", (command, verdict) => {
  const sandboxOf = () => "offered" as const;
  const asking = rules(["ask", "bash(git push *)"]);
  expect(verdictOn("bash", { command }, { mode: "auto", sandboxOf, ...asking })).toBe(verdict);
  // Outside of it, also where they may be.
  expect(verdictOn("bash", { command }, { mode: "auto", ...asking })).toBe("ask");
});
