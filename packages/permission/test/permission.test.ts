// Promise 6 of SECURITY.md.
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { decide, type Permission, type PermissionRule, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

const tree = await tempDir({
  "proj/src/a.ts": "",
  "proj/.git/config": "",
  "proj/in": { link: "src" },
  "proj/here": { link: "." },
  "proj/out": { link: "../elsewhere" },
  "proj/absolute": { link: "/etc" },
  "proj/secret.txt": { link: "../elsewhere/key" },
  "proj/dangling": { link: "../elsewhere/new" },
  "proj/circle": { link: "circle" },
  "proj/clean/sub/a.ts": "",
  "proj/clean/.hidden/out": { link: "../../../elsewhere" },
  "proj-evil/key": "",
  "elsewhere/key": "",
  "home/config.json": "{}",
});
const projectDir = join(tree, "proj");

function verdict(
  name: string,
  args: object,
  options: Partial<Permission> & { scope?: "user" | "project" } = {},
): Verdict {
  const { scope = "system", ...permission } = options;
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const home = join(tree, "home");
  const whole: Permission = { mode: "ask", rules: [], readOnlyCommands: false, projectDir, home, ...permission };
  return decide(call, registeredTool(name, scope, { readOnlyHint: true }), whole).verdict;
}

const rules = (...all: [Verdict, string][]): { rules: PermissionRule[] } => ({
  rules: all.map(([verdict, rule]) => ({ verdict, rule })),
});

test("a rule that allows follows no symlink of the project out of it; one that denies does", () => {
  for (const rule of ["file_write(out/*)", "file_write(secret.txt)", "file_write(dangling)"]) {
    const file_path = rule.slice("file_write(".length, -1).replace("*", "new");
    expect(verdict("file_write", { file_path }, rules(["allow", rule])), rule).toBe("ask");
    expect(verdict("file_write", { file_path }, rules(["deny", rule])), rule).toBe("deny");
  }
  for (const file_path of ["in/a", "src/a", "here/other"]) {
    expect(
      verdict("file_write", { file_path }, rules(["allow", "file_write(in/*)"], ["allow", "file_write(here/*)"])),
    ).toBe("ask");
    expect(
      verdict("file_write", { file_path }, rules(["deny", "file_write(in/*)"], ["deny", "file_write(here/*)"])),
    ).toBe("deny");
    expect(
      verdict("file_write", { file_path }, rules(["allow", "file_write(src/*)"], ["allow", "file_write(other)"])),
    ).toBe("allow");
  }
  const outside = rules(["allow", "file_write(../elsewhere/*)"]);
  expect(verdict("file_write", { file_path: "../elsewhere/a" }, outside)).toBe("allow");
  expect(verdict("file_write", { file_path: "out/a" }, outside)).toBe("allow");
  const absolute = (path: string) => rules(["allow", `file_write(${path})`]);
  for (const path of [`${projectDir}/out/*`, `${projectDir}/secret.txt`, `${tree}/elsewhere/../proj/out/*`]) {
    const file_path = path.replace("*", "new");
    expect(verdict("file_write", { file_path }, absolute(path)), path).toBe("ask");
  }
  expect(verdict("file_write", { file_path: "in/a" }, absolute(`${projectDir}/in/*`))).toBe("ask");
  expect(verdict("file_write", { file_path: "in/a" }, absolute(`${projectDir}/src/*`))).toBe("allow");
  expect(verdict("file_write", { file_path: "out/a" }, absolute(`${tree}/elsewhere/*`))).toBe("allow");
});

describe("reading", () => {
  test("allows reading saved long outputs", () => {
    const readableDirs = [join(tree, "elsewhere"), join(tree, "not-there")];
    expect(verdict("file_read", { file_path: "../elsewhere/key" }, { readableDirs })).toBe("allow");
    expect(verdict("file_read", { file_path: "out/key" }, { readableDirs })).toBe("allow");
    expect(verdict("file_read", { file_path: "../elsewhere/../proj-evil/key" }, { readableDirs })).toBe("ask");
    expect(verdict("file_write", { file_path: "../elsewhere/key" }, { readableDirs })).toBe("ask");
  });

  test.each(["src/a.ts", "./src/../src/a.ts", "in/a.ts", join(projectDir, "src/a.ts"), "src/new.ts"])(
    "finds %s inside the project",
    (file_path) => {
      expect(verdict("file_read", { file_path })).toBe("allow");
    },
  );

  test.each([
    "../elsewhere/key",
    "/etc/passwd",
    "absolute/passwd",
    "out/key",
    "out/../key",
    "secret.txt",
    "dangling",
    "circle",
    "in/../../elsewhere/key",
    "../proj-evil/key",
    join(tree, "proj-evil/key"),
    "out/new/deep",
    "src/\0",
    "../proj/../elsewhere/key",
  ])("does not find %j inside the project", (file_path) => {
    expect(verdict("file_read", { file_path })).toBe("ask");
  });

  test("asks about a third-party file_read, whatever it declares", () => {
    for (const scope of ["user", "project"] as const) {
      expect(verdict("file_read", { file_path: "src/a.ts" }, { scope })).toBe("ask");
    }
  });

  test("always asks about the user's directory, even inside the project", () => {
    expect(verdict("file_read", { file_path: "home/config.json" }, { projectDir: tree })).toBe("ask");
  });

  test.each([
    [{ pattern: "clean/**/*.ts" }, "allow"],
    [{ pattern: "*.ts", path: "src" }, "allow"],
    [{ pattern: "*.ts", path: "in" }, "allow"],
    [{ pattern: `${projectDir}/clean/*` }, "allow"],
    [{ pattern: "../*" }, "ask"],
    [{ pattern: "clean/../../*" }, "ask"],
    [{ pattern: "*/../../elsewhere/*" }, "ask"],
    [{ pattern: ".*/key" }, "ask"],
    [{ pattern: "\\.\\./key" }, "ask"],
    [{ pattern: "/etc/*" }, "ask"],
    [{ pattern: "*", path: "/etc" }, "ask"],
    [{ pattern: "*", path: ".." }, "ask"],
    [{ pattern: "*", path: "out" }, "ask"],
    [{ pattern: "o*/key" }, "ask"],
    [{ pattern: "key", path: "o*" }, "ask"],
    [{ pattern: "key", path: "[o]ut" }, "ask"],
    [{ pattern: "k*", path: "\\out" }, "ask"],
    [{ pattern: "*/.hidden/*/key" }, "ask"],
    [{ pattern: "**/out/key" }, "ask"],
    [{ pattern: 1.5 }, "ask"],
    // Listing a symlink's name does not follow it, and ** follows none.
    [{ pattern: "*" }, "allow"],
    [{ pattern: "**/*.ts" }, "allow"],
  ])("glob %j: %s", (args, expected) => {
    expect(verdict("glob", args)).toBe(expected);
  });

  test.each([
    [{ pattern: "x", path: "clean", glob: "**/*" }, "allow"],
    [{ pattern: "../*", path: "src" }, "allow"],
    [{ pattern: "x", path: "secret.txt" }, "ask"],
    [{ pattern: "x", glob: "*.txt" }, "ask"],
    [{ pattern: "x", glob: "../*" }, "ask"],
    [{ pattern: "x" }, "ask"],
    [{ pattern: "x", glob: "**/*.txt" }, "ask"],
    [{ pattern: "x", glob: "*/.hidden/out/key" }, "ask"],
    [{ pattern: "x", path: "o?t", glob: "key" }, "ask"],
    [{ pattern: "x", path: "secret.*" }, "ask"],
    // No readable symlink ends like this.
    [{ pattern: "x", glob: "**/*.ts" }, "allow"],
  ])("grep %j: %s", (args, expected) => {
    expect(verdict("grep", args)).toBe(expected);
  });
});

describe("rules", () => {
  test("decides by the first match", () => {
    expect(verdict("bash", { command: "git push" }, rules(["ask", "bash(git push*)"], ["allow", "bash(git *)"]))).toBe(
      "ask",
    );
    expect(verdict("bash", { command: "git log" }, rules(["ask", "bash(git push*)"], ["allow", "bash(git *)"]))).toBe(
      "allow",
    );
    expect(verdict("weather", { city: "Paris" }, rules(["allow", "weather"]))).toBe("allow");
    expect(verdict("weather", { city: "Paris" }, rules(["deny", "*"], ["allow", "weather"]))).toBe("deny");
    expect(verdict("weather", { city: "Paris" }, rules(["allow", 'weather({"city":"P*"})']))).toBe("allow");
  });

  test.each([
    "git status",
    "git status -s",
    " git status ",
    "git status && git status",
    "git status 2>&1 | cat",
    "git status > /dev/null",
    `git status "a;b"`,
    "git status 'a && b'",
    "git status a\\;b",
  ])("bash(git status*) allows %j", (command) => {
    expect(verdict("bash", { command }, rules(["allow", "bash(git status*)"], ["allow", "bash(cat)"]))).toBe("allow");
  });

  test.each([
    "git status; rm -rf /",
    "git status && rm x",
    "git status || rm x",
    "git status | sh",
    "git status & rm x",
    "git status\nrm x",
    "git status $(rm x)",
    "git status `rm x`",
    'git status "$(rm x)"',
    "git status > ../x",
    "git status < x",
    "git status <(rm x)",
    "git status >/dev/nullx",
    "git status $'\\'' ; rm x",
    "(git status)",
    "git status 'x",
    "git status \\",
    "x=1 git status",
    "rm x",
    "git status\r\nrm x",
    "git status \u0000",
  ])("but asks about %j", (command) => {
    expect(verdict("bash", { command }, rules(["allow", "bash(git status*)"]))).toBe("ask");
  });

  test("allows a command by a rule that is exactly the command, whatever it contains", () => {
    const command = "a; b > c * $(d)";
    expect(verdict("bash", { command }, rules(["allow", "bash(a; b > c \\* $(d))"]))).toBe("allow");
    expect(verdict("bash", { command }, rules(["allow", "bash"]))).toBe("allow");
    expect(verdict("bash", { command }, rules(["allow", "bash(a; b > *)"]))).toBe("ask");
  });

  test.each(["rm x", "true; rm x", "true && rm x", "echo $(rm x)", "(rm x)", "a | rm x\n"])(
    "finds a denied command in %j",
    (command) => {
      expect(verdict("bash", { command }, rules(["deny", "bash(rm *)"], ["allow", "bash"]))).toBe("deny");
    },
  );

  test.each([
    ["file_write(src/*)", "src/a.ts", "allow"],
    ["file_write(src/*)", "src/../b", "ask"],
    ["file_write(src/*)", "in/a.ts", "allow"],
    ["file_write(in/*)", "src/a.ts", "ask"],
    ["file_write(*)", "out/x", "ask"],
    ["file_write(*)", "dangling", "ask"],
    ["file_write(note.md)", "./note.md", "allow"],
    ["file_write(/*)", "/tmp/x", "allow"],
  ])("%s and %s: %s", (rule, file_path, expected) => {
    expect(verdict("file_write", { file_path, content: "" }, rules(["allow", rule]))).toBe(expected);
  });

  test("denies a path by its name and by its target", () => {
    const denied = rules(["deny", "file_read(secret*)"], ["deny", "file_read(../elsewhere/*)"], ["allow", "file_read"]);
    for (const file_path of ["secret.txt", "out/key"]) expect(verdict("file_read", { file_path }, denied)).toBe("deny");
  });

  test("matches a pattern of many stars quickly", () => {
    const command = "a".repeat(50_000);
    const before = process.cpuUsage().user;
    expect(verdict("bash", { command }, rules(["allow", `bash(${"a*".repeat(500)}b)`]))).toBe("ask");
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  });
});

describe("the mode", () => {
  test("decides if nothing else does", () => {
    for (const mode of ["ask", "allow", "deny"] as const) {
      expect(verdict("bash", { command: "ls" }, { mode })).toBe(mode);
      expect(verdict("file_read", { file_path: "src/a.ts" }, { mode })).toBe("allow");
    }
  });

  test.each([
    ["file_write", { file_path: ".ikigai/tools/x-tool" }],
    ["file_write", { file_path: ".IKIGAI/tools/x-tool" }],
    ["file_write", { file_path: ".ik\u200Bigai/x" }],
    ["file_edit", { file_path: ".git/config" }],
    ["file_write", { file_path: ".git/hooks/pre-commit" }],
    ["file_write", { file_path: "src/../.git/hooks/x" }],
    ["file_write", { file_path: join(tree, "home/config.json") }],
    ["file_write", { file_path: "circle" }],
    ["bash", { command: "echo x > .git/hooks/pre-commit" }],
    ["bash", { command: "cp x .ikigai/tools/" }],
    ["bash", { command: `cat ${join(tree, "home")}/config.json` }],
    ["deploy", { target: ".ikigai/tools/x-tool" }],
  ])("allow still asks about %s %j", (name, args) => {
    expect(verdict(name, args, { mode: "allow" })).toBe("ask");
    expect(verdict(name, args, { mode: "allow", ...rules(["allow", name]) })).toBe("ask");
    expect(verdict(name, args, { mode: "deny" })).toBe("deny");
  });

  test.each([
    ["file_write", { file_path: ".gitignore", content: "" }],
    ["file_write", { file_path: "a.md", content: "see .ikigai/tools" }],
    ["bash", { command: "git clone https://host/project.git" }],
    ["bash", { command: "git config --get user.name" }],
    ["bash", { command: "cat .github/workflows/ci.yml" }],
  ])("and not about %s %j", (name, args) => {
    expect(verdict(name, args, { mode: "allow" })).toBe("allow");
  });
});
