import { describe, expect, test } from "vitest";
import { decide, type Permission, type Verdict } from "../src/index.ts";
import { rules } from "./decide-call.ts";
import { registeredTool } from "./registered-tool.ts";

/** The verdict on a command of the system's bash with this shell. */
function verdictIn(shell: string, command: string, permission: Partial<Permission> = {}): Verdict {
  const call = { id: "c", name: "bash", arguments: JSON.stringify({ command }) };
  const whole = { mode: "ask" as const, rules: [], projectDir: "/nowhere", home: "/nowhere/home", ...permission };
  return decide(call, { ...registeredTool("bash", "system"), shell }, whole).verdict;
}

describe.each(["/usr/bin/fish", "/usr/bin/zsh", "/opt/unknown"])("commands for %s", (shell) => {
  const allowed = rules(["allow", "bash(git status*)"], ["allow", "bash(make all)"]);

  test("are allowed only by the whole command to the letter", () => {
    expect(verdictIn(shell, "git status", allowed)).toBe("ask");
    expect(verdictIn(shell, "git status; and rm x", allowed)).toBe("ask");
    expect(verdictIn(shell, "make all", allowed)).toBe("allow");
    expect(verdictIn(shell, " make all ", allowed)).toBe("allow");
    expect(verdictIn(shell, "make all; x", allowed)).toBe("ask");
    expect(verdictIn(shell, "make all", rules(["allow", "bash"]))).toBe("allow");
  });

  test("are never known to be read-only", () => {
    expect(verdictIn(shell, "ls")).toBe("ask");
    expect(verdictIn(shell, "ls", { mode: "plan" })).toBe("deny");
    expect(verdictIn(shell, "echo *(e:'touch x':)")).toBe("ask");
  });

  test.each(["rm x", "echo; rm x", "if true; rm x; end", "echo (rm x)", "begin; rm x; end", "sh -c 'rm x'"])(
    "are denied if a denied command may be in them: %s",
    (command) => {
      expect(verdictIn(shell, command, { mode: "allow", ...rules(["deny", "bash(rm *)"]) })).toBe("deny");
    },
  );

  test.each(["echo hello", "string upper abc"])("need a question while any command is denied: %s", (command) => {
    expect(verdictIn(shell, command, { mode: "allow", ...rules(["deny", "bash(rm *)"]) })).toBe("ask");
    expect(verdictIn(shell, command, { mode: "allow" })).toBe("allow");
  });

  test.each([
    "echo x > ~/.ikigai/tools/a-tool",
    "echo x > ~/\\x2eikigai/tools/a-tool",
    "echo x > ~/\\u002eikigai/tools/a-tool",
    "echo x > ~/\\056ikigai/tools/a-tool",
    "echo x > ~/$'\\x2e'ikigai/tools/a-tool",
    "=ikigai trust --yes",
    "\\x69kigai trust --yes",
  ])("need a question in every mode if they may name a protected place: %s", (command) => {
    expect(verdictIn(shell, command, { mode: "allow", ...rules(["allow", "bash"]) })).toBe("ask");
  });
});

test("bash is read as sh is", () => {
  expect(verdictIn("/bin/bash", "git status && git log", rules(["allow", "bash(git *)"]))).toBe("allow");
  expect(verdictIn("/bin/bash", "git status && rm x", rules(["allow", "bash(git *)"]))).toBe("ask");
});
