import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import type { PermissionMode } from "../src/internal.ts";
import { maxArgumentsLength } from "../src/permission/protected-command.ts";
import { maxPathLength, realTarget } from "../src/permission/real-target.ts";
import { maxCommandLength } from "../src/permission/shell/read-shell.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { expectLinear } from "./growth.ts";

const home = "/nowhere/home";

describe("asks in every mode, whatever the rules, before changing which tools run", () => {
  const commands = [
    "ikigai trust",
    "ikigai trust --show .",
    "ikigai config set permission.mode allow",
    "npx @ikigai/cli config unset sandbox",
    "ikigai config edit",
    "ikigai login anthropic",
    "echo sk-x | ikigai login openai",
    "ikigai logout",
    "ikigai setup",
    "x=login; ikigai $x",
    "ikigai tool add ./x",
    "ikigai tool --yes update",
    "ikigai tool remove x",
    "npx @ikigai/cli trust",
    "npx --yes @ikigai/cli@latest tool add x",
    "npm exec -- ikigai trust",
    "node node_modules/@ikigai/cli/dist/ikigai.js trust",
    "'ik'igai tr\"us\"t",
    "ik\\igai trust",
    "/usr/bin/ikigai trust </dev/null",
    "cd x && ikigai trust | cat",
    "env A=b ikigai trust",
    "sh -c 'cd x; ikigai trust'",
    "echo trust | xargs ikigai",
    "ikigai trust $x",
    "x=trust; ikigai $x",
    "ik''igai tool $(echo) add x",
    "touch .ik''igai/tools/x-tool",
    "cp x .ik\\igai/tools",
    'echo x > .gi"t"/hooks/pre-commit',
    "cp x .g?t/hooks/pre-commit",
    "cp x .ik*/tools",
    "cp x .[hg]it/hooks",
    "cp x $IKIGAI_HOME/tools",
    "git 'config' core.x y",
    "git -C x -c a=b config x y",
    `cat ${home.replace("home", "ho''me")}/config.json`,
  ];

  test.each(commands)("%s", (command) => {
    for (const mode of ["ask", "edits", "allow"] as const) {
      expect(verdictOn("bash", { command }, { mode, home, ...rules(["allow", "bash"]) })).toBe("ask");
    }
    expect(verdictOn("bash", { command }, { mode: "deny", home })).toBe("deny");
  });

  test.each(["ikigai trust", "npx @ikigai/cli tool add x", "git config a.b c", "touch .git/hooks/x"])(
    "also as an argument of another tool: %s",
    (cmd) => {
      expect(verdictOn("shell", { cmd }, { mode: "allow", home, ...rules(["allow", "*"]) })).toBe("ask");
    },
  );

  test.each([
    "ikigai --version",
    "ikigai tool list",
    "ikigai doctor",
    "grep -rn trust packages/ikigai",
    "ls .config .github",
    "ls .e* .gitignore",
    "git clone https://host/ikigai.git",
    "npm install @ikigai/cli",
    "git -c a=b status",
    "git config --get user.name",
    "echo trust; ikigai tool list",
    "ikigai config get model",
    "grep -rn login packages/ikigai",
  ])("not %s", (command) => {
    expect(verdictOn("bash", { command }, { mode: "allow", home })).toBe("allow");
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

test("checks a command up to the length of one argument of a program, and asks about a longer one", () => {
  const permission = { mode: "allow" as const, home, ...rules(["allow", "bash"]) };
  expect(verdictOn("bash", { command: "a".repeat(maxCommandLength) }, permission)).toBe("allow");
  expect(verdictOn("bash", { command: "a".repeat(maxCommandLength + 1) }, permission)).toBe("ask");
});

test("checks other arguments up to the limit, and asks about longer ones", () => {
  const text = "a".repeat(maxArgumentsLength - '{"text":""}'.length);
  expect(verdictOn("deploy", { text }, { mode: "allow", home })).toBe("allow");
  expect(verdictOn("deploy", { text: `${text}a` }, { mode: "allow", home })).toBe("ask");
});

test("resolves a path up to the system's length limit, and asks about a longer one", () => {
  const path = "./".repeat(maxPathLength / 2);
  expect(realTarget(path, "/")).toBe("/");
  expect(realTarget(`${path}.`, "/")).toBeUndefined();
  expect(verdictOn("file_write", { file_path: `${path}.` }, { mode: "allow", projectDir: "/" })).toBe("ask");
});
