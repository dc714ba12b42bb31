// Promises 1 and 6 of SECURITY.md.
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import type { PermissionMode } from "../src/index.ts";
import { maxCommandLength } from "../src/shell/shell.ts";
import { maxPathLength, realTarget } from "../src/targets/paths.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { expectLinear } from "./growth.ts";

const home = "/nowhere/home";

describe("asks in every mode, whatever the rules, before a call names what decides what runs", () => {
  const commands = [
    "touch .ikigai/tools/x-tool",
    "echo x > .git/hooks/pre-commit",
    "cp x $IKIGAI_HOME/tools",
    "git config core.hooksPath x",
    `cat ${home}/config.json`,
  ];

  test.each(commands)("%s", (command) => {
    for (const mode of ["ask", "edits", "auto", "allow"] as const) {
      expect(verdictOn("bash", { command }, { mode, home, ...rules(["allow", "bash"]) })).toBe("ask");
      expect(verdictOn("shell", { cmd: command }, { mode, home, ...rules(["allow", "*"]) })).toBe("ask");
    }
    expect(verdictOn("bash", { command }, { mode: "deny", home })).toBe("deny");
  });

  test.each(["ls .config .github", "git clone https://host/ikigai.git", "npm install @ikigai/cli"])(
    "not %s",
    (command) => {
      expect(verdictOn("bash", { command }, { mode: "allow", home })).toBe("allow");
    },
  );

  test("not where the sandbox holds the call", () => {
    const held = { mode: "auto" as const, home, sandboxOf: () => "offered" as const };
    expect(verdictOn("bash", { command: "touch .git/hooks/x" }, held)).toBe("allow");
    const leaving = { command: "touch x", outside: "why" };
    for (const mode of ["ask", "auto", "allow"] as const)
      expect(verdictOn("bash", leaving, { ...held, mode, ...rules(["allow", "bash"], ["allow", "*"]) })).toBe("ask");
    expect(verdictOn("bash", leaving, { ...held, mode: "plan" })).toBe("deny");
    expect(verdictOn("bash", leaving, { ...held, ...rules(["allow", "outside(bash(touch *))"]) })).toBe("allow");
    expect(verdictOn("file_write", { file_path: ".git/hooks/x", content: "" }, held)).toBe("ask");
  });
});

test("lets a read-only command inside the project name those places, like file_read", async () => {
  const projectDir = await tempDir({ ".git/config": "", "a.txt": "" });
  const permission = { projectDir, home, readOnlyCommands: true };
  for (const command of [
    "grep -rn x . --exclude-dir=.git",
    "find . -name a -not -path './.git/*'",
    "cat .git/config",
  ]) {
    expect(verdictOn("bash", { command }, permission)).toBe("allow");
    expect(verdictOn("bash", { command }, { ...permission, mode: "allow", readOnlyCommands: false })).toBe("ask");
    expect(verdictOn("bash", { command: `${command} > .git/x` }, { ...permission, mode: "allow" })).toBe("ask");
  }
});

describe("checks hostile arguments in linear time", () => {
  const strict = rules(
    ["deny", "bash(touch *)"],
    ["ask", "bash(*push*force*)"],
    ["allow", "bash(git *)"],
    ["allow", "bash(a*)"],
  );

  const permission = { mode: "allow" as PermissionMode, projectDir: "/", ...strict };

  test.each([
    "git -c ",
    "a;",
    "\uFDFA",
    "ikigai ",
    "ikigai tool ",
    "'a' ",
    "$(touch ",
    "env touch",
    "if ",
    "a=b ",
    ".a* ",
    "cd a;",
  ])("of bash: %j repeated", (text) => {
    // Up to the number of commands that it looks at, and up to the length that it reads.
    for (const length of [1_000 * text.length, maxCommandLength])
      expectLinear((command) => verdictOn("bash", { command }, permission), text, length);
  });

  test("of bash: an unfinished group", () => {
    expectLinear((command) => verdictOn("bash", { command: `${command}(` }, permission), "if ", maxCommandLength - 8);
  });

  test.each(["./", "../", "a/", "\uFDFA", "/", "."])("of a path of %j repeated", (piece) => {
    const write = (file_path: string) => verdictOn("file_write", { file_path }, { projectDir: "/", mode: "allow" });
    expectLinear(write, piece, 500_000);
  });

  test.each(["git -c ", "\uFDFA", "ikigai tool "])("of any other tool: %j repeated", (piece) => {
    expectLinear((text) => verdictOn("deploy", { text }, { projectDir: "/", mode: "allow" }), piece, 500_000);
  });
});

test("resolves a path up to the system's length limit, and asks about a longer one", () => {
  const path = "./".repeat(maxPathLength / 2);
  expect(realTarget(path, "/")).toBe("/");
  expect(realTarget(`${path}.`, "/")).toBeUndefined();
  expect(verdictOn("file_write", { file_path: `${path}.` }, { mode: "allow", projectDir: "/" })).toBe("ask");
});
