import { linkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { decide, type Permission } from "../src/internal.ts";
import { findRefused } from "../src/permission/read-only/find-command.ts";
import { maxWords, readingProblem } from "../src/permission/read-only/only-reads.ts";
import { readingCommands } from "../src/permission/read-only/reading-commands.ts";
import { maxScriptLength } from "../src/permission/read-only/sed-script.ts";
import { maxEntries } from "../src/permission/read-only/stays-inside.ts";
import { registeredTool } from "./registered-tool.ts";

const tree = await tempDir({
  "proj/a.txt": "a",
  "proj/src/a.ts": "",
  "proj/src/deep/b.ts": "",
  "proj/in": { link: "src" },
  "proj/out": { link: "../elsewhere" },
  "proj/key.txt": { link: "../elsewhere/key" },
  "proj/bin/cat": { content: "", mode: 0o755 },
  "proj/options/-delete": "",
  "proj/options/a": "",
  "proj/linked/key.go": { link: "../../elsewhere/key" },
  "proj/clean/sub/c.txt": "",
  "elsewhere/key": "",
  "home/config.json": "{}",
});
const projectDir = join(tree, "proj");
const scope = { projectDir, home: join(tree, "home"), path: "/usr/bin:/bin" };

beforeEach(() => {
  vi.stubEnv("PATH", scope.path);
});

function verdict(command: string, options: Partial<Permission> = {}, own: "system" | "user" = "system"): string {
  const call = { id: "c", name: "bash", arguments: JSON.stringify({ command }) };
  const permission: Permission = { mode: "ask", rules: [], projectDir, home: scope.home, ...options };
  return decide(call, registeredTool("bash", own), permission).verdict;
}

describe("a read-only command", () => {
  test.each([
    "ls",
    "ls -la src",
    "cat a.txt src/a.ts",
    "cat in/a.ts",
    "head -5 a.txt",
    "head -n 5 a.txt | tail -n +2",
    "tail -n20 a.txt 2>/dev/null",
    "wc -l < a.txt",
    "sort a.txt | uniq -c | sort -rn | head",
    "cut -d, -f1 a.txt",
    "cut -d '|' -f 2- a.txt",
    "tr -d '\\r' < a.txt",
    "sed -n 5,10p a.txt",
    "sed -n '/start/,/end/p;20q' a.txt",
    "sed -e 's|/usr/bin|/bin|g' -e '$d' a.txt",
    "awk '{print $1}' a.txt",
    "awk -F: 'NR>=3 && NR<=9' a.txt",
    "jq -r '.items[] | .name' a.txt",
    "grep -rn 'a|b' src --include='*.ts'",
    "grep -rn TODO --include=*.ts .",
    "grep '/etc/passwd' a.txt",
    "rg -n 'fn \\w+' -g '*.ts' src",
    "find . -name '*.ts' -not -path './node_modules/*'",
    "find src \\( -name a -o -name b \\) -type f -newer a.txt -print0",
    "diff a.txt src/a.ts",
    "diff -r clean src",
    "du -sh clean",
    "file a.txt && stat -c %s a.txt",
    'cat a.txt; echo "exit: $?"',
    "echo --- ; echo '--delete'; printf '%s\\n' a",
    "pwd; which node; command -v git; date -u +%s",
    "test -f a.txt && echo yes || echo no",
    "[ -d src ] && ls src",
    "cd src && ls && cat deep/b.ts",
    `cd ${join(tree, "proj")} && ls`,
    "cat src/*.ts",
    "ls a.t* *.md >/dev/null 2>&1",
    "xxd a.txt | head",
    "python3 --version; node -v",
  ])("needs no question: %s", (command) => {
    expect(readingProblem(command, scope)).toBeUndefined();
    expect(verdict(command)).toBe("allow");
  });

  test.each([
    "cat ../elsewhere/key",
    "cat /etc/passwd",
    "cat out/key",
    "cat key.txt",
    "cat *.txt",
    "cat < key.txt",
    "cat ~/x",
    "cat $HOME/x",
    'cat "$HOME/x"',
    "cat $?*",
    "cat < $HOME/x",
    "ls ..",
    "ls .*/",
    "cat */key",
    "grep x --file=../elsewhere/key a.txt",
    "grep -f../elsewhere/key a.txt",
    "grep -e x /etc/passwd",
    "sed -n -e p /etc/passwd",
    "diff -r linked src",
    "gofmt -d linked",
    "find out/ -name x",
    "find / -name x",
    "find . -samefile /etc/passwd",
    "cd .. && ls",
    "cd out && ls",
    "cd /etc; cat passwd",
    "cd src/../.. && ls",
    "cat a.txt > b.txt",
    "cat a.txt >| b.txt",
    "cat a.txt &> b.txt",
    "cat a.txt &>> b.txt",
    "ls >& b.txt",
    "cat {a.txt,../elsewhere/key}",
    "cat a.txt $'\\x2fetc/passwd'",
    "cat <(rm a.txt)",
    "cat a.txt |& tee b.txt",
    "cat <<< $(rm a.txt)",
    "cat !(a.txt)",
    "cat ~+/../elsewhere/key",
    "echo x | tee b.txt",
    "sort a.txt -o b.txt",
    "uniq a.txt b.txt",
    "xxd a.txt b.txt",
    "cd options && ls *",
    "cd options && find . -name *",
    "ls & rm a.txt",
    "cat a.txt; rm a.txt",
    "env",
    "printenv HOME",
    "awk 'BEGIN{system(\"id\")}'",
    "awk '{print > \"b\"}' a.txt",
    "awk '{print | \"sh\"}' a.txt",
    'awk \'{ x="}"; print > "f" }\' a.txt',
    "awk 'BEGIN{print ENVIRON[\"HOME\"]}'",
    "awk 'BEGIN{while((getline l < \"/etc/passwd\")>0) print l}'",
    "jq -n env",
    "sed -n 'w b' a.txt",
    "sed 's/a/b/w c' a.txt",
    "sed 's/a/id/e' a.txt",
    "sed '1e id' a.txt",
    "sed 'r /etc/passwd' a.txt",
    "sed -n '1!{p;w b\n}' a.txt",
    "sed 's/[/]/w b;s/x/' a.txt",
    "sed 's/a/b/;w b' a.txt",
    "date -s 12:00",
    "date 01010000",
    "printf -v PATH x",
    "python3 x.py --version",
    "node -e 1 --version",
    "./bin/cat a.txt",
    "strings @a.txt",
    "strings -n @a.txt a.txt",
    "tail -f a.txt",
  ])("needs a question: %s", (command) => {
    expect(verdict(command)).toBe("ask");
  });

  test.each([
    ["cat a.txt", `${projectDir}/bin:/bin`],
    ["cat a.txt", "bin:/bin"],
    ["cd bin && cat ../a.txt", ":/bin"],
  ])("needs a question if PATH lets the project provide the program: %s with %s", (command, path) => {
    expect(readingProblem(command, { ...scope, path })).toBe("cat may be a program from the project");
    expect(readingProblem("ls", { ...scope, path })).toBeUndefined();
  });

  test.each(
    Object.entries(readingCommands).flatMap(([name, { refused = {} }]) =>
      Object.entries(refused).map(([option, reason]) => [name, option, reason] as const),
    ),
  )("%s %s needs a question: it %s", (name, option) => {
    expect(readingProblem(`${name} ${option}`, scope)).toBeDefined();
    expect(readingProblem(`${name} ${option} a.txt a.txt`, scope)).toBeDefined();
    expect(readingProblem(`${name} ${option}=a.txt a.txt`, scope)).toBeDefined();
    expect(readingProblem(`${name} ${option}a.txt`, scope)).toBeDefined();
  });

  test.each(Object.entries(findRefused))("find %s needs a question: it %s", (option) => {
    expect(readingProblem(`find . ${option} a.txt \\;`, scope)).toBeDefined();
    expect(readingProblem(`find . -name a ${option}`, scope)).toBeDefined();
    expect(readingProblem(`find ${option} .`, scope)).toBeDefined();
  });
});

describe("precedence", () => {
  test("checks rules before reading", () => {
    const rules = (verdict: "ask" | "deny") => ({ rules: [{ verdict, rule: "bash(cat *)" }] }) as const;
    expect(verdict("cat a.txt", { rules: [...rules("deny").rules] })).toBe("deny");
    expect(verdict("cat a.txt", { rules: [...rules("ask").rules] })).toBe("ask");
    expect(verdict("ls", { rules: [...rules("deny").rules] })).toBe("allow");
  });

  test("allows reading in plan mode, and not in mode deny", () => {
    expect(verdict("cat a.txt", { mode: "plan" })).toBe("allow");
    expect(verdict("rm a.txt", { mode: "plan" })).toBe("deny");
    expect(verdict("cat a.txt", { mode: "edits" })).toBe("allow");
    expect(verdict("cat a.txt", { mode: "deny" })).toBe("deny");
  });

  test("is off by the setting, for another bash and on another machine", () => {
    expect(verdict("cat a.txt", { readOnlyCommands: false })).toBe("ask");
    expect(verdict("cat a.txt", {}, "user")).toBe("ask");
    const call = { id: "c", name: "bash", arguments: JSON.stringify({ command: "cat a.txt" }) };
    const launcher = { argv: ["ssh", "host"], path: "bash-tool", remoteShell: true, directory: undefined };
    const permission: Permission = { mode: "ask", rules: [], projectDir, home: scope.home };
    expect(decide(call, { ...registeredTool("bash"), launcher }, permission).verdict).toBe("ask");
  });

  test("asks about reading the user's directory, even inside the project", () => {
    const inside = { ...scope, projectDir: tree };
    expect(readingProblem("cat home/config.json", inside)).toBeDefined();
    expect(readingProblem("cat */config.json", inside)).toBeDefined();
    expect(readingProblem("grep -r key .", inside)).toBeDefined();
    expect(readingProblem("grep -r key", inside)).toBeDefined();
    expect(readingProblem("find . -type f", inside)).toBeDefined();
    expect(readingProblem("grep -r key proj", inside)).toBeUndefined();
  });
});

describe("limits that lead to a question", () => {
  test("the entries that patterns cover", async () => {
    const project = async (entries: number) => {
      const root = await tempDir({ "d/0": "" });
      // Hard links take a fraction of the time of new files.
      for (let at = 1; at < entries; at++) linkSync(join(root, "d/0"), join(root, `d/${at}`));
      return root;
    };
    const most = await project(maxEntries);
    expect(readingProblem("cat d/*", { ...scope, projectDir: most })).toBeUndefined();
    expect(readingProblem("cat d/*; cat d/*", { ...scope, projectDir: most })).toBeDefined();
    const more = await project(maxEntries + 1);
    expect(readingProblem("cat d/*", { ...scope, projectDir: more })).toBeDefined();
  });

  test("words", () => {
    const command = (words: number) => `cat${" a.txt".repeat(words - 2)} ; pwd`;
    expect(readingProblem(command(maxWords), scope)).toBeUndefined();
    expect(readingProblem(command(maxWords + 1), scope)).toBeDefined();
  });

  test("the length of a sed script", () => {
    const script = (length: number) => `p;${" ".repeat(length - 3)}p`;
    expect(readingProblem(`sed -n '${script(maxScriptLength)}' a.txt`, scope)).toBeUndefined();
    expect(readingProblem(`sed -n '${script(maxScriptLength + 1)}' a.txt`, scope)).toBeDefined();
  });

  test.each([
    ["words", "cat a.txt ".repeat(13_000)],
    ["patterns", `cat ${"src/* ".repeat(1_900)}`],
    ["commands", "ls;".repeat(40_000)],
    ["brackets in a script", `sed -n '/${"[[:".repeat(40_000)}/p'`],
    ["links in a path", `cat ${"in/../".repeat(20_000)}a.txt`],
    ["options", `ls ${"-l ".repeat(40_000)}`],
  ])("checks many %s in under a second", (_, command) => {
    const before = process.cpuUsage();
    readingProblem(command, scope);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
